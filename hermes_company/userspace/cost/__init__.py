"""What attempts used and what that costs, from the engines' own transcripts."""
