"""Checks, release, referee and gradebook."""
