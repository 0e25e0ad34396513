"""Chopsticks: the seed's examples, the rules by sight under every switch, a recorded game."""

import itertools
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.games.chopsticks import LARGER, SMALLER, Chopsticks, Hands
from lib.games.fingers import FingerState

GAME = Chopsticks()
RULES = [Chopsticks(*switches) for switches in itertools.product((False, True), repeat=4)]
PLAYTHROUGH = Path(__file__).parents[1] / "playthroughs" / "chopsticks.txt"
ALL_HANDS = [(a, b) for a in range(5) for b in range(a, 5)]


def results_by_sight(game: Chopsticks, own: tuple[int, int], other: tuple[int, int]) -> set[tuple]:
    """All that one turn can make of the hands, from sorted tuples and the rule sheet."""
    wrap = {n: n % 5 if game.rollover else 0 for n in range(5, 9)} | {n: n for n in range(5)}
    found = set()
    for i, j in itertools.product((0, 1), (0, 1)):
        if own[i] and other[j]:
            found.add((own, tuple(sorted((other[1 - j], wrap[other[j] + own[i]])))))
    for i in (0, 1):
        if game.self_tap and own[0] and own[1]:
            found.add((tuple(sorted((own[i], wrap[own[0] + own[1]]))), other))
    for new in ALL_HANDS:
        allowed = game.split and (new[0] > 0 or game.empty_split)
        if allowed and sum(new) == sum(own) and new != own:
            found.add((new, other))
    return found


@pytest.mark.parametrize("game", RULES, ids=repr)
def test_rules_equal_outcomes_by_sight_in_every_state(game: Chopsticks) -> None:
    for own, other in itertools.product(ALL_HANDS[1:], ALL_HANDS[1:]):
        state = FingerState(own, other, 0)
        after = {game.play(state, (a,)) for a in game.legal(state, 0)}
        expected = {(theirs, mine, 1) for mine, theirs in results_by_sight(game, own, other)}
        assert after == expected, game.write(state)


def test_hands() -> None:
    hands = Hands.of(3, 1)
    assert (hands.smaller, hands.larger) == (1, 3)
    assert hands.add_fingers(SMALLER, 2) == (3, 3)
    assert hands.add_fingers(SMALLER, 3) == (3, 4)
    assert hands.add_fingers(LARGER, 2) == hands.add_fingers(LARGER, 2, rollover=True) == (0, 1)
    assert hands.add_fingers(LARGER, 3) == (0, 1)
    assert hands.add_fingers(LARGER, 3, rollover=True) == (1, 1)
    assert hands == (1, 3), "hands never change: a move makes new ones"


@given(st.sampled_from(ALL_HANDS), st.sampled_from((0, 1)), st.integers(1, 4), st.booleans())
def test_adding_fingers(pair: tuple[int, int], hand: int, fingers: int, rollover: bool) -> None:
    hands, touched = Hands(*pair), pair[hand]
    if not touched:
        with pytest.raises(ValueError, match="live hand"):
            hands.add_fingers(hand, fingers, rollover)
        return
    result = hands.add_fingers(hand, fingers, rollover)
    assert result.smaller <= result.larger <= 4 and pair[1 - hand] in result
    total = touched + fingers
    expected = total if total < 5 else total - 5 if rollover else 0
    assert sorted(result) == sorted((expected, pair[1 - hand]))


def test_splits() -> None:
    assert Hands(1, 3).splits() == [(2, 2)]
    assert Hands(1, 1).splits() == []
    assert Hands(1, 1).splits(empty=True) == [(0, 2)]
    assert Hands(0, 4).splits() == [(1, 3), (2, 2)]
    assert Hands(0, 1).splits() == Hands(3, 4).splits() == Hands(4, 4).splits() == []
    assert Hands(2, 4).splits() == [(3, 3)]
    assert Hands(0, 0).splits(empty=True) == []


def test_seed_states() -> None:
    state = GAME.read("1322C")
    assert state == FingerState((1, 3), (2, 2), 0)
    assert GAME.read("0133P") == FingerState((0, 1), (3, 3), 1)
    over = GAME.read("0003C")
    assert GAME.movers(over) == () and GAME.outcome(over) == (-1.0, 1.0)
    start = GAME.read("1111C")
    assert start == GAME.start()
    after = {GAME.write(GAME.play(start, (a,))) for a in GAME.legal(start, 0)}
    assert after == {"1211P", "1112P"}, "a tap, and a tap on one's own other hand"


def test_words() -> None:
    state = GAME.read("1322C")
    words = {a: GAME.describe(state, 0, a) for a in GAME.legal(state, 0)}
    assert words == {
        0: "tap 1 on 2",
        2: "tap 3 on 2",
        4: "tap 1 on own 3",
        5: "tap 3 on own 1",
        8: "split 1-3 for 2-2",
    }
    results = [GAME.write(GAME.play(state, (a,))) for a in words]
    assert results == ["2313P", "0213P", "2214P", "2234P", "2222P"]


def test_own_hand_may_be_killed() -> None:
    state = GAME.read("2411C")
    assert GAME.write(GAME.play(state, (4,))) == "1102P"
    assert GAME.write(Chopsticks(rollover=True).play(state, (4,))) == "1112P"
    with pytest.raises(ValueError, match="move 4 of player 0 is illegal in 2411C"):
        Chopsticks(self_tap=False).play(state, (4,))


@pytest.mark.parametrize("game", RULES, ids=repr)
def test_written_states_are_read_back(game: Chopsticks) -> None:
    for state in game.states():
        assert game.read(game.write(state)) == state
        for action in game.legal(state, state.player):
            after = game.play(state, (action,))
            assert game.movers(after) in ((), (1 - state.player,))
            assert isinstance(after.own, Hands) and isinstance(after.other, Hands)


@pytest.mark.parametrize("line", ["", "1322", "1322X", "3122C", "1522C", "1100C", "0000P"])
def test_lines_that_are_no_state(line: str) -> None:
    with pytest.raises(ValueError, match="state"):
        GAME.read(line)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="5 and 1"):
        Hands.of(5, 1)
    with pytest.raises(ValueError, match="-1"):
        Hands.of(-1, 1)
    with pytest.raises(ValueError, match="add 5 fingers"):
        Hands(1, 1).add_fingers(SMALLER, 5)
    with pytest.raises(ValueError, match="hand 2"):
        Hands(1, 1).add_fingers(2, 1)
    with pytest.raises(ValueError, match="over in 0003C"):
        GAME.play(GAME.read("0003C"), (0,))
    with pytest.raises(ValueError, match="10 is no action"):
        GAME.describe(GAME.start(), 0, 10)


def test_equal_rules_are_equal_games() -> None:
    assert Chopsticks() == Chopsticks(rollover=False, self_tap=True) and len(set(RULES)) == 16
    assert Chopsticks().table is Chopsticks().table
    assert len(pickle.dumps(GAME)) < 200 and pickle.loads(pickle.dumps(GAME)) == GAME


def test_recorded_playthrough_is_played_the_same() -> None:
    blocks = PLAYTHROUGH.read_text().split("\n\n\n")
    state = GAME.start()
    for block in blocks:
        assert f"{GAME.write(state)}\n\n{GAME.text(state)}" in block
        listed = [line for line in block.splitlines() if line[:2] in ("- ", "* ")]
        legal = GAME.legal(state, state.player)
        words = [f"{a} {GAME.describe(state, state.player, a)}" for a in legal]
        assert [line[2:] for line in listed] == words
        chosen = [int(line.split()[1]) for line in listed if line[0] == "*"]
        if chosen:
            state = GAME.play(state, tuple(chosen))
    assert len(blocks) == 24 and GAME.outcome(state) == (1.0, -1.0)
