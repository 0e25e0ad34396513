"""The start page: right answers written differently, and wrong ones with what a check must say."""

SETUP = "import numpy as np"

WRONG = {
    "one hand": ("return hands[0]", "add the second one"),
    "the other hand": ("return hands[1]", "add the first one"),
    "a product": ("return hands[0] * hands[1]", "instead of multiplying"),
    "hands, not fingers": ("return len(hands)", "Count the fingers"),
    "the larger hand": ("return max(hands)", "Both hands count"),
    "no return": ("sum(hands)", "is there a `return`"),
}
RIGHT = {
    "a sum": "return sum(hands)",
    "numpy": "return np.sum(hands)",
    "a loop": "total = 0\n    for hand in hands:\n        total += hand\n    return total",
}


def written(body: str) -> str:
    """The answer cell with this body."""
    return f"def fingers_left(hands):\n    {body}\n"


ANSWERS = {
    "fingers_left": {
        "right": {name: written(body) for name, body in RIGHT.items()},
        "wrong": {name: (written(body), says) for name, (body, says) in WRONG.items()},
    }
}
