// What the sparse kernel is given for each part, and what it leaves.
#pragma once

#include <cstdint>

#include "layout.hpp"
#include "mantissa/gpu/cg_end.hpp"
#include "mantissa/gpu/peers.hpp"

namespace mantissa::gpu {

struct SolveWindow; // cg_control.cuh

inline constexpr int kSparseSums = 4;                ///< rho, rr, pq, qq
inline constexpr int kSparseWords = 2 * kSparseSums; ///< each in two integers
inline constexpr int kSumPieces = 3 * kSparseSums;   ///< words that a part's blocks add to: three for each sum
inline constexpr int kPartedWarps = 16;              ///< of a block
inline constexpr int kMaxStages = 8;                 ///< chunks that a warp has in shared memory

/// Where an iteration's time goes, as a block's first warp sees it. `warps`: it waits for the block's other warps,
/// which are still at their rows; `reduction`: for the sums, and so for the slowest block.
enum class SparsePhase : std::uint8_t { update, meet, product, ghosts, warps, reduction, count };
inline constexpr int kSparsePhases = static_cast<int>(SparsePhase::count);

/// Clocks of one block over a solve.
struct BlockClocks {
    unsigned long long phase[kSparsePhases];
    unsigned long long product[kPartedWarps]; ///< of each warp, its waits for other parts among them
};

struct PartedStatus {
    double rr, rho;
    std::uint32_t iterations, guards;
    CgEnd end;
    std::uint32_t ended;            ///< 0: a wait ended without what it waited for
    unsigned long long nanoseconds; ///< from the end of the first reduction to that of the last
    unsigned long long all;         ///< from the kernel's begin
};

template <class T> struct SparsePart {
    PeerView view;
    const unsigned char* stream;
    const std::uint64_t* warp_offset;
    const uint2* warp_steps;
    const std::uint32_t *block_row, *block_send;
    const SparseSend* send;
    T *x, *r, *p, *q;
    const T* inverse;
    T* ghosts[kMaxParts];                 ///< each part's vector p
    unsigned long long* words[kMaxParts]; ///< each part's sums: of two rounds, [kMaxParts][kSumPieces] each
    unsigned long long* met;
    std::uint32_t sends_to, receives_from;
    std::uint32_t narrow[2];
    std::uint32_t stages, stage_bytes;
    std::uint32_t kept; ///< of 256 chunks so many stay in the second-level cache
    double goal;
    std::uint32_t limit;
    int exponent[kSparseSums];
    long long terms;
    unsigned long long round;
    SolveWindow* window; ///< part 0's; null: nobody looks
    PartedStatus* status;
    BlockClocks* clocks; ///< one for each block
};

template <class T> using SparseKernel = void (*)(const SparsePart<T>*);
template <class T> SparseKernel<T> sparse_part_kernel(bool jacobi);

} // namespace mantissa::gpu
