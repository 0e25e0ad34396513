"""The exact solutions of the games that have one."""
