// Solves in words on this processor (mantissa/multilevel/word_solve.hpp).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "../grid_cycle.hpp"
#include "../rows_cycle.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/word_rows.hpp"
#include "mantissa/multilevel/word_solve.hpp"

namespace mantissa::multilevel {

namespace {

using Exact = __int128;

std::uint64_t magnitude(Wide x) {
    return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

/// d as a double of 50 bits rounded to odd: a cycle's own rounding, which adds a half in double, then gives what it
/// would of d itself.
double to_odd(Wide d) {
    constexpr int kBits = 50;
    const std::uint64_t whole = magnitude(d);
    const int drop = std::max(0, bit_length(whole) - kBits);
    std::uint64_t kept = whole >> drop;
    if ((kept << drop) != whole) kept |= 1;
    const auto value = static_cast<double>(kept << drop); // (exact)
    return d < 0 ? -value : value;
}

/// floor(x) of a magnitude below 2^63. (std::floor() is a call where the processor may be an old one.)
Wide floor_of(double x) {
    const auto whole = static_cast<Wide>(x);
    return whole - (x < static_cast<double>(whole) ? 1 : 0);
}

class ProcessorSolver final : public WordSolver {
public:
    ProcessorSolver(const GridWords& grid, const CycleSpec& spec, MakeGridCycle make)
        : grid_(grid), spec_(spec), make_(std::move(make)) {
        grid_.factor = 1; // in words a cycle's correction is that of S
    }
    void use(int threads) override { threads_ = std::max(1, threads); }

    WordOutcome solve(std::span<const Wide> b, const WordRequest& request, std::vector<Wide>& u) override {
        const std::size_t n = grid_.row_length;
        const auto cycle = make_(grid_, spec_, threads_);
        u.assign(n * n, 0);
        d_.assign(n * n, 0);
        c_.assign(n * n, 0);
        defect_.assign(n * n, 0);
        correction_.assign(n * n, 0);
        for_inner([&](std::size_t i) { d_[i] = b[i]; });
        overflow_ = false;
        WordOutcome outcome;
        if (request.alone) {
            outcome.end = CycleSolveEnd::reached;
            if (bits_of_inner([&](std::size_t i) { return d_[i]; }) == 0) return outcome;
            add_correction(*cycle, u);
            outcome.cycles = 1;
            outcome.end = overflow_ ? CycleSolveEnd::overflow : CycleSolveEnd::limit;
            return outcome;
        }
        for (;;) {
            const WordVerdict seen = look();
            outcome.history.push_back(seen);
            outcome.end = CycleSolveEnd::overflow;
            if (overflow_) return outcome;
            outcome.end = CycleSolveEnd::reached;
            if (seen.length == 0 || seen.sum <= request.tolerance.limit(seen.length)) return outcome;
            outcome.end = CycleSolveEnd::limit;
            if (outcome.cycles == request.most_cycles) return outcome;
            take_away(add_correction(*cycle, u));
            ++outcome.cycles;
        }
    }

private:
    template <class Body> void for_inner(const Body& body) {
        const std::size_t n = grid_.row_length;
#pragma omp parallel for num_threads(threads_)
        for (std::size_t j = 1; j < n - 1; ++j)
            for (std::size_t i = j * n + 1; i < (j + 1) * n - 1; ++i) body(i);
    }
    /// The bits that word(i) has for any i.
    template <class Word> std::uint64_t bits_of_inner(const Word& word) {
        const std::size_t n = grid_.row_length;
        std::uint64_t all = 0;
#pragma omp parallel for num_threads(threads_) reduction(| : all)
        for (std::size_t j = 1; j < n - 1; ++j)
            for (std::size_t i = j * n + 1; i < (j + 1) * n - 1; ++i) all |= magnitude(word(i));
        return all;
    }
    /// VERDICT's x and s, and whether a word is too long.
    WordVerdict look() {
        const std::size_t n = grid_.row_length;
        std::uint64_t sum = 0;
        WordVerdict seen{bit_length(bits_of_inner([&](std::size_t i) { return d_[i]; })), 0};
        overflow_ = overflow_ || seen.length > kMostWordBits;
        if (overflow_) return seen;
        const int drop = seen.length - kVerdictBits;
#pragma omp parallel for num_threads(threads_) reduction(+ : sum)
        for (std::size_t j = 1; j < n - 1; ++j)
            for (std::size_t i = j * n + 1; i < (j + 1) * n - 1; ++i) {
                const Wide word = half(d_[i], drop);
                sum += static_cast<std::uint64_t>(word * word);
            }
        seen.sum = sum;
        return seen;
    }
    /// c of D, and U += c. Returns the bits that words of c have.
    std::uint64_t add_correction(Cycle& cycle, std::vector<Wide>& u) {
        for_inner([&](std::size_t i) { defect_[i] = to_odd(d_[i]); });
        cycle.correct(defect_, correction_);
        const double most = std::ldexp(1.0, kMostWordBits);
        std::atomic<bool> over = false;
        const std::uint64_t bits = bits_of_inner([&](std::size_t i) {
            // (Exact: a correction has at most 27 significant bits.)
            const double c = correction_[i] + 0.5;
            const bool fits = std::abs(c) < most;
            c_[i] = fits ? floor_of(c) : 0;
            u[i] += c_[i]; // (both below 2^62 in magnitude)
            if (!fits || !small(u[i])) over = true;
            return c_[i];
        });
        overflow_ = overflow_ || over;
        return bits;
    }
    /// D -= S c, of words of c of so many bits: sums of 64 bits hold D - S c where they are short enough, as they are
    /// once D is.
    void take_away(std::uint64_t bits) {
        const bool wide = bit_length(bits) + ceil_log2(grid_row_sum(grid_)) <= kMostWordBits;
        if (wide ? take_away_in<Wide>() : take_away_in<Exact>()) overflow_ = true;
    }
    /// In sums of type Sum. True where a word becomes too long.
    template <class Sum> bool take_away_in() {
        const auto row = static_cast<std::ptrdiff_t>(grid_.row_length);
        std::atomic<bool> over = false;
        for_inner([&](std::size_t i) {
            const Wide* const c = c_.data() + i;
            const auto at = [&](std::ptrdiff_t offset) { return Sum{c[offset]}; };
            const Sum rest =
                d_[i] - (grid_.centre * at(0) + grid_.east * (at(-1) + at(1)) + grid_.north * (at(-row) + at(row)) +
                         grid_.corner * (at(-row - 1) + at(-row + 1) + at(row - 1) + at(row + 1)));
            d_[i] = static_cast<Wide>(rest);
            if (rest != d_[i] || !small(d_[i])) over = true;
        });
        return over;
    }
    static bool small(Wide word) {
        return word < (Wide{1} << kMostWordBits) && word > -(Wide{1} << kMostWordBits);
    }

    GridWords grid_;
    CycleSpec spec_;
    MakeGridCycle make_;
    int threads_ = 1;
    bool overflow_ = false;
    std::vector<Wide> d_, c_;
    std::vector<double> defect_, correction_;
};

} // namespace

std::unique_ptr<WordSolver> make_word_solver(const GridWords& grid, const CycleSpec& spec) {
    return make_word_solver(grid, spec, make_grid_cycle);
}

std::unique_ptr<WordSolver> make_word_solver(const GridWords& grid, const CycleSpec& spec, MakeGridCycle make) {
    return std::make_unique<ProcessorSolver>(grid, spec, std::move(make));
}

std::unique_ptr<WordSolver> make_reference_word_solver(const GridWords& grid, const CycleSpec& spec) {
    return make_word_solver(grid, spec,
                            [](const GridWords& words, const CycleSpec& given, int) -> std::unique_ptr<Cycle> {
                                return make_reference_cycle(word_hierarchy(words, given));
                            });
}

} // namespace mantissa::multilevel
