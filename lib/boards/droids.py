"""The droid battle on the page: WASD or the arrows move, space shoots, beams cross the board.

Cells beside your droid, the droid itself and the button below can be pressed too. Where two
people share the board, R2 has WASD and space, Q5 the arrows and Enter.
"""

from itertools import product
from typing import Any

from lib.boards.scene import Answer, Artist, Scene, act
from lib.boards.shapes import Drawing, Shape, circle, fitting, line, poly, rect, text
from lib.game import Game
from lib.games.droids import ACTIONS, STEPS, Droids, DroidState, Location

CELL, EDGE, TOP = 88, 44, 92
SHOOT = 4
NAMES = ("R2", "Q5")
LETTERS = {"w": 0, "s": 1, "a": 2, "d": 3, " ": 4}
ARROWS = {"ArrowUp": 0, "ArrowDown": 1, "ArrowLeft": 2, "ArrowRight": 3, "Enter": 4}


def middle(place: Location) -> tuple[float, float]:
    """The middle of a cell in the drawing."""
    return EDGE + CELL * (place[1] + 0.5), TOP + CELL * (place[0] + 0.5)


def goal(place: Location, action: int) -> Location:
    """The cell that an action of a droid aims at: its own for a shot."""
    down, right = STEPS.get(ACTIONS[action], (0, 0))
    return place[0] + down, place[1] + right


class DroidArtist(Artist):
    """The board, both droids, and a line about each above it."""

    seats = (("me", "R2, left"), ("it", "Q5, right"))

    def draw(self, game: Game[Any], scene: Scene) -> Drawing:
        assert isinstance(game, Droids)
        width, height = 2 * EDGE + CELL * game.cols, TOP + CELL * game.rows + 72
        shapes = [rect(0, 0, width, height, radius=12, fill="panel")]
        shapes += self._header(scene, width)
        for place in product(range(game.rows), range(game.cols)):
            x, y = middle(place)
            shade = "cell" if sum(place) % 2 else "cell2"
            shapes.append(rect(x - CELL / 2, y - CELL / 2, CELL, CELL, fill=shade))
        shapes += self._beams(game, scene)
        for player in (0, 1):
            shapes += self._droid(scene, player)
        shapes += self._choices(game, scene)
        shapes += self._button(game, scene, width, height)
        return Drawing(width, height, shapes, f"{game.title}: {self.speak(game, scene)}")

    def _header(self, scene: Scene, width: float) -> list[Shape]:
        state: DroidState = scene.state
        shapes = [
            text(width / 2, 30, f"{state.points[0]} : {state.points[1]}", size=28, bold=True),
            text(width / 2, 60, f"{state.rounds} rounds left", size=13, fill="muted"),
        ]
        for player, x, anchor, way in ((0, 24, "start", 1), (1, width - 24, "end", -1)):
            words = f"{NAMES[player]} · {scene.names[player]}"
            size = fitting(words, 15, width / 2 - 90)  # a long name stays beside the score
            shapes.append(
                text(x, 28, words, size=size, anchor=anchor, fill=f"p{player}", bold=True)
            )
            for shot in range(max(5, state.shots[player])):
                style = {"fill": f"p{player}"} if shot < state.shots[player] else {}
                place = x + way * (6 + 15 * shot)
                shapes.append(circle(place, 56, 5, stroke=f"p{player}", **style))
        return shapes

    def _beams(self, game: Droids, scene: Scene) -> list[Shape]:
        """The row and column of every droid that has just fired, and a star where it hit."""
        shapes: list[Shape] = []
        for player, action in enumerate(scene.moves):
            if action != SHOOT:
                continue
            own, other = scene.state.locations[player], scene.state.locations[1 - player]
            x, y = middle(own)
            style: dict[str, Any] = {"stroke": f"p{player}", "dash": (None, "3 9")[player]}
            right, bottom = EDGE + CELL * game.cols, TOP + CELL * game.rows
            for ends in ((EDGE, y, right, y), (x, TOP, x, bottom)):
                shapes.append(line(*ends, thick=12, opacity=0.3, stroke=f"p{player}"))
                shapes.append(line(*ends, thick=4, opacity=0.9, **style))
            if own[0] == other[0] or own[1] == other[1]:
                shapes.append(self._star(*middle(other)))
        return shapes

    def _star(self, x: float, y: float) -> Shape:
        spikes = [(0, -42), (10, -14), (38, -20), (18, 2), (34, 30), (6, 18), (-12, 42), (-12, 14)]
        spikes += [(-42, 10), (-18, -4), (-32, -30), (-8, -14)]
        return poly([(x + a, y + b) for a, b in spikes], fill="evensoft", stroke="even", thick=2)

    def _droid(self, scene: Scene, player: int) -> list[Shape]:
        x, y = middle(scene.state.locations[player])
        motion: dict[str, Any] = {}
        if scene.before is not None:
            from_x, from_y = middle(scene.before.locations[player])
            motion = {"slide": [from_x - x, from_y - y]}
        body: dict[str, Any] = {
            "fill": f"p{player}soft",
            "stroke": f"p{player}",
            "thick": 3,
            **motion,
        }
        wide = 40 if player else 44
        head = (
            circle(x, y - 10, 20, **body)
            if player == 0
            else rect(x - 20, y - 28, 40, 26, radius=4, **body)
        )
        return [
            *(rect(x + dx - 5, y + 8, 10, 22, radius=4, **body) for dx in (-wide / 2, wide / 2)),
            head,
            rect(x - wide / 2 + 2, y - 8, wide - 4, 34, radius=6 - 4 * player, **body),
            circle(x + 4, y - 18, 4, fill=f"p{player}", **motion),
            text(x, y + 10, NAMES[player], size=16, fill=f"p{player}", bold=True, **motion),
        ]

    def _choices(self, game: Droids, scene: Scene) -> list[Shape]:
        """What the person can press: the cells around the droid, and the droid itself."""
        if scene.player is None:
            return []
        place, shapes = scene.state.locations[scene.player], []
        for action in game.legal(scene.state, scene.player):
            x, y = middle(goal(place, action))
            lit = action == scene.hint
            mark = scene.marks.get(action)
            words = game.describe(scene.state, scene.player, action)
            shapes.append(
                rect(
                    x - CELL / 2 + 4,
                    y - CELL / 2 + 4,
                    CELL - 8,
                    CELL - 8,
                    radius=8,
                    fill="lit" if lit else "ink",
                    opacity=0.25 if lit else 0.05,
                    input=f"act:{action}",
                    label=f"{words}{', ' + mark.words if mark else ''}",
                )
            )
            edge = {"stroke": "lit", "thick": 4 if lit else 1, "dash": "6 4"}
            shapes.append(
                rect(x - CELL / 2 + 4, y - CELL / 2 + 4, CELL - 8, CELL - 8, radius=8, **edge)
            )
            if mark and action != SHOOT:  # the button carries that one: here is the droid
                taken = goal(place, action) in scene.state.locations  # then across the cell's edge
                shapes += self._tag(x, y + CELL / 2 + (1 if taken else -16), mark)
        return shapes

    def _tag(self, x: float, y: float, mark: Any) -> list[Shape]:
        return [
            rect(x - 34, y - 11, 68, 22, radius=11, fill=f"{mark.tone}soft", stroke=mark.tone),
            text(x, y, f"{mark.sign} {mark.short}", size=13, fill=mark.tone, bold=True),
        ]

    def _button(self, game: Droids, scene: Scene, width: float, height: float) -> list[Shape]:
        if scene.player is None or SHOOT not in game.legal(scene.state, scene.player):
            return []
        x, y, who, mark = width / 2, height - 34, scene.player, scene.marks.get(SHOOT)
        half, lit = (122 if mark else 84), scene.hint == SHOOT
        style: dict[str, Any] = {"fill": f"p{who}soft", "stroke": f"p{who}", "thick": 2}
        style |= {"stroke": "lit", "thick": 4, "dash": "6 4"} if lit else {}
        label = f"shoot{', ' + mark.words if mark else ''}"
        pad = rect(
            x - half, y - 19, 2 * half, 38, radius=8, input=f"act:{SHOOT}", label=label, **style
        )
        key = "" if scene.watched else " (Enter)" if scene.together and who == 1 else " (space)"
        words = text(x - 38 if mark else x, y, f"Shoot{key}", size=15, bold=True)
        return [pad, words, *(self._tag(x + 76, y, mark) if mark else [])]

    def keys(self, game: Game[Any], scene: Scene) -> dict[str, str]:
        if scene.together:
            own = {key: f"by:0:{action}" for key, action in LETTERS.items()}
            return own | {key: f"by:1:{action}" for key, action in ARROWS.items()}
        return {
            key: f"act:{action}" for key, action in (LETTERS | ARROWS).items() if key != "Enter"
        }

    def answer(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        kind, *numbers = token.split(":")
        if kind == "by" and len(numbers) == 2 and numbers[0] in "01" and numbers[1].isdecimal():
            return Answer(action=int(numbers[1]), player=int(numbers[0]))
        return Answer(action=act(token))

    def refusal(self, game: Game[Any], state: Any, player: int, action: int) -> str:
        if action == SHOOT:
            return "No shot left: only moves remain."
        if not 0 <= action < SHOOT:
            return f"{action} is no action: move up, down, left or right, or shoot."
        side = ("above", "below", "on the left", "on the right")[action]
        return f"A wall is {side}: choose another way."

    def speak(self, game: Game[Any], scene: Scene) -> str:
        each = []
        for name, (row, column), shots, points in zip(NAMES, *scene.state[:3], strict=True):
            where = f"row {row + 1}, column {column + 1}"
            each.append(f"{name} in {where}, {shots} shots, {points} points")
        return f"{'; '.join(each)}; {scene.state.rounds} rounds left."
