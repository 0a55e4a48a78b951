// From numbers in double to a solver's words and back.
#include <cmath>
#include <utility>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/multilevel/words.hpp"

namespace mantissa::multilevel {

namespace {

/// VERDICT rounds the defect's words to 15 bits: a little inside, so that the true residual is inside as well.
constexpr double kInside = 0.999;

class WordCycleSolver final : public CycleSolver {
public:
    WordCycleSolver(const GridWords& grid, const CycleLoop& loop, std::unique_ptr<WordSolver> words)
        : row_length_(grid.row_length), factor_(grid.factor), point_(loop.iterate.fraction_bits),
          words_(std::move(words)) {
        words_->use(loop.threads);
    }

    CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                           std::vector<double>& u) override {
        CycleSolveReport report;
        std::vector<std::int64_t> right(b.size(), 0), words;
        double squares = 0;
        u.assign(b.size(), 0.0);
        const PowerOfTwo up(point_), down(-point_);
        const double most = std::ldexp(1.0, kMostLoadBits);
        for (std::size_t j = 1; j + 1 < row_length_; ++j)
            for (std::size_t i = j * row_length_ + 1; i < (j + 1) * row_length_ - 1; ++i) {
                const double word = std::floor(up(factor_ * b[i]) + 0.5);
                if (!(std::abs(word) < most)) {
                    report.end = CycleSolveEnd::overflow;
                    return report;
                }
                right[i] = static_cast<std::int64_t>(word);
                squares += word * word;
            }
        const double norm = std::sqrt(squares);
        const WordOutcome outcome =
            words_->solve(right, {word_tolerance(tolerance * kInside * norm), most_cycles}, words);
        for (std::size_t i = 0; i < words.size(); ++i) u[i] = down(static_cast<double>(words[i]));
        report.end = outcome.end;
        report.cycles = outcome.cycles;
        report.clocks = outcome.clocks;
        for (const WordVerdict& seen : outcome.history) report.history.push_back(norm > 0 ? seen.norm() / norm : 0);
        return report;
    }
    [[nodiscard]] bool trusted() const override { return words_->trusted(); }

private:
    std::size_t row_length_;
    double factor_;
    int point_;
    std::unique_ptr<WordSolver> words_;
};

} // namespace

std::unique_ptr<CycleSolver> make_cycle_solver(const GridWords& grid, const CycleLoop& loop,
                                               std::unique_ptr<WordSolver> words) {
    return std::make_unique<WordCycleSolver>(grid, loop, std::move(words));
}

} // namespace mantissa::multilevel
