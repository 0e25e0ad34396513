"""The five games as Gymnasium and PettingZoo environments, registered when this module is imported.

import gymnasium, pettingzoo, lib.envs
gymnasium.make("five-games/2048-v0", log_rewards=True)
gymnasium.make("five-games/solitaire-v0", render_mode="rgb_array")
pettingzoo.make("aec", "five-games/tapnswap-v0")
pettingzoo.make("aec", "five-games/chopsticks-v0", rollover=True)
pettingzoo.make("parallel", "five-games/droids-v0", rows=5, cols=5)
"""

from typing import Any

import gymnasium
import pettingzoo

from lib.envs_pairs import DroidsEnv, FingerEnv
from lib.envs_single import Env2048, SolitaireEnv
from lib.games.chopsticks import Chopsticks
from lib.games.droids import Droids
from lib.games.tapnswap import TapnSwap

__all__ = ["DroidsEnv", "Env2048", "FingerEnv", "SolitaireEnv", "chopsticks", "droids", "tapnswap"]

SHARED = ("max_cycles", "render_mode")  # settings of the environment; the others are the game's


def tapnswap(**settings: Any) -> FingerEnv:
    """TapnSwap in turns."""
    return FingerEnv(TapnSwap(), **settings)


def chopsticks(**settings: Any) -> FingerEnv:
    """Chopsticks in turns; rule switches such as `rollover=True` are those of the game."""
    ours = {name: settings.pop(name) for name in SHARED if name in settings}
    return FingerEnv(Chopsticks(**settings), **ours)


def droids(render_mode: str | None = None, **settings: Any) -> DroidsEnv:
    """The droid battle in parallel; `rows`, `shots` and so on are those of the game."""
    return DroidsEnv(Droids(**settings), render_mode=render_mode)


def _register() -> None:
    """Once, also when the module is loaded again."""
    ours = "five-games"
    for name, cls in (("2048", "Env2048"), ("solitaire", "SolitaireEnv")):
        if f"{ours}/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"{ours}/{name}-v0", entry_point=f"lib.envs_single:{cls}")
    for name, maker in (("tapnswap", tapnswap), ("chopsticks", chopsticks)):
        if f"{ours}/{name}-v0" not in pettingzoo.aec_registry:
            pettingzoo.register("aec", f"{ours}/{name}-v0", maker)
    if f"{ours}/droids-v0" not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", f"{ours}/droids-v0", droids)


_register()
