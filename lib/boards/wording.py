"""What a board says: whose move it is, what happened, and plainly who won."""

from collections.abc import Sequence
from typing import Any

from lib.boards.session import Session
from lib.game import Agent, Game
from lib.games.solitaire import count_pegs

Names = tuple[str, ...]


def names_of(game: Game[Any], seats: Sequence[Agent | None]) -> Names:
    """("You", "perfect") against an agent, ("Player 1", "Player 2") for two people."""
    people = sum(agent is None for agent in seats)
    own = ("You",) if people == 1 else ("Player 1", "Player 2")
    names = [agent.name if agent else own[p % len(own)] for p, agent in enumerate(seats)]
    if len(names) == 2 and names[0] == names[1]:
        names = [f"{name} {place}" for place, name in enumerate(names, start=1)]
    return tuple(names)


def prompt(game: Game[Any], session: Session, names: Names) -> str:
    """What is expected now: "Your move." """
    if session.over:
        return ""
    if not session.persons:
        waiting = [names[p] for p in game.movers(session.state)]
        return f"{' and '.join(waiting)} to move."
    if game.n_players == 1:
        return {"2048": "Slide the tiles.", "solitaire": "Press a peg."}.get(
            game.name, "Your move."
        )
    who = names[session.persons[0]]
    if len(session.persons) == 2:
        return "Both choose: WASD and space for R2, arrows and Enter for Q5."
    if session.chosen:
        return f"{who}: choose too; the other has chosen."
    return "Your move." if who == "You" else f"{who} to move."


def happened(game: Game[Any], session: Session, names: Names) -> str:
    """The last turn in words, with a space after it: "You: tap 1 on 1. "."""
    if not session.moves or game.n_players == 1:
        return ""
    return describe_turn(game, session.states[-2], session.moves[-1], session.state, names)


def describe_turn(
    game: Game[Any], before: Any, moves: tuple[int, ...], after: Any, names: Names
) -> str:
    """One turn in words: "You: tap 1 on 1. "."""
    words = [
        f"{names[player]}: {game.describe(before, player, action)}"
        for player, action in zip(game.movers(before), moves, strict=True)
    ]
    return f"{'; '.join(words)}{_hits(game, before, moves, after, names)}. "


def _hits(game: Game[Any], before: Any, moves: tuple[int, ...], after: Any, names: Names) -> str:
    """What came of a round of the droids."""
    if game.name != "droids":
        return ""
    gained = [player for player in (0, 1) if after.points[player] > before.points[player]]
    if gained:
        return f": {names[gained[0]]} hit{'' if names[gained[0]] == 'You' else 's'}"
    same = (
        after.locations[0][0] == after.locations[1][0]
        or after.locations[0][1] == after.locations[1][1]
    )
    if moves == (4, 4) and same:
        return ": both hit, neither counts"
    if any(
        m != 4 and p == q for m, p, q in zip(moves, before.locations, after.locations, strict=True)
    ):
        return ": in each other's way, so nobody moves"
    return ""


def ended(game: Game[Any], session: Session, names: Names) -> tuple[str, str]:
    """Who won, plainly, and its tone: ("You lose: easy wins, after 12 moves.", "bad")."""
    state = session.state
    if session.truncated:
        return f"A draw: {len(session.moves)} moves without an end.", "even"
    outcome = game.outcome(state)
    if game.name == "2048":
        return _ended_2048(session, outcome[0])
    if game.name == "solitaire":
        return _ended_solitaire(game, state)
    length = f"{game.score(state)[0]:g} : {game.score(state)[1]:g}"
    count = len(session.moves)
    after = length if game.name == "droids" else f"after {count} move{'' if count == 1 else 's'}"
    if not any(outcome):
        return f"A draw, {after}.", "even"
    winner = outcome.index(max(outcome))
    agents = [agent is not None for agent in session.seats]
    verb = "win" if names[winner] == "You" else "wins"
    lost = agents[winner] and not all(agents)
    return f"{'You lose: ' * lost}{names[winner]} {verb}, {after}.", "bad" if lost else "good"


def _ended_2048(session: Session, outcome: float) -> tuple[str, str]:
    from lib.games.board2048 import largest

    top = largest(session.state.board)
    figures = f"{session.state.score:,} points, largest tile {top:,}"
    if outcome > 0:
        return f"Won: {figures}.", "good"
    return f"No move is left: {figures}.", "even"


def _ended_solitaire(game: Any, state: int) -> tuple[str, str]:
    pegs = count_pegs(state)
    if game.solved(state):
        return "Solved: one peg is left.", "good"
    if pegs == 1:
        return "One peg is left, but not in the centre: nearly.", "even"
    return f"No jump is left: {pegs} pegs remain.", "bad"
