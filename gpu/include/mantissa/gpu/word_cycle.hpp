// Multilevel cycles in short words on the device, for constant nine-point stencils on grids of 2^n + 1 nodes a side,
// and a whole solve around them without a floating-point instruction: u, b and the defect are 64-bit integers. The
// cycle's bits are those of mantissa/multilevel/cycle.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::gpu {

class Peers;

/// A symmetric stencil in integers. The default is Poisson's equation by bilinear elements, times three.
struct WordStencil {
    int centre = 8, east_west = -1, north_south = -1, corner = -1;
};

enum class WordSolveEnd : std::uint8_t { converged, cycles, overflow };
std::string to_string(WordSolveEnd end);

struct WordSolveRequest {
    /// The defect's 2-norm over b's at which to end: formed from at least 14 bits of the largest word of the defect.
    double tolerance = 1e-10;
    int most_cycles = 100; ///< 1 to 1000000
};

struct WordSolveReport {
    WordSolveEnd end = WordSolveEnd::cycles;
    int cycles = 0;
    int rebuilt = 0;              ///< passes that formed the defect anew, the first one included
    double seconds = 0;           ///< on the device, the best of the repeats
    std::vector<double> residual; ///< relative, before each cycle and at the end
};

/// What a cycle found: c = words 2^-point, an element for each node by rows, the edge's zero.
struct WordCorrection {
    std::vector<std::int64_t> words;
    int point = 0;
};

class WordCycle {
public:
    /// Grids of 2^level + 1 nodes a side, level 3 to 14. Throws InvalidInput, one line, where the stencil is not its
    /// own coarse operator or its coefficients are too large, DeviceError without a device.
    WordCycle(int level, const WordStencil& stencil, const CycleSpec& spec);
    /// The same over several parts, with the same bits: a strip of rows each, coarse levels on the first part. Throws
    /// InvalidInput for more than most_parts().
    WordCycle(std::shared_ptr<Peers> over, int level, const WordStencil& stencil, const CycleSpec& spec);
    WordCycle(WordCycle&&) noexcept;
    WordCycle& operator=(WordCycle&&) noexcept;
    ~WordCycle();

    [[nodiscard]] static int most_parts(int level);
    [[nodiscard]] std::size_t nodes() const; ///< of the grid, the edge's included
    /// One cycle. |d| < 2^60. Not where the spec is in double.
    [[nodiscard]] WordCorrection correct(std::span<const std::int64_t> d);
    /// A u = b from u = 0, u and b integers of one binary point: u += c, rounded half up. Each repeat is a whole solve.
    /// u has nodes() elements, which are written; it may lie where b does.
    WordSolveReport solve(std::span<const std::int64_t> b, const WordSolveRequest& request, std::span<std::int64_t> u,
                          int repeats = 1);
    /// The same in double, for a spec in double.
    WordSolveReport solve(std::span<const double> b, const WordSolveRequest& request, std::span<double> u,
                          int repeats = 1);
    /// Bytes that a cycle must move, over the finest level's nodes: vectors read and written once.
    [[nodiscard]] double bytes_per_node() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace mantissa::gpu
