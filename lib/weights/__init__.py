"""What the reference agents learned; README.md here says how each file was made."""
