// LU and Gauss-Jordan as Galoppo, Govindaraju, Henson and Manocha wrote them for graphics cards (SC 2005): unblocked,
// between two surfaces that change places in each pass. A baseline, with its memory traffic counted as the paper's
// Table 1 counts it: by fragment, before any cache (mantissa/lu/paper_ledger.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/lu/factor.hpp"
#include "mantissa/lu/paper_ledger.hpp"

namespace mantissa::gpu {

enum class PaperPivot : std::uint8_t { none, partial, full };

struct PaperOptions {
    PaperPivot pivot = PaperPivot::none;
    bool count = false;      ///< count the traffic (slower); else the ledger stays zero
    bool one_texel = false;  ///< all fetches from three fixed texels: the time of a run whose caches always hit. The
                             ///< result is of no use
    int multiprocessors = 0; ///< how many to use; 0: all
    int repeat = 1;          ///< runs, timed one by one; the result is the last one's
};

template <class T> struct PaperResult {
    LuEnd end = LuEnd::factored;
    std::size_t at = 0;                 ///< the step that found it
    std::vector<T> values;              ///< LU: n x n, by rows; Gauss-Jordan: n x sides
    std::vector<T> other;               ///< LU: the other surface. It holds the same (Lemma 4.1)
    std::vector<std::uint32_t> rows;    ///< row i of the factors is row rows[i] of A
    std::vector<std::uint32_t> columns; ///< column j of the factors is column columns[j] of A
    PaperLedger ledger{};
    std::vector<double> seconds;
};

/// P A Q = L U of a matrix of n x n, by rows. Of equal pivots the lowest column counts, then the lowest row. Throws
/// InvalidInput where a.size() is not n * n, DeviceError where the device fails or has too little memory.
template <class T> PaperResult<T> paper_lu(const std::vector<T>& a, std::size_t n, const PaperOptions& options = {});

/// X of A X = B, by Gauss-Jordan without pivoting, `b` of n x sides by rows. With b = [B I] the inverse follows X.
template <class T>
PaperResult<T> paper_gauss_jordan(const std::vector<T>& a, const std::vector<T>& b, std::size_t n, std::size_t sides,
                                  const PaperOptions& options = {});

} // namespace mantissa::gpu
