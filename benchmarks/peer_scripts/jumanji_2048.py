"""jumanji's 2048 (JAX): `jumanji_2048.py EFFORT BATCH`; random legal moves, AutoReset included."""

import os
import sys

import jax
import jax.numpy as jnp
import jumanji
from jumanji.wrappers import VmapAutoResetWrapper

from benchmarks.measure import rates, tell, told_effort

STEPS, BATCH = 64, int(sys.argv[2])
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
env = VmapAutoResetWrapper(jumanji.make("Game2048-v1"))


def turn(carry, _):  # type: ignore[no-untyped-def]
    """One move on every board."""
    state, mask, key = carry
    key, choose = jax.random.split(key)
    action = jax.random.categorical(choose, jnp.where(mask, 0.0, -jnp.inf), axis=1)
    state, timestep = env.step(state, action)
    return (state, timestep.observation.action_mask, key), None


play = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length=STEPS)[0])
state, timestep = env.reset(jax.random.split(jax.random.PRNGKey(0), BATCH))
carry = (state, timestep.observation.action_mask, jax.random.PRNGKey(1))


def some_moves() -> int:
    """So many moves on every board."""
    global carry
    carry = jax.block_until_ready(play(carry))
    return STEPS * BATCH


tell(values=rates(some_moves, told_effort()))
