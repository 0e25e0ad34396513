"""TapnSwap: the seed's own examples, the rules by sight, and a recorded game."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.games.fingers import FingerState, canonical
from lib.games.tapnswap import ACTIONS, TapnSwap, code, decode, swap, tap

GAME = TapnSwap()
PLAYTHROUGH = Path(__file__).parents[1] / "playthroughs" / "tapnswap.txt"
ALL_HANDS = list(itertools.product(range(5), repeat=2))
LIVE = [hands for hands in ALL_HANDS if any(hands)]
states = st.sampled_from([s for s in GAME.states() if any(s.own)])

START_PICTURE = """Round of Player 1

                Player 2
                   |
               |   |   |
                   |
        L -------------------- R
                   |
               |   |   |
                   |
                Player 1"""

AFTER_KILLING_THE_TWO = """Round of Player 2

                Player 1
                   |
             |||   |   |
                   |
        L -------------------- R
                   |
                   |   ||||
                   |
                Player 2"""


def results_by_sight(own: tuple[int, int], other: tuple[int, int]) -> set[tuple]:
    """All that one turn can make of the hands, found by trying every outcome, not every action."""
    found = set()
    for new in ALL_HANDS:
        same_fingers = sum(new) == sum(own)
        if same_fingers and new not in (own, own[::-1]):
            found.add((new, other))
    for mine in filter(None, own):
        left, right = other
        if left:
            found.add((own, (left + mine if left + mine <= 4 else 0, right)))
        if right:
            found.add((own, (left, right + mine if right + mine <= 4 else 0)))
    return found


def seed_words(own: tuple[int, int], other: tuple[int, int]) -> list[tuple]:
    """The hands after each move that the seed's program lists: one of those worded alike."""
    taps = {}
    for i, j in itertools.product((0, 1), (0, 1)):
        if own[i] and other[j] and (own[i], other[j]) not in taps:
            total = own[i] + other[j]
            total = total if total < 5 else 0
            taps[own[i], other[j]] = (own, (total, other[1]) if j == 0 else (other[0], total))
    big = 0 if own[0] >= own[1] else 1
    gap, fingers = abs(own[0] - own[1]), sum(own)
    given = {
        0: [(big, 1)],
        1: [(1 - big, 1)],
        2: [(big, 1)],
        3: [(big, 1)],
        4: [(big, 1), (big, 2)],
    }
    swaps = given[gap] if 1 < fingers < 7 else []
    if fingers == 4 and gap in (0, 2):
        swaps = [*swaps, (big, 2) if gap == 0 else (1 - big, 1)]
    after = [(own[0] - n, own[1] + n) if g == 0 else (own[0] + n, own[1] - n) for g, n in swaps]
    return [*taps.values(), *((hands, other) for hands in after)]


def closure(options) -> set[tuple]:
    """All views that play from the start can lead to and that are not over."""
    found = {((1, 1), (1, 1))}
    queue = list(found)
    for own, other in queue:
        for own_then, other_then in options(own, other):
            view = (other_then, own_then)
            if any(other_then) and view not in found:
                found.add(view)
                queue.append(view)
    return found


def test_rules_equal_outcomes_by_sight_in_every_state() -> None:
    for own, other in itertools.product(LIVE, LIVE):
        for player in (0, 1):
            state = FingerState(own, other, player)
            after = {GAME.play(state, (a,)) for a in GAME.legal(state, player)}
            expected = {
                FingerState(theirs, mine, 1 - player)
                for mine, theirs in results_by_sight(own, other)
            }
            assert after == expected, state


def test_reachable_states() -> None:
    by_rules = closure(lambda own, other: GAME.moves(own, other).values())
    assert by_rules == closure(results_by_sight)
    assert len(by_rules) == 534
    assert len({canonical(*view) for view in by_rules}) == 177


def test_the_seeds_program_reaches_516_because_it_lists_one_of_equal_moves() -> None:
    by_seed = closure(seed_words)
    assert len(by_seed) == 516
    assert len({canonical(*view) for view in by_seed}) == 177


def test_seed_pictures() -> None:
    assert GAME.text(GAME.start()) == START_PICTURE
    state = GAME.from_lists([[3, 1], [2, 4]])
    killed = GAME.play(state, (code([0, 0, 0]),))
    assert GAME.text(killed) == AFTER_KILLING_THE_TWO
    assert GAME.lists(killed) == [[0, 4], [3, 1]]


def test_seed_examples() -> None:
    assert tap((1, 1), (1, 1), 0, 0) == (2, 1)
    assert tap((3, 1), (2, 4), 0, 0) == (0, 4)
    assert tap((3, 1), (2, 4), 1, 1) == (2, 0)
    assert swap((3, 1), 0, 1) == (2, 2)
    assert swap((3, 1), 1, 1) == (4, 0)
    assert swap((3, 2), 0, 2) == (1, 4)
    assert swap((2, 0), 0, 1) == (1, 1)
    with pytest.raises(ValueError, match="mirror image"):
        swap((3, 1), 0, 2)


def test_words_show_the_hands_that_result() -> None:
    state = GAME.from_lists([[3, 1], [2, 4]])
    words = {a: GAME.describe(state, 0, a) for a in GAME.legal(state, 0)}
    assert words == {
        0: "tap left 3 on left 2",
        1: "tap left 3 on right 4",
        2: "tap right 1 on left 2",
        3: "tap right 1 on right 4",
        4: "swap 3-1 for 2-2",
        6: "swap 3-1 for 0-4",
        7: "swap 3-1 for 4-0",
    }


def test_codes() -> None:
    assert [code(action) for action in ACTIONS] == list(range(GAME.n_actions))
    assert [tuple(decode(number)) for number in range(10)] == list(ACTIONS)
    assert code([0, 1, 0]) == 2 and code([1, 0, 1]) == 4 and decode(9) == [1, 1, 3]
    for wrong in ([2, 0, 0], [1, 0, 4], [1, 0, 0], [0, 0, 2], [0]):
        with pytest.raises(ValueError, match="is no action"):
            code(wrong)
    for number in (-1, 10):
        with pytest.raises(ValueError, match=f"{number} is no action"):
            decode(number)


@given(states)
def test_rules_hold_in_every_move(state: FingerState) -> None:
    legal = GAME.legal(state, state.player)
    assert legal == sorted(set(legal)) and GAME.legal(state, 1 - state.player) == []
    for action in legal:
        after = GAME.play(state, (action,))
        assert after.player == 1 - state.player
        if decode(action)[0] == 0:
            assert after.other == state.own and sum(after.own) != sum(state.other)
        else:
            assert after.own == state.other and sum(after.other) == sum(state.own)
            assert sorted(after.other) != sorted(state.own)
        over = not any(after.own)
        assert GAME.movers(after) == (() if over else (after.player,))
        winner = [0.0, 0.0]
        if over:
            winner[state.player], winner[after.player] = 1.0, -1.0
        assert GAME.outcome(after) == GAME.score(after) == tuple(winner)


@given(states, st.integers(-3, 13))
def test_other_moves_are_refused(state: FingerState, action: int) -> None:
    if action in GAME.legal(state, state.player):
        assert GAME.play(state, (action,)) in set(GAME.states())
    else:
        with pytest.raises(ValueError, match=f"move {action} of player {state.player} is illegal"):
            GAME.play(state, (action,))


def test_written_states_are_read_back() -> None:
    for state in GAME.states():
        assert GAME.read(GAME.write(state)) == state
        assert GAME.from_lists(GAME.lists(state), state.player) == state
    assert GAME.write(GAME.from_lists([[3, 1], [2, 4]], 1)) == "[[3, 1], [2, 4]] Player 2"


@pytest.mark.parametrize(
    "line", ["", "[[1, 1], [1, 1]]", "[[5, 1], [1, 1]] Player 1", "[[1, 1], [0, 0]] Player 2"]
)
def test_lines_that_are_no_state(line: str) -> None:
    with pytest.raises(ValueError, match="state"):
        GAME.read(line)


@pytest.mark.parametrize("hands", [[[1, 1]], [1, 1], [[1, 1], [1]], [[-1, 1], [1, 1]], None])
def test_lists_that_are_no_position(hands: object) -> None:
    with pytest.raises(ValueError):
        GAME.from_lists(hands)  # type: ignore[arg-type]


def test_bad_input_is_named() -> None:
    start = GAME.start()
    over = GAME.from_lists([[0, 0], [0, 3]], 1)
    with pytest.raises(ValueError, match=r"over in \[\[0, 0\], \[0, 3\]\] Player 2"):
        GAME.play(over, (0,))
    with pytest.raises(ValueError, match="1 move"):
        GAME.play(start, (0, 0))
    with pytest.raises(ValueError, match="tuple"):
        GAME.play(start, [0])  # type: ignore[arg-type]
    for wrong in (FingerState((1, 1), (0, 0), 0), FingerState((1, 5), (1, 1), 0), "1111C"):
        with pytest.raises(ValueError, match="no state of this game"):
            GAME.movers(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="only live hands"):
        tap((0, 1), (1, 1), 0, 0)


def test_a_callers_list_does_not_change_the_rules() -> None:
    GAME.legal(GAME.start(), 0).clear()
    assert GAME.legal(GAME.start(), 0) == [0, 1, 2, 3, 4, 7]


def test_observation_puts_oneself_first() -> None:
    state = GAME.from_lists([[3, 1], [2, 4]], 1)
    assert GAME.observe(state, 1).tolist() == [3, 1, 2, 4, 1]
    assert GAME.observe(state, 0).tolist() == [2, 4, 3, 1, 0]
    assert isinstance(GAME.observe(state, 0), np.ndarray)


def test_recorded_playthrough_is_played_the_same() -> None:
    blocks = PLAYTHROUGH.read_text().split("\n\n\n")
    state = GAME.start()
    for block in blocks:
        assert f"{GAME.write(state)}\n\n{GAME.text(state)}" in block
        listed = [line for line in block.splitlines() if line[:1] in "-*" and line]
        legal = GAME.legal(state, state.player)
        words = [f"{a} {GAME.describe(state, state.player, a)}" for a in legal]
        assert [line[2:] for line in listed] == words
        chosen = [int(line.split()[1]) for line in listed if line[0] == "*"]
        if chosen:
            state = GAME.play(state, tuple(chosen))
    assert len(blocks) == 27 and GAME.outcome(state) == (-1.0, 1.0)
