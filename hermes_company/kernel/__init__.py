"""The loop: settle, ready, claim, spawn. Nothing clever."""
