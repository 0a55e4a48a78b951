// A cycle alone, of a solver in words, for loops of the host that are in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/multilevel/words.hpp"

namespace mantissa::multilevel {

namespace {

constexpr int kMostFaults = 3; ///< one after the other: no upset does that, they are rare

class CycleOfWords final : public Cycle {
public:
    CycleOfWords(const GridWords& grid, const CycleSpec& spec, std::unique_ptr<WordSolver> words)
        : row_length_(grid.row_length), factor_(grid.factor), words_(std::move(words)),
          right_(row_length_ * row_length_, 0) {
        const GridLevelPlan finest = grid_plan(grid, spec).level.front();
        w_ = finest.w;
        // The point of e is phi at most, so no bit of it is lost below the words of c; above them it has all the room
        // that there is.
        point_ = std::max(0, finest.phi);
    }

    /// The host makes r, as the definition says. The longest word of r 2^s has W - 1 + s bits, so the machine's r is
    /// that r again, and its c is e 2^(s - point of e).
    void correct(std::span<const double> d, std::span<double> c) override {
        double largest = 0;
        for_inner([&](std::size_t i) { largest = std::max(largest, std::abs(d[i])); });
        std::fill(c.begin(), c.end(), 0.0);
        if (largest == 0) return;
        const int point = w_ - 1 - exponent_of(largest);
        const PowerOfTwo up(point), down(-point_ - point);
        for_inner([&](std::size_t i) {
            right_[i] = cut(static_cast<Wide>(std::floor(up(d[i]) + 0.5)), w_) * (Wide{1} << point_);
        });
        if (!corrected()) return std::fill(c.begin(), c.end(), std::numeric_limits<double>::quiet_NaN());
        for_inner([&](std::size_t i) { c[i] = down(static_cast<double>(words_of_c_[i])) * factor_; });
    }
    [[nodiscard]] std::string description() const override {
        const int levels = ceil_log2(static_cast<double>(row_length_ - 1));
        return fmt::format("{} levels, the coarsest of 1 unknown", levels);
    }
    [[nodiscard]] std::optional<std::uint64_t> clocks() const override { return clocks_; }

private:
    template <class Body> void for_inner(const Body& body) const {
        for (std::size_t j = 1; j + 1 < row_length_; ++j)
            for (std::size_t i = j * row_length_ + 1; i < (j + 1) * row_length_ - 1; ++i) body(i);
    }
    bool corrected() {
        for (int faults = 0; faults < kMostFaults; ++faults) {
            const WordOutcome outcome =
                words_->solve(right_, {.tolerance = {}, .most_cycles = 1, .alone = true}, words_of_c_);
            if (outcome.clocks) clocks_ = clocks_.value_or(0) + *outcome.clocks;
            if (outcome.end != CycleSolveEnd::fault) return outcome.end != CycleSolveEnd::overflow;
        }
        return false;
    }

    std::size_t row_length_;
    double factor_;
    int w_ = 0, point_ = 0;
    std::unique_ptr<WordSolver> words_;
    std::vector<Wide> right_, words_of_c_;
    std::optional<std::uint64_t> clocks_;
};

} // namespace

std::unique_ptr<Cycle> make_cycle_of_words(const GridWords& grid, const CycleSpec& spec,
                                           std::unique_ptr<WordSolver> words) {
    return std::make_unique<CycleOfWords>(grid, spec, std::move(words));
}

} // namespace mantissa::multilevel
