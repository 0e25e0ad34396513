"""The one command of the course: `python3 course.py lab` sets everything up and opens the lessons.

This file must parse on any Python, so that one that is too old can say so: no function, no
f-string, no annotation. The commands are in lib/cli; `python3 course.py --help` lists them.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "The course needs Python 3.11, 3.12, 3.13 or 3.14; this is %d.%d (%s).\n"
        "Install a newer Python (python.org, or your system's packages), then start the course\n"
        "with it: python3.13 course.py lab"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from lib.cli.main import main

    sys.exit(main(sys.argv[1:]))
