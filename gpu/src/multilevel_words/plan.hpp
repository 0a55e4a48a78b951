// What the kernels of a multilevel cycle in words are told: levels, words, where everything lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mantissa/gpu/peers.hpp"

namespace mantissa::gpu::cycle_words {

inline constexpr int kMostLevels = 16, kMostSteps = 4, kGuardOfHeld = 6, kProlongationPoint = 2;
/// Rows of a part's strip at least: a pass upwards begins so far below its tile, and reaches no further than the next
/// strip (up.cuh).
inline constexpr int kLeastStrip = 2 * kMostSteps + 4;
inline constexpr int kLanes = 32;
inline constexpr int kThreads = 512, kWarps = kThreads / kLanes;
inline constexpr int kRowsDown = 8;  ///< a power of two: rows on their way from memory, with the one at hand
inline constexpr int kHistory = 256; ///< cycles whose norms are kept

/// Rows on their way upwards: a lane of two neighbouring columns and one of four read equally far ahead.
constexpr int rows_up(int columns) {
    return 8 / columns;
}

constexpr int small_nodes(int n) {
    return (n + 1) * (n + 1);
}
/// Words of shared memory of the small levels: three grids each.
constexpr int small_words(int n) {
    return n < 2 ? 0 : 3 * small_nodes(n) + small_words(n / 2);
}

/// Lanes at a strip's sides that compute for their neighbours alone.
constexpr int halo_down(int steps, int columns) {
    return (steps + columns) / columns;
}
constexpr int halo_up(int steps, bool finest, int columns) {
    return (steps + (finest ? 1 : 0) + columns) / columns;
}

/// A pass's tiles: strips beside each other of chunks of rows. The device divides by `inverse`: its division of
/// integers is one of floating-point instructions.
struct Tiles {
    int rows = 0, chunks = 0, strips = 0;
    unsigned inverse = 0; ///< 2^32 / strips, rounded up; 0 for one strip
};

/// Where row 0 of a level's vectors is, or would be, and the tiles of the rows.
struct LevelPlace {
    Tiles down, up;
    void* found = nullptr;    ///< f
    void* entering = nullptr; ///< t of the level above; not on the finest
    void* leaving = nullptr;  ///< e; not on the finest
};

struct LevelPlan {
    int n = 0;                            ///< intervals a side; n + 1 nodes, the edge's are zero
    int pitch = 0;                        ///< elements from row to row; rows begin at node 0 and end with zeros
    int columns_down = 0, columns_up = 0; ///< of a lane, 2 or 4
    int w = 0, f = 0, e = 0, phi = 0;     ///< words, see multilevel/cycle.hpp
    LevelPlace place;                     ///< where there is one part
};

struct CyclePlan {
    int levels = 0;      ///< with the coarsest
    int first_small = 0; ///< from here on one block computes
    int shared = 0;      ///< levels of several parts; the first part computes the others alone
    int ring = 0;        ///< bytes of shared memory before the rings
    int before = 0, after = 0, guard = 0, most = 0; ///< most: N
    int weight[kMostSteps] = {}, weight_point[kMostSteps] = {};
    int weight_after[kMostSteps] = {}, weight_point_after[kMostSteps] = {};
    double real_weight[kMostSteps] = {}, real_weight_after[kMostSteps] = {}, real_inverse = 0;
    int inverse = 0, inverse_point = 0; ///< of the coarsest level
    int centre = 0, east_west = 0, north_south = 0, corner = 0;
    LevelPlan level[kMostLevels];
};

/// Where the largest words of a cycle are formed: bit by bit, OR of magnitudes.
struct Cells {
    unsigned long long entering[kMostLevels]; ///< of t
    unsigned long long leaving[kMostLevels];  ///< of e
    unsigned long long defect;                ///< of d after the cycle
    unsigned long long squares;               ///< of the stored defect
    int point;                                ///< of e of the first small level
};
inline constexpr int kCellSets = 3;

enum class Stop : int { converged, cycles, overflow };

struct Outcome {
    int stop = 0, cycles = 0, rebuilt = 0, point = 0;
    int stored[kHistory] = {};                 ///< places that a stored defect was shifted by
    unsigned long long squares[kHistory] = {}; ///< sum of (2 stored + 1)^2; of stored^2 4 where nothing was shifted
};

/// Where row 0 of the finest level's vectors is, or would be.
struct FinestPlace {
    void* u[2] = {};
    void* b = nullptr;
    void* d[2] = {}; ///< stored: floor(d / 2^p)
};
/// What a part counts, gathers and answers.
struct Tally {
    unsigned long long* barrier = nullptr; ///< of its blocks alone
    Cells* cells = nullptr;
    Outcome* outcome = nullptr;
    unsigned int* overflow = nullptr;
};

/// The loop around the cycles.
struct OuterPlan {
    FinestPlace place; ///< where there is one part, as is the next
    Tally tally;
    int stored_bits = 0, headroom = 0; ///< of a stored word without its sign; bits that a defect may grow by
    int length_b = 0;                  ///< bits of b's largest word
    int most_cycles = 0;
    bool raw = false; ///< u = e of the cycle, unshifted, for tests
    unsigned long long limit[64] =
        {}; ///< `squares` at which the loop ends, by the places of stored words and of their squares
    double real_limit = 0;
};

/// What all blocks of a part count in, for the barrier over all parts: part k's in counter k, a cache line each.
struct alignas(128) Arrivals {
    unsigned long long blocks;
};

/// One of several parts: a strip of rows of each shared level.
struct PartPlan {
    struct Level {
        int first = 0, end = 0;    ///< its rows: from `first` up to `end`, where others' end and begin
        LevelPlace own, beside[2]; ///< of the part before it, of the one after it (tiles are of `own` alone)
    } level[kMostLevels];
    FinestPlace own, beside[2];
    PeerView view;
    Tally tally[kMaxParts]; ///< of each part
    Arrivals* arrivals[kMaxParts] = {};
};

} // namespace mantissa::gpu::cycle_words
