"""Peg solitaire on the page: pegs that you press or drag into a lit hole.

A hole is "hole:NUMBER". Press a peg, then the hole that it jumps into, or drag it there.
"""

from functools import lru_cache
from typing import Any

from lib.boards.scene import Answer, Artist, Mark, Scene, act
from lib.boards.shapes import Drawing, Shape, circle, line, rect, text
from lib.game import Game
from lib.games.solitaire import CENTRE, HOLES, JUMPS, count_pegs, hole_name, jumps

STEP, EDGE, TOP = 60, 46, 84  # between holes, to the outermost ones, room above
SIZE = 2 * EDGE + 6 * STEP
HEIGHT = SIZE + TOP - EDGE + 10
HOLE, PEG = 15, 21  # radii
RANK = {"good": 0, "even": 1, "bad": 2}


def token(hole: int) -> str:
    """The input of a hole: "hole:16"."""
    return f"hole:{hole}"


def place(hole: int) -> tuple[int, int]:
    """The middle of a hole in the drawing."""
    row, column = HOLES[hole]
    return EDGE + STEP * column, TOP + STEP * row


@lru_cache(maxsize=64)
def _by_source(position: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for action in jumps(position):
        found.setdefault(JUMPS[action].source, []).append(action)
    return found


def jumps_from(position: int, source: int) -> list[int]:
    """The jumps that the peg in one hole can make; a drawing asks for every hole, several times."""
    return _by_source(position).get(source, [])


class Pegs(Artist):
    """The cross of 33 holes, with letters and numbers along its edges."""

    drag = True
    first = token(CENTRE)

    def draw(self, game: Game[Any], scene: Scene) -> Drawing:
        shapes = [
            rect(0, 0, SIZE, HEIGHT, radius=12, fill="panel"),
            rect(EDGE + 2 * STEP - 30, TOP - 30, 3 * STEP, 7 * STEP, radius=24, fill="cell"),
            rect(EDGE - 30, TOP + 2 * STEP - 30, 7 * STEP, 3 * STEP, radius=24, fill="cell"),
            *self._edges(),
            *self._header(game, scene),
        ]
        for hole in range(33):
            shapes += self._hole(scene, hole)
        for hole in range(33):
            if scene.state >> hole & 1:
                shapes += self._peg(scene, hole)
        shapes += self._gone(scene)
        for hole in range(33):
            shapes += self._verdict(scene, hole)
        return Drawing(SIZE, HEIGHT, shapes, f"{game.title}: {self.speak(game, scene)}")

    def _edges(self) -> list[Shape]:
        style: dict[str, Any] = {"size": 12, "fill": "muted"}
        columns = [text(EDGE + STEP * i, HEIGHT - 12, "abcdefg"[i], **style) for i in range(7)]
        return columns + [text(11, TOP + STEP * i, i + 1, **style) for i in range(7)]

    def _header(self, game: Game[Any], scene: Scene) -> list[Shape]:
        pegs = count_pegs(scene.state)
        return [
            text(
                20, 27, f"{pegs} peg{'' if pegs == 1 else 's'}", size=22, anchor="start", bold=True
            ),
            text(
                SIZE - 20, 27, f"{game.score(scene.state)[0]:g} removed", anchor="end", fill="muted"
            ),
        ]

    def _hole(self, scene: Scene, hole: int) -> list[Shape]:
        x, y = place(hole)
        lit = hole in self._targets(scene)
        hinted = scene.hint is not None and JUMPS[scene.hint].target == hole
        full = scene.state >> hole & 1
        label = f"{hole_name(hole)}, {'peg' if full else 'empty'}{', can be jumped into' * lit}"
        mark = self._mark_at(scene, hole)
        label += f", {mark.words}" if mark else ""
        pad = rect(
            x - 28,
            y - 28,
            56,
            56,
            radius=28,
            fill="litsoft" if lit else "cell",
            stroke="lit" if lit or hinted else None,
            thick=3,
            dash="6 4" if lit or hinted else None,
            input=token(hole),
            label=label,
            drag=bool(full),
        )
        rim = {"stroke": "line", "thick": 4} if hole == CENTRE else {"stroke": "line", "thick": 1}
        return [pad, circle(x, y, HOLE, fill="cell2", **rim)]

    def _peg(self, scene: Scene, hole: int) -> list[Shape]:
        x, y = place(hole)
        held = scene.selected == token(hole)
        hinted = scene.hint is not None and JUMPS[scene.hint].source == hole
        free = scene.player is not None and jumps_from(scene.state, hole)
        style: dict[str, Any] = {"part": token(hole)}
        if scene.moves and JUMPS[scene.moves[0]].target == hole:
            from_x, from_y = place(JUMPS[scene.moves[0]].source)
            style["slide"] = [from_x - x, from_y - y]
        ring = "lit" if held or hinted else ("ink" if free else "peg")
        thick = 5 if held or hinted else 2
        return [
            circle(x, y, PEG, fill="peg", stroke=ring, thick=thick, **style),
            circle(x - 5, y - 6, 9, fill="pegtop", **style),
        ]

    def _gone(self, scene: Scene) -> list[Shape]:
        """The peg that was jumped over: it fades away, its hole stays crossed for a moment."""
        if not scene.moves:
            return []
        x, y = place(JUMPS[scene.moves[0]].over)
        ends = ((x - 9, y - 9, x + 9, y + 9), (x - 9, y + 9, x + 9, y - 9))
        crosses = [line(*end, stroke="muted", thick=2, opacity=0.7) for end in ends]
        return [*crosses, circle(x, y, PEG, fill="peg", fade=True)]

    def _targets(self, scene: Scene) -> dict[int, int]:
        """Where the selected peg can jump, and by which action."""
        if not scene.selected or scene.player is None:
            return {}
        source = int(scene.selected.split(":")[1])
        return {JUMPS[a].target: a for a in jumps_from(scene.state, source)}

    def _verdict(self, scene: Scene, hole: int) -> list[Shape]:
        """The coach's sign: at the lit holes of a selected peg, else at every peg that can jump."""
        mark = self._mark_at(scene, hole)
        if mark is None:
            return []
        x, y = place(hole)
        words = mark.short or mark.sign
        wide = 22 if len(words) == 1 else 36
        return [
            rect(x + 2, y - 29, wide, 22, radius=11, fill=f"{mark.tone}soft", stroke=mark.tone),
            text(x + 2 + wide / 2, y - 18, words, size=13, fill=mark.tone, bold=True),
        ]

    def _mark_at(self, scene: Scene, hole: int) -> Mark | None:
        if scene.selected:
            action = self._targets(scene).get(hole)
            return scene.marks.get(action) if action is not None else None
        marks = [scene.marks[a] for a in jumps_from(scene.state, hole) if a in scene.marks]
        return min(marks, key=lambda mark: (RANK[mark.tone], -len(mark.short)), default=None)

    def answer(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        number = act(token)
        if number is not None:
            return Answer(action=number)
        kind, _, name = token.partition(":")
        if kind != "hole" or not name.isdecimal() or int(name) >= 33:
            return Answer(selected="")
        hole = int(name)
        if token == scene.selected:
            return Answer(say="Put back.")
        action = self._targets(scene).get(hole)
        if action is not None:
            return Answer(action=action)
        if scene.state >> hole & 1:
            return self._pick_up(scene, hole)
        if scene.selected:
            return Answer(selected=scene.selected, say=self._why_not(scene, hole))
        return Answer(say=f"{hole_name(hole)} is empty: press a peg first.")

    def _pick_up(self, scene: Scene, hole: int) -> Answer:
        if jumps_from(scene.state, hole):
            return Answer(selected=token(hole), say=f"{hole_name(hole)}: now a lit hole.")
        return Answer(
            say=f"{hole_name(hole)} has nowhere to jump: "
            "it needs a peg beside it and an empty hole behind that."
        )

    def _why_not(self, scene: Scene, hole: int) -> str:
        source = int(scene.selected.split(":")[1])
        (r, c), (to_r, to_c) = HOLES[source], HOLES[hole]
        if sorted((abs(r - to_r), abs(c - to_c))) != [0, 2]:
            return f"{hole_name(source)} can't reach {hole_name(hole)}: a jump goes two holes on."
        return f"No peg between {hole_name(source)} and {hole_name(hole)} to jump over."

    def speak(self, game: Game[Any], scene: Scene) -> str:
        pegs = [hole_name(hole) for hole in range(33) if scene.state >> hole & 1]
        empty = [hole_name(hole) for hole in range(33) if not scene.state >> hole & 1]
        which = f"all but {', '.join(empty)}" if len(empty) < len(pegs) else ", ".join(pegs)
        return f"{len(pegs)} peg{'' if len(pegs) == 1 else 's'}: {which}."
