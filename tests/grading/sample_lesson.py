"""The sample lesson of these tests, number 90: as text, solved, and released."""

from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from lib.grading import author, release

FOLDER = Path(__file__).parent / "sample"


@dataclass(frozen=True)
class Sample:
    """Lesson 90, which only these tests and the kernels they start know."""

    text: str

    @property
    def solved(self) -> NotebookNode:
        """Its solution, not executed."""
        return author.from_text(self.text, "90_sample")

    @property
    def stub(self) -> NotebookNode:
        """What a student gets."""
        return release.released(self.solved)
