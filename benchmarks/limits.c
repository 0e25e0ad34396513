/* The limit: random legal moves in plain C. `limits GAME SECONDS REPEATS` prints one line of JSON:
   moves per CPU-second of each repeat, and how long a game is, which tells that the rules agree. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;

static u64 dice = 0x853c49e6748fea9bULL;
static volatile u64 sink; /* scores go here, so that the compiler may not leave them out */

static inline u64 roll(void) { /* SplitMix64 */
    u64 z = dice += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static inline int below(int n) { return (int)(((roll() >> 32) * (u64)n) >> 32); }

/* 2048: four bits a cell, rows through a table. */
static uint16_t slid[2][65536];
static int32_t gain[65536];

static void make_rows(void) {
    for (int row = 0; row < 65536; row++) {
        for (int right = 0; right < 2; right++) {
            int out[4] = {0}, n = 0, open = 0, earned = 0;
            for (int i = 0; i < 4; i++) {
                int tile = row >> 4 * (right ? 3 - i : i) & 15;
                if (!tile) continue;
                if (open && out[n - 1] == tile && tile < 15) earned += 2 << out[n - 1]++, open = 0;
                else out[n++] = tile, open = 1;
            }
            int moved = 0;
            for (int i = 0; i < 4; i++) moved |= out[i] << 4 * (right ? 3 - i : i);
            slid[right][row] = (uint16_t)moved, gain[row] = earned;
        }
    }
}

static inline u64 transpose(u64 b) {
    b = (b & 0xF0F00F0FF0F00F0FULL) | ((b & 0x0000F0F00000F0F0ULL) << 12) |
        ((b & 0x0F0F00000F0F0000ULL) >> 12);
    return (b & 0xFF00FF0000FF00FFULL) | ((b & 0x00000000FF00FF00ULL) << 24) |
           ((b & 0x00FF00FF00000000ULL) >> 24);
}

static inline u64 move2048(u64 b, int action, u64 *earned) {
    if (action < 2) b = transpose(b);
    const uint16_t *to = slid[action & 1];
    *earned = (u64)(gain[b & 65535] + gain[b >> 16 & 65535] + gain[b >> 32 & 65535] + gain[b >> 48]);
    b = (u64)to[b & 65535] | (u64)to[b >> 16 & 65535] << 16 | (u64)to[b >> 32 & 65535] << 32 |
        (u64)to[b >> 48] << 48;
    return action < 2 ? transpose(b) : b;
}

static inline u64 tile(u64 b) {
    u64 free = b | b >> 1;
    free = ~(free | free >> 2) & 0x1111111111111111ULL;
    for (int skip = below(__builtin_popcountll(free)); skip; skip--) free &= free - 1;
    return b | (free & -free) << (below(10) == 0);
}

static u64 game2048(void) {
    u64 board = tile(tile(0)), moves = 0, score = 0, earned = 0;
    for (;; moves++) {
        int order[4] = {0, 1, 2, 3}, left = 4;
        u64 after = board;
        while (left) {
            int pick = below(left);
            after = move2048(board, order[pick], &earned);
            if (after != board) break;
            order[pick] = order[--left];
        }
        if (!left) break;
        score += earned;
        board = tile(after);
    }
    sink = score;
    return moves;
}

/* Peg solitaire: 33 bits, 76 jumps. */
static u64 flips[76], before[76];

static void make_jumps(void) {
    int hole[7][7], holes = 0, n = 0, steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int r = 0; r < 7; r++)
        for (int c = 0; c < 7; c++)
            hole[r][c] = (r >= 2 && r <= 4) || (c >= 2 && c <= 4) ? holes++ : -1;
    for (int r = 0; r < 7; r++)
        for (int c = 0; c < 7; c++)
            for (int d = 0; d < 4 && hole[r][c] >= 0; d++) {
                int y = r + 2 * steps[d][0], x = c + 2 * steps[d][1];
                if (y < 0 || y > 6 || x < 0 || x > 6 || hole[y][x] < 0) continue;
                int over = hole[r + steps[d][0]][c + steps[d][1]];
                before[n] = 1ULL << hole[r][c] | 1ULL << over;
                flips[n] = before[n] | 1ULL << hole[y][x];
                n++;
            }
}

static u64 solitaire(void) {
    u64 board = ((1ULL << 33) - 1) ^ 1ULL << 16, moves = 0;
    for (;; moves++) {
        int legal[76], n = 0;
        for (int j = 0; j < 76; j++) {
            legal[n] = j;
            n += (board & flips[j]) == before[j];
        }
        if (!n) return moves;
        board ^= flips[legal[below(n)]];
    }
}

/* TapnSwap: two hands each, taps and swaps. */
static u64 tapnswap(void) {
    int own[2] = {1, 1}, other[2] = {1, 1};
    for (u64 moves = 0;; moves++) {
        int legal[12][4], n = 0;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (own[a] && other[b]) {
                    int sum = own[a] + other[b];
                    int next[4] = {own[0], own[1], other[0], other[1]};
                    next[2 + b] = sum >= 5 ? 0 : sum;
                    memcpy(legal[n++], next, sizeof next);
                }
        for (int a = 0; a < 2; a++)
            for (int k = 1; k <= own[a] && own[1 - a] + k <= 4; k++)
                if (own[a] - k != own[1 - a]) {
                    int next[4] = {own[0], own[1], other[0], other[1]};
                    next[a] -= k, next[1 - a] += k;
                    memcpy(legal[n++], next, sizeof next);
                }
        int *chosen = legal[below(n)];
        if (!chosen[2] && !chosen[3]) return moves + 1;
        other[0] = chosen[0], other[1] = chosen[1], own[0] = chosen[2], own[1] = chosen[3];
    }
}

/* Droids: 4 x 4 cells, 5 shots each, 50 rounds, both at once; a move is what one droid does. */
static u64 droids(void) {
    int row[2] = {2, 2}, col[2] = {0, 3}, shots[2] = {5, 5}, points[2] = {0, 0}, round = 0;
    static const int down[5] = {-1, 1, 0, 0, 0}, right[5] = {0, 0, -1, 1, 0};
    for (; round < 50 && shots[0] + shots[1]; round++) {
        int action[2], y[2], x[2], hit[2];
        for (int p = 0; p < 2; p++) {
            int legal[5], n = 0;
            for (int a = 0; a < 4; a++) {
                int r = row[p] + down[a], c = col[p] + right[a];
                legal[n] = a;
                n += r >= 0 && r < 4 && c >= 0 && c < 4;
            }
            if (shots[p]) legal[n++] = 4;
            action[p] = legal[below(n)];
            y[p] = row[p] + down[action[p]], x[p] = col[p] + right[action[p]];
        }
        int meet = y[0] == y[1] && x[0] == x[1];
        int swap = y[0] == row[1] && x[0] == col[1] && y[1] == row[0] && x[1] == col[0];
        if (!meet && !swap) row[0] = y[0], col[0] = x[0], row[1] = y[1], col[1] = x[1];
        int aligned = row[0] == row[1] || col[0] == col[1];
        for (int p = 0; p < 2; p++) shots[p] -= action[p] == 4, hit[p] = action[p] == 4 && aligned;
        points[0] += hit[0] > hit[1], points[1] += hit[1] > hit[0];
    }
    sink = (u64)(points[0] - points[1]);
    return (u64)(2 * round);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words) {
    static const char *names[] = {"2048", "solitaire", "tapnswap", "droids"};
    u64 (*const games[])(void) = {game2048, solitaire, tapnswap, droids};
    int which = 0;
    if (count != 4) return 2;
    while (which < 4 && strcmp(words[1], names[which])) which++;
    if (which == 4) return 2;
    double seconds = atof(words[2]);
    int repeats = atoi(words[3]);
    u64 all = 0, played = 0;
    make_rows();
    make_jumps();
    printf("{\"values\": [");
    for (int repeat = -1; repeat < repeats; repeat++) { /* the first one warms up */
        u64 moves = 0;
        double begun = now(), spent = 0;
        while ((spent = now() - begun) < seconds)
            for (int i = 0; i < 64; i++, played++) moves += games[which]();
        all += moves;
        if (repeat >= 0) printf("%s%.1f", repeat ? ", " : "", (double)moves / spent);
    }
    printf("], \"moves a game\": %.4f}\n", (double)all / (double)played);
    return 0;
}
