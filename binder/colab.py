"""The lessons in Colab, where each notebook runs on a machine of its own and none is opened there.

    python binder/colab.py       in the course's folder on Google Drive: binder/colab.ipynb calls it

The copies in work/ get one cell more, at their top: it brings their machine to the course. The
lessons that everyone else gets stay without.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LACKING = ("anywidget", "gymnasium", "nbval", "pettingzoo")  # what Colab itself does not have
ID = "colab"
CELL = f"""\
try:  # In Colab this finds the course on your Google Drive; elsewhere it does nothing.
    from google.colab import drive, output
except ImportError:
    pass
else:
    import runpy

    drive.mount("/content/drive")
    output.enable_custom_widget_manager()
    runpy.run_path("/content/drive/MyDrive/{ROOT.name}/binder/colab.py")["connect"]()
"""


def connect() -> None:
    """Bring this machine to the course: the packages that it lacks, and the folder."""
    missing = [name for name in LACKING if find_spec(name) is None]
    if missing:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", *missing], check=True)
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT / "work")


def lay_out(notebooks: Path, work: Path) -> None:
    """Copy the lessons as `course.py lab` does, each with the cell."""
    from lib.grading import cells
    from lib.grading.handout import hand_out
    from nbformat.v4 import new_code_cell

    hand_out(notebooks, work)
    for path in (work / released.name for released in notebooks.glob("*.ipynb")):
        lesson = cells.read(path)
        if all(cell["id"] != ID for cell in lesson.cells):
            lesson.cells.insert(0, new_code_cell(CELL, id=ID))
            cells.write(path, lesson)


if __name__ == "__main__":
    (ROOT / "work").mkdir(exist_ok=True)
    connect()
    lay_out(ROOT / "notebooks", ROOT / "work")
