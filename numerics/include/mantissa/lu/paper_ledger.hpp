// What the unblocked LU and Gauss-Jordan of Galoppo, Govindaraju, Henson and Manocha (SC 2005) move and compute: their
// Tables 1 and 2. An element that a pass writes is a fragment; its program fetches words and writes one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mantissa {

/// The passes of the paper's algorithms.
enum class PaperPass : std::uint8_t {
    copy_row,  ///< LU: row k to the target surface
    normalize, ///< LU: column k divided by the pivot; Gauss-Jordan: row k
    copy_back, ///< what was normalised, to the source surface
    eliminate, ///< LU: the rank-1 update; Gauss-Jordan: column k out of all rows
    search,    ///< the pivot; not in Table 1
    exchange   ///< rows and columns changing places, to the target and back; not in Table 1
};
inline constexpr std::size_t kPaperPasses = 6;

constexpr std::string_view to_string(PaperPass pass) {
    constexpr std::string_view kNames[] = {"copy", "normalization", "copyback", "elimination", "search", "exchange"};
    return kNames[static_cast<std::size_t>(pass)];
}

/// What a pass does in a whole run.
struct PaperCount {
    std::uint64_t fragments = 0; ///< elements written; by the search none
    std::uint64_t bytes = 0;     ///< fetched and written
    std::uint64_t divisions = 0, mads = 0;
    bool operator==(const PaperCount&) const = default;
};
using PaperLedger = std::array<PaperCount, kPaperPasses>; ///< by PaperPass

constexpr const PaperCount& count_of(const PaperLedger& ledger, PaperPass pass) {
    return ledger[static_cast<std::size_t>(pass)];
}

/// LU of n x n words of `word` bytes, without pivoting.
constexpr PaperLedger paper_lu_ledger(std::uint64_t n, std::uint64_t word = 4) {
    const std::uint64_t line = n * (n + 1) / 2, square = n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
    PaperLedger l{};
    l[static_cast<std::size_t>(PaperPass::copy_row)] = {line, 2 * word * line, 0, 0};
    l[static_cast<std::size_t>(PaperPass::normalize)] = {line, 3 * word * line, line, 0};
    l[static_cast<std::size_t>(PaperPass::copy_back)] = {line, 2 * word * line, 0, 0};
    l[static_cast<std::size_t>(PaperPass::eliminate)] = {square, 4 * word * square, 0, square};
    return l;
}

/// Gauss-Jordan with `sides` right-hand sides, the paper's with one. Its eliminations are n times the fragments that
/// Table 1 prints; the bytes there and Table 2 have the factor.
constexpr PaperLedger paper_gauss_jordan_ledger(std::uint64_t n, std::uint64_t sides = 1, std::uint64_t word = 4) {
    const std::uint64_t line = n == 0 ? 0 : n * (n - 1) / 2 + n * sides, square = n * line;
    PaperLedger l{};
    l[static_cast<std::size_t>(PaperPass::normalize)] = {line, 3 * word * line, line, 0};
    l[static_cast<std::size_t>(PaperPass::copy_back)] = {line, 2 * word * line, 0, 0};
    l[static_cast<std::size_t>(PaperPass::eliminate)] = {square, 4 * word * square, 0, square};
    return l;
}

constexpr PaperCount paper_total(const PaperLedger& ledger) {
    PaperCount t;
    for (const PaperCount& c : ledger) {
        t.fragments += c.fragments;
        t.bytes += c.bytes;
        t.divisions += c.divisions;
        t.mads += c.mads;
    }
    return t;
}

} // namespace mantissa
