"""Which submissions are alike: copydetect's winnowing of what students wrote, lesson by lesson.

What a student did not write (the course's cells, unwritten answers) is left out. A pair that is
alike is a reason to look at the two, not a verdict: short exercises have few right answers.
"""

import html
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lib.files import write_text
from lib.grading.feedback import page, slug

ALIKE = 0.6  # share of the code in common from which a pair is shown
NOISE, SURE = 15, 25  # tokens: shorter matches are chance; longer ones are always found
MOST = 100  # pairs on a page


def report(code: Mapping[int, Mapping[str, str]], folder: Path) -> str:
    """Write a page per lesson with the pairs that are alike; what was found, in words."""
    lines = []
    for number, texts in sorted(code.items()):
        pairs = alike(texts)
        write_text(folder / f"lesson{number}.html", _page(number, pairs, len(texts)))
        lines.append(f"Lesson {number}: {_pairs(len(pairs))} of submissions that are alike")
    return "\n".join([*lines, f"They are side by side in {folder}/"])


def alike(texts: Mapping[str, str]) -> list[tuple[float, str, str, str, str]]:
    """Pairs by the share in common, most first: share, both students, both texts as HTML."""
    try:
        from copydetect import CopyDetector
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "comparing submissions needs copydetect: `pip install -e .[similarity]` in the "
            "course's folder adds it"
        ) from None
    with tempfile.TemporaryDirectory() as place:
        names = {}
        for student, text in texts.items():
            if text.strip():
                path = Path(place, f"{slug(student)}.py")
                path.write_text(text, encoding="utf-8")
                names[path.name] = student
        settings: dict[str, Any] = {"noise_t": NOISE, "guarantee_t": SURE, "display_t": ALIKE}
        detector = CopyDetector(
            test_dirs=[place], extensions=["py"], silent=True, autoopen=False, **settings
        )
        if len(names) > 1:
            detector.run()
        rows = detector.get_copied_code_list() if len(names) > 1 else []
    pairs = [
        (max(row[0], row[1]), names[Path(row[2]).name], names[Path(row[3]).name], row[4], row[5])
        for row in rows
    ]
    return sorted(pairs, key=lambda pair: -pair[0])


def _page(number: int, pairs: Sequence[tuple[float, str, str, str, str]], submissions: int) -> str:
    share = f"{ALIKE:.0%} or more of their code"
    told = f"<p>{_pairs(len(pairs))} among {submissions} submissions with {share} in common.</p>"
    return page(
        f"Lesson {number}: submissions that are alike", told + "".join(map(_pair, pairs[:MOST]))
    )


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _pair(pair: tuple[float, str, str, str, str]) -> str:
    share, one, other, left, right = pair
    return (
        f"<details><summary>{share:.0%}: {html.escape(one)} and {html.escape(other)}</summary>"
        f"<table><tr><td><pre>{left}</pre></td><td><pre>{right}</pre></td></tr></table></details>"
    )
