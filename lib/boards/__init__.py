"""Interactive boards and live curves."""
