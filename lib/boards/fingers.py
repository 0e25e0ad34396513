"""TapnSwap and chopsticks on the page: hands that you tap and drag.

A hand is "hand:PLAYER:INDEX". Press one of yours, then the hand that it taps; or your own other
hand, to move fingers there. Where that can mean several moves, they are offered in the middle.
"""

from typing import Any

from lib.boards.scene import Answer, Artist, Scene, act
from lib.boards.shapes import Drawing, Shape, fitting, line, poly, rect, text
from lib.game import Game
from lib.games import chopsticks, tapnswap
from lib.games.fingers import FingerGame, FingerState

WIDTH, HEIGHT = 440, 396
CARD = (112, 124)  # a hand with room around it
COLUMNS = (92, 348)  # the middles of the two hands
ROWS = (88, 308)  # top and bottom


def token(player: int, hand: int) -> str:
    """The input of one hand: "hand:0:1"."""
    return f"hand:{player}:{hand}"


HANDS = tuple(token(player, hand) for player in (0, 1) for hand in (0, 1))


def meaning(game: Game[Any], state: FingerState, action: int) -> tuple[tuple[int, bool, int], ...]:
    """The presses that can mean an action: (own hand, is the target one's own, target hand)."""
    if isinstance(game, tapnswap.TapnSwap):
        kind, hand, n = tapnswap.decode(action)
        return ((hand, False, n),) if kind == 0 else ((hand, True, 1 - hand),)
    if action < chopsticks.SELF_TAP:
        tapping, tapped = divmod(action, 2)
        return tuple(
            (a, False, b) for a in _twins(state.own, tapping) for b in _twins(state.other, tapped)
        )
    if action < chopsticks.SPLIT:
        taps = _twins(state.own, action - chopsticks.SELF_TAP)
        return tuple((hand, True, 1 - hand) for hand in taps)
    return ((0, True, 1), (1, True, 0))


def _twins(hands: tuple[int, int], hand: int) -> tuple[int, ...]:
    """Equal hands stand for each other where left and right do not matter."""
    return (0, 1) if hands[0] == hands[1] else (hand,)


class Fingers(Artist):
    """Two hands for each player; the person at the board sits at the bottom."""

    drag = True
    lists_moves = True

    def draw(self, game: Game[Any], scene: Scene) -> Drawing:
        assert isinstance(game, FingerGame)
        state: FingerState = scene.state
        shapes = [rect(0, 0, WIDTH, HEIGHT, radius=12, fill="panel")]
        middle = (ROWS[0] + ROWS[1]) / 2
        shapes.append(line(24, middle, WIDTH - 24, middle, stroke="line", thick=2, dash="2 6"))
        for player in (0, 1):
            shapes += self._label(game, scene, player)
            for hand, fingers in enumerate(game.hands(state, player)):
                shapes += self._hand(game, scene, player, hand, fingers)
        shapes += self._offers(game, scene)
        return Drawing(WIDTH, HEIGHT, shapes, f"{game.title}: {self.speak(game, scene)}")

    def _row(self, scene: Scene, player: int) -> int:
        return ROWS[1] if player == scene.bottom else ROWS[0]

    def _label(self, game: FingerGame, scene: Scene, player: int) -> list[Shape]:
        y = self._row(scene, player)
        moves = player in game.movers(scene.state)
        name, room = scene.names[player], COLUMNS[1] - COLUMNS[0] - CARD[0] - 8
        size = fitting(name, 15, room)  # a long name stays between the hands
        words = text(WIDTH / 2, y, name, size=size, fill=f"p{player}", bold=True)
        if not moves:
            return [words]
        turn = text(WIDTH / 2, y + 20, "to move", size=12, fill="muted")
        up = -1 if player == scene.bottom else 1
        tip = y + 26 * up if up < 0 else y + 46
        x = WIDTH / 2
        arrow = poly([(x - 8, tip), (x + 8, tip), (x, tip + 11 * up)], fill=f"p{player}")
        return [words, turn, arrow]

    def _hand(
        self, game: Game[Any], scene: Scene, player: int, hand: int, fingers: int
    ) -> list[Shape]:
        x, y = COLUMNS[hand], self._row(scene, player)
        name, motion = token(player, hand), self._motion(game, scene, player, hand)
        side = self._side(game, scene, player, hand)
        state = f"{fingers} finger{'' if fingers == 1 else 's'}" if fingers else "dead"
        lit = name in self._targets(game, scene)
        card = rect(
            x - CARD[0] / 2,
            y - CARD[1] / 2,
            *CARD,
            radius=14,
            fill=f"p{player}soft" if fingers else "cell",
            stroke="lit" if lit or scene.selected.startswith(name) else "line",
            thick=4 if lit or scene.selected.startswith(name) else 1,
            dash="7 5" if lit else None,
            input=name,
            label=f"{scene.names[player]}, {side} hand, {state}",
            drag=player == scene.player and fingers > 0,
            **motion,
        )
        parts = self._palm(x, y, fingers, 1 if player == scene.bottom else -1)
        for part in parts:
            part.update(motion, part=name)
        return [card, *parts, *self._verdict(game, scene, player, hand)]

    def _palm(self, x: float, y: float, fingers: int, up: int) -> list[Shape]:
        """A palm with its fingers raised: up is 1 at the bottom of the table, -1 at the top."""
        skin = {"fill": "skin", "stroke": "skinline", "thick": 2}
        shapes = []
        base = y + 6 * up
        for n in range(4):
            length = 46 if n < fingers else 12
            left = x - 35 + n * 18
            top = base - length if up > 0 else base
            shapes.append(rect(left, top, 15, length, radius=7, **skin))
        palm_top = base - 6 if up > 0 else base - 40
        shapes.append(rect(x - 38, palm_top, 74, 46, radius=15, **skin))
        shapes.append(text(x, palm_top + 24, fingers, size=26, fill="black", bold=True))
        if not fingers:
            for sign in (1, -1):
                ends = (x - 30, palm_top + 23 - 17 * sign, x + 28, palm_top + 23 + 17 * sign)
                shapes.append(line(*ends, stroke="bad", thick=4, opacity=0.55))
        return shapes

    def _side(self, game: Game[Any], scene: Scene, player: int, hand: int) -> str:
        if isinstance(game, tapnswap.TapnSwap):
            return ("left", "right")[hand]
        return ("smaller", "larger")[hand]

    def _motion(self, game: Game[Any], scene: Scene, player: int, hand: int) -> dict[str, Any]:
        """How a hand arrives after the last move: it comes back from its tap, or pops up."""
        if scene.before is None or not scene.moves:
            return {}
        mover = scene.before.player
        options = meaning(game, scene.before, scene.moves[0])
        source, own, target = options[0]
        if player == mover and hand == source and not (own and self._swapped(game, scene.moves[0])):
            goal = COLUMNS[target], self._row(scene, mover if own else 1 - mover)
            here = COLUMNS[hand], self._row(scene, player)
            return {"slide": [0.75 * (goal[0] - here[0]), 0.75 * (goal[1] - here[1])]}
        assert isinstance(game, FingerGame)
        changed = game.hands(scene.before, player)[hand] != game.hands(scene.state, player)[hand]
        return {"pop": "late"} if changed else {}

    def _swapped(self, game: Game[Any], action: int) -> bool:
        if isinstance(game, tapnswap.TapnSwap):
            return tapnswap.decode(action)[0] == 1
        return action >= chopsticks.SPLIT

    def _choices(self, game: Game[Any], scene: Scene, target: str) -> list[int]:
        """The legal actions of "first the selected hand, then `target`"."""
        if scene.player is None or not scene.selected:
            return []
        source = int(scene.selected.split(":")[2][0])
        _, player, hand = target.split(":")
        wanted = source, int(player) == scene.player, int(hand)
        legal = game.legal(scene.state, scene.player)
        return [a for a in legal if wanted in meaning(game, scene.state, a)]

    def _targets(self, game: Game[Any], scene: Scene) -> list[str]:
        others = [t for t in HANDS if not scene.selected.startswith(t)]
        return [t for t in others if self._choices(game, scene, t)]

    def _verdict(self, game: Game[Any], scene: Scene, player: int, hand: int) -> list[Shape]:
        """The coach's word at a hand that the selected one could tap."""
        choices = self._choices(game, scene, token(player, hand))
        if len(choices) != 1 or choices[0] not in scene.marks:
            return []
        mark = scene.marks[choices[0]]
        x, y = COLUMNS[hand] + CARD[0] / 2 - 4, self._row(scene, player) - CARD[1] / 2 + 4
        tag = rect(x - 42, y - 12, 52, 24, radius=12, fill=f"{mark.tone}soft", stroke=mark.tone)
        return [
            tag,
            text(x - 16, y, f"{mark.sign} {mark.short}", size=13, fill=mark.tone, bold=True),
        ]

    def _offers(self, game: Game[Any], scene: Scene) -> list[Shape]:
        """Buttons in the middle, where two hands alone do not say which move is meant."""
        if ">" not in scene.selected or scene.player is None:
            return []
        source, target = scene.selected.split(">")
        held = Scene(scene.state, player=scene.player, selected=source)
        choices = self._choices(game, held, target)
        wide = 128 if scene.marks else 104
        left = (WIDTH - wide * len(choices) - 8 * (len(choices) - 1)) / 2
        shapes = []
        for place, action in enumerate(choices):
            x, y = left + place * (wide + 8), (ROWS[0] + ROWS[1]) / 2 - 16
            words, mark = self._result(game, scene.state, action), scene.marks.get(action)
            label = game.describe(scene.state, scene.player, action)
            if mark:
                words, label = f"{words}  {mark.sign} {mark.short}", f"{label}, {mark.words}"
            tone, size = mark.tone if mark else "lit", fitting(words, 14, wide - 10)
            style: dict[str, Any] = {"fill": f"{tone}soft", "stroke": tone, "thick": 2, "radius": 8}
            shapes.append(rect(x, y, wide, 32, input=f"act:{action}", label=label, **style))
            shapes.append(text(x + wide / 2, y + 17, words, size=size, bold=bool(mark)))
        return shapes

    def _result(self, game: Game[Any], state: FingerState, action: int) -> str:
        after = game.play(state, (action,)).other
        kind = "make" if self._swapped(game, action) else "tap:"
        return f"{kind} {after[0]}-{after[1]}"

    def answer(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        number = act(token)
        if number is not None:
            return Answer(action=number)
        if token not in HANDS or scene.player is None:
            return Answer(selected="")
        mine = int(token.split(":")[1]) == scene.player
        held = scene.selected.split(">")[0]
        if mine and not held:
            return self._pick_up(game, scene, token)
        if not held:
            return Answer(say="Press one of your own hands first.")
        if token == held:
            return Answer(say="Put back.")
        scene = Scene(scene.state, player=scene.player, selected=held)
        choices = self._choices(game, scene, token)
        if len(choices) == 1:
            return Answer(action=choices[0])
        if choices:
            return Answer(selected=f"{held}>{token}", say="Which one? Choose in the middle.")
        return Answer(selected=held, say=self._why_not(game, scene, token, mine))

    def _pick_up(self, game: Game[Any], scene: Scene, token: str) -> Answer:
        hand = int(token.split(":")[2])
        if not scene.state.own[hand]:
            return Answer(say="That hand is dead: it can't tap or give fingers.")
        return Answer(selected=token, say="Now press the hand to tap, or your own other hand.")

    def _why_not(self, game: Game[Any], scene: Scene, token: str, mine: bool) -> str:
        if not mine:
            return "A dead hand can't be tapped."
        if isinstance(game, tapnswap.TapnSwap):
            return "No swap that way: at most 4 fingers a hand, and never the mirror image."
        return "Nothing to split: at most 4 fingers a hand, none left empty, and no mirror image."

    def keys(self, game: Game[Any], scene: Scene) -> dict[str, str]:
        if scene.player is None:
            return {}
        legal = game.legal(scene.state, scene.player)
        return {str(place): f"act:{action}" for place, action in enumerate(legal, 1) if place < 10}

    def speak(self, game: Game[Any], scene: Scene) -> str:
        assert isinstance(game, FingerGame)
        hands = [game.hands(scene.state, player) for player in (0, 1)]
        return "; ".join(f"{n} {a} and {b}" for n, (a, b) in zip(scene.names, hands, strict=True))
