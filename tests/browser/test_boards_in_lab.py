"""The boards in JupyterLab, played by hand: after every move the page shows Python's state."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hand import Hand

from lib.cli.browser import Lab
from lib.games.solitaire import JUMPS, START
from lib.truth.solitaire import solution

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GAMES = ("tapnswap", "chopsticks", "droids", "2048", "solitaire")
SETUP = """
import json
from pathlib import Path
from lib.boards import Board, LiveCurve
from lib.games import GAMES

def mirror(name, **options):
    board = Board(GAMES[name](), seed=1, **options)
    def write(_):
        state = {"seq": board.seq, "state": board.game.write(board.state)}
        Path(f"{name}.json").write_text(json.dumps(state))
    board.observe(write, "view")
    board.refresh()
    return board
"""
CELLS = (
    SETUP,
    'mirror("tapnswap", level="easy", speed="at once")',
    'mirror("chopsticks", level="easy", speed="at once")',
    'mirror("droids", level="easy", speed="at once")',
    'mirror("2048")',
    'mirror("solitaire")',
)

ACTIVE_CELL = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    opened = lab.run("boards", *CELLS)
    opened.wait_for_function("() => document.querySelectorAll('.rl-live').length === 5")
    yield opened
    assert opened.problems == []
    lab.close(opened)


@pytest.fixture
def hand(page: Any, lab: Lab, request: pytest.FixtureRequest) -> Hand:
    return Hand(page, request.param, lab.server.folder)


def live_hands(state: str, game: str) -> tuple[list[int], list[int]]:
    """Which hands of the mover and of the other have fingers, from the written state."""
    digits = [int(c) for c in state if c.isdecimal()][:4]
    own, other = digits[:2], digits[2:]
    return [i for i in (0, 1) if own[i]], [i for i in (0, 1) if other[i]]


@pytest.mark.parametrize("hand", ["tapnswap"], indirect=True)
def test_tapnswap_by_mouse(hand: Hand) -> None:
    dice = random.Random(0)
    start = hand.same()
    for turn in range(100):
        hand.wait_for_turn()
        if hand.over:
            break
        own, other = live_hands(hand.same(), "tapnswap")
        mine, hers = f"hand:0:{dice.choice(own)}", f"hand:1:{dice.choice(other)}"
        if turn % 2:
            hand.drag(mine, hers)
        else:
            hand.click(mine)
            hand.click(hers)
    assert hand.over
    assert "win" in hand.status()
    finish(hand, start)


@pytest.mark.parametrize("hand", ["chopsticks"], indirect=True)
def test_chopsticks_by_keyboard_alone(hand: Hand) -> None:
    dice = random.Random(3)
    start = hand.same()
    for _ in range(100):
        hand.wait_for_turn()
        if hand.over:
            break
        own, other = live_hands(hand.same(), "chopsticks")
        hand.go_to(f"hand:0:{dice.choice(own)}")
        hand.key("Enter")
        hand.go_to(f"hand:1:{dice.choice(other)}")
        hand.key("Enter")
    assert hand.over
    assert "win" in hand.status()
    finish(hand, start)


@pytest.mark.parametrize("hand", ["droids"], indirect=True)
def test_droids_by_letters_arrows_and_space(hand: Hand) -> None:
    dice = random.Random(1)
    start = hand.same()
    keys = ["w", "a", "s", "d", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Space", "Space"]
    for _ in range(300):
        if hand.over:
            break
        hand.key(dice.choice(keys))
    assert hand.over
    finish(hand, start)


@pytest.mark.parametrize("hand", ["2048"], indirect=True)
def test_2048_by_arrows_and_a_swipe(hand: Hand) -> None:
    dice = random.Random(1)
    start = hand.same()
    box = hand.stage.locator("svg").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def swipe() -> None:
        hand.page.mouse.move(*middle)
        hand.page.mouse.down()
        hand.page.mouse.move(middle[0] + 90, middle[1] + 10, steps=3)
        hand.page.mouse.up()

    hand.after(swipe)
    for _ in range(2000):
        if hand.over:
            break
        hand.key(dice.choice(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "w", "a"]))
    assert hand.over
    assert "points" in hand.status()
    finish(hand, start)


@pytest.mark.parametrize("hand", ["solitaire"], indirect=True)
def test_solitaire_by_clicks_and_drags(hand: Hand) -> None:
    start = hand.same()
    for turn, action in enumerate(solution(START) or []):
        source, _, target = (f"hole:{hole}" for hole in JUMPS[action])
        if turn % 2:
            hand.drag(source, target)
        else:
            hand.click(source)
            hand.click(target)
    assert hand.over
    assert "Solved" in hand.status()
    finish(hand, start)


def finish(hand: Hand, start: str) -> None:
    """Undo after the end, a new game, the coach, a hint: each as the page says and Python is."""
    ended = hand.same()
    hand.control("undo")
    assert not hand.over
    assert hand.same() != ended
    hand.control("coach")
    pressed = hand.root.locator('[data-control="coach"]').get_attribute("aria-pressed")
    assert pressed == "true"
    hand.wait_for_turn()
    # Answers to the last of the 200 may still be on their way, so the first new drawing proves
    # nothing; messages stay in order, so the hint's answer is the last.
    hand.root.locator('[data-control="hint"]').click()
    hand.page.wait_for_function(
        "(root) => root.querySelector('.rl-status').textContent.startsWith('Hint')",
        arg=hand.root.element_handle(),
    )
    hand.same()
    hand.control("new")
    if hand.data("game") != "2048":
        assert hand.same() == start
    hand.key("c")
    assert hand.root.locator('[data-control="coach"]').get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("hand", GAMES, indirect=True)
def test_two_hundred_random_clicks_and_keys(hand: Hand) -> None:
    dice = random.Random(7)
    keys = [
        "w",
        "a",
        "s",
        "d",
        "ArrowUp",
        "ArrowLeft",
        "Enter",
        "Space",
        "Escape",
        "n",
        "u",
        "h",
        "x",
    ]
    box = hand.root.bounding_box()
    hand.stage.focus()
    for _ in range(200):
        if dice.random() < 0.5:
            hand.page.keyboard.press(dice.choice(keys))
        else:
            x = box["x"] + 6 + dice.random() * (box["width"] - 12)
            y = box["y"] + 40 + dice.random() * min(box["height"] - 150, 380)  # above the controls
            hand.page.mouse.click(x, y)
    hand.root.locator('[data-control="new"]').click()
    hand.wait_for_turn()
    assert "Error" not in hand.status()
    assert hand.page.problems == []
    # Answers to the last of the 200 may still be on their way, so the first new drawing proves
    # nothing; messages stay in order, so the hint's answer is the last.
    hand.root.locator('[data-control="hint"]').click()
    hand.page.wait_for_function(
        "(root) => root.querySelector('.rl-status').textContent.startsWith('Hint')",
        arg=hand.root.element_handle(),
    )
    hand.same()


def test_dark_and_light_follow_the_theme(page: Any) -> None:
    colours = {}
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.evaluate(
            "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
        )
        page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")
        page.wait_for_timeout(300)
        colours[theme] = page.evaluate(
            "() => { const style = getComputedStyle(document.querySelector('.rl-live'));"
            " return [style.color, style.backgroundColor]; }"
        )
    for ink, paper in colours.values():
        assert abs(brightness(ink) - brightness(paper)) > 120
    dark, light = colours.values()
    assert brightness(dark[1]) < 80 < brightness(light[1])


def brightness(colour: str) -> float:
    numbers = [float(part) for part in colour.split("(")[1].rstrip(")").split(",")[:3]]
    return sum(numbers) / 3


def test_a_narrow_window_shrinks_the_board(page: Any) -> None:
    page.set_viewport_size({"width": 520, "height": 900})
    page.wait_for_function("() => document.querySelector('.jp-OutputArea').clientWidth < 400")
    widths = page.evaluate(
        "() => [...document.querySelectorAll('.rl-stage svg')].map((svg) =>"
        " [svg.getBoundingClientRect().width, svg.closest('.jp-OutputArea').clientWidth])"
    )
    page.set_viewport_size({"width": 1100, "height": 1000})
    assert widths
    assert all(0 < svg <= area for svg, area in widths)


def test_tiles_slide_but_not_for_readers_who_prefer_reduced_motion(page: Any, lab: Lab) -> None:
    hand, slides = Hand(page, "2048", lab.server.folder), {}
    page.evaluate(
        "() => { const { animate } = Element.prototype; Element.prototype.animate ="
        " function (...how) { window.slides += 1; return animate.apply(this, how); }; }"
    )
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)
        page.evaluate("() => { window.slides = 0; }")
        for key in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"):
            hand.key(key)
        slides[motion] = page.evaluate("() => window.slides")
    assert slides["reduce"] == 0 < slides["no-preference"]


def test_choices_are_made_by_keyboard(page: Any, lab: Lab) -> None:
    hand = Hand(page, "tapnswap", lab.server.folder)
    choice = hand.root.locator('[data-control="level"]')
    choice.focus()
    before, cell = choice.input_value(), page.evaluate(ACTIVE_CELL)
    hand.after(lambda: page.keyboard.press("ArrowDown"))
    assert choice.input_value() != before
    hand.after(lambda: page.keyboard.press("ArrowUp"))
    assert choice.input_value() == before
    assert page.evaluate(ACTIVE_CELL) == cell  # Jupyter has not taken the key for itself


def test_the_focus_can_be_seen_and_every_control_has_a_name(page: Any, lab: Lab) -> None:
    hand = Hand(page, "tapnswap", lab.server.folder)
    hand.stage.focus()
    outline = hand.stage.evaluate("(node) => getComputedStyle(node).outlineStyle")
    assert outline == "solid"
    unnamed = page.evaluate(
        "() => [...document.querySelectorAll('.rl-live button, .rl-live select, .rl-live input')]"
        ".filter((n) => !(n.textContent.trim() || n.ariaLabel || n.labels?.[0]?.textContent))"
        ".length"
    )
    assert unnamed == 0
    count = page.locator(".jp-Cell").count()
    page.keyboard.press("b")  # in Jupyter's command mode this would insert a cell
    assert page.locator(".jp-Cell").count() == count


def test_keys_stay_with_the_board_wherever_it_is_clicked(page: Any, lab: Lab) -> None:
    hand = Hand(page, "2048", lab.server.folder)
    count = page.locator(".jp-Cell").count()
    hand.control("new")
    undo = hand.root.locator('[data-control="undo"]')
    assert undo.is_disabled()
    for place in (hand.root.locator(".rl-status"), hand.root.locator('[data-control="new"]'), undo):
        place.click(force=True)  # a disabled button, too
        hand.after(lambda: [page.keyboard.press(key) for key in ("d", "d", "s", "x")])
        assert page.locator(".jp-Cell").count() == count  # in Jupyter, x cuts and d d deletes
        hand.control("new")


def test_undo_by_keyboard_leaves_the_focus_on_the_board(page: Any, lab: Lab) -> None:
    hand = Hand(page, "solitaire", lab.server.folder)
    hand.control("new")
    hand.click("hole:4")
    hand.click("hole:16")
    hand.root.locator('[data-control="undo"]').focus()
    hand.after(lambda: page.keyboard.press("Enter"))
    assert hand.root.locator('[data-control="undo"]').is_disabled()
    assert page.evaluate("() => document.activeElement.className") == "rl-stage"
