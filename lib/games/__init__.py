"""The rules of the five games, one file each."""
