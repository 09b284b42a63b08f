"""What the rooms may ask of each other: Protocols and the values that cross them."""
