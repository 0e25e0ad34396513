"""A pytest plugin: nbval's report says which exercise a check cell belongs to."""

from typing import Any


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Note the exercise where `--junitxml` shows it."""
    for item in items:
        noted = getattr(item, "cell", {}).get("metadata", {}).get("rl_five_games", {})
        if isinstance(noted, dict) and noted.get("role") == "check":
            item.user_properties.append(("exercise", str(noted.get("exercise"))))
