"""Interactive boards and live curves.

Board(TapnSwap(), level="medium")          play
Watch(game, agents=(one, other), seed=1)   watch two agents, or a recorded game
LiveCurve("Q-learning", "games", "won")    training that draws itself
"""

from lib.boards.arcade import Arcade
from lib.boards.board import Board
from lib.boards.curve import LiveCurve
from lib.boards.explorer import Explorer
from lib.boards.watch import Watch

__all__ = ["Arcade", "Board", "Explorer", "LiveCurve", "Watch"]
