"""The reference agents, one algorithm a file."""
