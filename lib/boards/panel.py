"""Everything around a board: its words, its keys, its moves and its controls, as plain data."""

from typing import TYPE_CHECKING, Any

from lib.agents import registry
from lib.boards.controls import Control, button, select, toggle
from lib.boards.scene import Scene

if TYPE_CHECKING:
    from lib.boards.board import Board
    from lib.boards.watch import Watch

SPEEDS = {"slow": 1400, "normal": 700, "fast": 250, "at once": 0}  # ms before the other moves
SHORTCUTS = {"n": "control:new", "u": "control:undo", "h": "control:hint", "c": "control:coach"}
PAUSE = 3000  # ms before a new game starts by itself
PEOPLE, OWN = "two people", "given"


def around(board: "Board", scene: Scene) -> dict[str, Any]:
    """What the page shows around the drawing, and what it needs to know of it."""
    game, session, artist = board.game, board.session, board.artist
    delay = SPEEDS[board.speed]
    waiting = not session.over and not session.persons and not board.failed
    pause = PAUSE if session.over and board.again else None
    return {
        "game": game.name,
        "state": game.write(board.state),
        "over": session.over,
        "alive": True,
        "focus": board.again,
        "label": f"{game.title} board. {artist.speak(game, scene)}",
        "say": board.said,
        "tone": board.tone,
        "notes": board.notes,
        "selected": board.selected,
        "keys": {**SHORTCUTS, **artist.keys(game, scene)},
        "swipe": artist.swipe,
        "drag": artist.drag,
        "first": artist.first,
        "chips": chips(board, scene),
        "controls": controls(board),
        "auto": delay if waiting else pause,
        "ms": min(220, delay // 3 + 40),
    }


def chips(board: "Board | Watch", scene: Scene) -> list[dict[str, Any]]:
    """Every legal move as a button with the coach's verdict, where there are few enough.

    Where a game is only watched, they can't be pressed.
    """
    if scene.player is None or not board.artist.lists_moves:
        return []
    keys = {word: key for key, word in board.artist.keys(board.game, scene).items()}
    found = []
    for action in board.game.legal(scene.state, scene.player):
        words = board.game.describe(scene.state, scene.player, action)
        name = f"act:{action}"
        chip = {"input": name, "label": words, "hint": action == scene.hint}
        if scene.watched:
            chip["disabled"] = True
        elif name in keys:
            chip["key"] = keys[name]
        if action in scene.marks:
            mark = scene.marks[action]
            chip |= {"tone": mark.tone, "mark": f"{mark.sign} {mark.words}"}
        found.append(chip)
    return found


def controls(board: "Board") -> list[Control]:
    """New game, undo, hint, coach; and in games of two, who plays against whom."""
    session = board.session
    always = [
        button("new", "New game", "N"),
        button("undo", "Undo", "U", disabled=not (session.moves or session.chosen)),
        button("hint", "Hint", "H", disabled=session.over),
        toggle("coach", "Coach", board.coaching, "C"),
    ]
    return always + (_opponent(board) if board.game.n_players == 2 else [])


def _opponent(board: "Board") -> list[Control]:
    levels = [(name, name) for name in (PEOPLE, *registry.LEVELS)]
    if board.given is not None:
        levels.append((OWN, board.given.name))
    found = [] if board.fixed else [select("level", "Against", levels, board.level)]
    if board.level != PEOPLE:
        seats = board.artist.seats or (("me", "me"), ("it", "it"))
        words = "You are" if board.artist.seats else "First"
        found.append(select("first", words, seats, board.first))
        found.append(select("speed", "Speed", ((name, name) for name in SPEEDS), board.speed))
    return found
