"""pgx's 2048 (JAX): `pgx_2048.py EFFORT BATCH`; random legal moves, games that end start again."""

import os
import sys

import jax
import jax.numpy as jnp
import pgx

from benchmarks.measure import rates, tell, told_effort

STEPS, BATCH = 64, int(sys.argv[2])
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
env = pgx.make("2048")
start, step = jax.vmap(env.init), jax.vmap(env.step)


def turn(carry, _):  # type: ignore[no-untyped-def]
    """One move on every board."""
    state, fresh, key = carry
    key, choose, appear = jax.random.split(key, 3)
    logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
    action = jax.random.categorical(choose, logits, axis=1)
    after = step(state, action, jax.random.split(appear, BATCH))
    ended = after.terminated

    def pick(new, old):  # type: ignore[no-untyped-def]
        return jnp.where(ended.reshape((BATCH,) + (1,) * (old.ndim - 1)), new, old)

    return (jax.tree_util.tree_map(pick, fresh, after), fresh, key), None


# New games start from boards that were made beforehand: making some at every step halves the speed.
play = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length=STEPS)[0])
boards = [start(jax.random.split(jax.random.PRNGKey(seed), BATCH)) for seed in (0, 1)]
carry = (*boards, jax.random.PRNGKey(2))


def some_moves() -> int:
    """So many moves on every board."""
    global carry
    carry = jax.block_until_ready(play(carry))
    return STEPS * BATCH


tell(values=rates(some_moves, told_effort()))
