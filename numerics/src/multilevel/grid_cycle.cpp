// Down, each level is one sweep over its rows, as hardware has it: a row of r enters, each smoothing step trails the
// one before by a row, and rows of the next level's t leave. Threads take strips of rows and form the few rows at their
// borders twice.
#include "grid_cycle.hpp"

#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "../isa/cycle_rows.hpp"

namespace mantissa::multilevel {

namespace {

using detail::CycleRowKernels, detail::HalfShift, detail::RestShifts;

constexpr std::size_t kStrip = 32;            ///< coarse rows that a thread takes at a time
constexpr std::size_t kSideWorthThreads = 65; ///< nodes a side from which threads pay

/// Do 32 bits hold everything that a level forms? (multilevel/cycle.hpp, term by term.)
bool fits_32(const LevelWords& b, int row_sum_log2) {
    const int moves = std::max(0, b.phi - b.guard), rises = std::max(0, b.guard - b.phi);
    bool fits = b.h + 8 <= 31 && b.h - 1 + moves <= 29 && b.w - 1 + b.phi <= 29 &&
                b.f - 1 + row_sum_log2 + rises <= 29 && b.n + row_sum_log2 <= 30;
    for (const Weight& weight : b.after) fits = fits && b.phi <= weight.shift + b.guard;
    return fits;
}

template <class S> constexpr int kBits = std::numeric_limits<S>::digits + 1;
template <class S> S most_of(int bits) {
    return static_cast<S>((Wide{1} << (bits - 1)) - 1);
}

template <class S> struct GridLevel {
    std::size_t n = 0; ///< nodes a side
    Strip own;         ///< rows that are worked on, the edges among them
    Strip kept;        ///< of the vectors: these and what neighbours send
    LevelWords words;
    /// Rows inside the grid.
    [[nodiscard]] std::size_t first() const { return std::max<std::size_t>(1, own.first); }
    [[nodiscard]] std::size_t end() const { return std::min(n - 1, own.end); }
    /// Where a row is in the vectors.
    [[nodiscard]] std::size_t at(std::size_t row) const { return (row - kept.first) * n; }
    std::vector<std::int16_t> r; ///< as it entered
    std::vector<S> t, f, e, other;
    std::vector<std::int32_t> v; ///< e, shortened
};

/// Rows that pass by: index j modulo their number.
template <class S> class RowRing {
public:
    RowRing(std::size_t rows, std::size_t n) : rows_(rows), n_(n), data_(rows * n, 0) {}
    S* operator[](std::size_t j) { return data_.data() + (j % rows_) * n_; }

private:
    std::size_t rows_, n_;
    std::vector<S> data_;
};

/// The rounding of r - A x with r of point q, x of point `point`.
template <class S> RestShifts rest_shifts(const LevelWords& b, int q, int point) {
    const int common = std::max(q, point), room = kBits<S> - 4 - b.guard;
    RestShifts shifts;
    shifts.r_left = common - q;
    shifts.x_left = std::min(common - point, room);
    // Beyond this the difference is cut anyway; and what is not must not leave S.
    shifts.x_most = point < 0 ? Wide{1} << (room - shifts.x_left) : std::numeric_limits<S>::max();
    shifts.down = HalfShift(common - b.guard, kBits<S>);
    shifts.most = most_of<Wide>(b.h);
    return shifts;
}

/// One strip on its way down: rows of the smoothing steps, three of each one after another.
template <class S> class Descent {
public:
    Descent(GridLevel<S>& level, const detail::RowStencil& stencil, const CycleRowKernels<S>& kernels)
        : level_(level), stencil_(stencil), kernels_(kernels), n_(level.n), f_(kMostSmoothing + 2, n_), sums_(n_) {
        const LevelWords& b = level.words;
        for (std::size_t k = 0; k < b.before.size(); ++k) {
            r_.emplace_back(3, n_);
            g_.emplace_back(3, n_);
            const int q = k == 0 ? 0 : b.guard;
            step_.push_back({HalfShift(b.before[k].shift + q - b.phi, kBits<S>), rest_shifts<S>(b, q, b.phi)});
        }
        r_.emplace_back(3, n_);
    }

    /// Rows first to end - 1 of the next level's t. Returns the largest magnitude.
    S run(std::size_t first, std::size_t end, GridLevel<S>& next) {
        const std::size_t steps = step_.size();
        const auto halo = static_cast<std::ptrdiff_t>(steps);
        const auto from = static_cast<std::ptrdiff_t>(2 * first) - 1 - halo;
        const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(2 * (end - 1)) + 1 + halo;
        // Rows of f are this strip's from its first coarse row's to the one before the next strip's.
        own_first_ = static_cast<std::ptrdiff_t>(2 * first) - (first == 1 ? 1 : 0);
        own_end_ = static_cast<std::ptrdiff_t>(2 * end);
        S largest = 0;
        for (std::ptrdiff_t j = from; j <= to; ++j) {
            load(j);
            for (std::size_t k = 0; k < steps; ++k) {
                const std::ptrdiff_t at = j - static_cast<std::ptrdiff_t>(k);
                if (at < from) break;
                find(k, at);
                if (at - 1 >= from) rest(k, at - 1, at - 2 < from);
            }
            const std::ptrdiff_t done = j - halo; // the row of the last r
            if (done >= static_cast<std::ptrdiff_t>(2 * first) + 1 && done % 2 != 0) {
                const auto row = static_cast<std::size_t>(done) / 2;
                const S* const here = r_[steps][static_cast<std::size_t>(done - 1)];
                largest = std::max(largest, kernels_.restrict_rows(r_[steps][static_cast<std::size_t>(done - 2)], here,
                                                                   r_[steps][static_cast<std::size_t>(done)],
                                                                   sums_.data(), next.t.data() + next.at(row), n_));
            }
        }
        return largest;
    }

private:
    [[nodiscard]] bool inside(std::ptrdiff_t j) const { return j > 0 && j + 1 < static_cast<std::ptrdiff_t>(n_); }
    /// Rows are numbered from a bit below zero; rings count from there.
    static std::size_t ring(std::ptrdiff_t j) { return static_cast<std::size_t>(j); }

    void load(std::ptrdiff_t j) {
        if (!inside(j)) return;
        kernels_.widen(level_.r.data() + level_.at(static_cast<std::size_t>(j)), r_[0][ring(j)], n_);
    }
    void find(std::size_t k, std::ptrdiff_t j) {
        S* const g = g_[k][ring(j + 3)];
        if (!inside(j)) {
            std::fill_n(g, n_, S{0});
            return;
        }
        const LevelWords& b = level_.words;
        S* const f = f_[ring(j)];
        kernels_.find(r_[k][ring(j)], b.before[k].significand, step_[k].found, most_of<S>(b.f), k == 0, g, f, n_);
        if (k + 1 == step_.size() && j >= own_first_ && j < own_end_)
            std::copy_n(f, n_, level_.f.data() + level_.at(static_cast<std::size_t>(j)));
    }
    /// Row j of what is left after step k. At the strip's first row the row before is not known, nor wanted.
    void rest(std::size_t k, std::ptrdiff_t j, bool first) {
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(n_)) return;
        S* const out = r_[k + 1][ring(j)];
        if (!inside(j) || first) {
            std::fill_n(out, n_, S{0});
            return;
        }
        kernels_.rest(r_[k][ring(j)], g_[k][ring(j + 2)], g_[k][ring(j + 3)], g_[k][ring(j + 4)], stencil_,
                      step_[k].left, out, n_);
    }

    struct Step {
        HalfShift found;
        RestShifts left;
    };
    GridLevel<S>& level_;
    const detail::RowStencil& stencil_;
    const CycleRowKernels<S>& kernels_;
    std::size_t n_;
    std::vector<RowRing<S>> r_, g_;
    RowRing<S> f_;
    std::vector<S> sums_;
    std::vector<Step> step_;
    std::ptrdiff_t own_first_ = 0, own_end_ = 0;
};

template <class S> class GridCycle final : public Cycle {
public:
    GridCycle(const GridWords& grid, const CycleSpec& spec, int threads, std::unique_ptr<GridLinks> links)
        : grid_(grid), links_(std::move(links)), stencil_{grid.centre, grid.east, grid.north, grid.corner},
          kernels_(detail::best_cycle_rows<S>()), threads_(std::max(1, threads)) {
        inverse_ = inverse_words({1.0 / grid.centre}, inverse_point_).front();
        for (std::size_t l = 0, n = grid.row_length; l < grid.levels(); ++l, n = (n + 1) / 2) {
            GridLevel<S>& level = level_.emplace_back();
            level.n = n;
            level.own = level.kept = {0, n};
            if (shared(l)) {
                level.own = links_->own(l);
                level.kept = {level.own.first - std::min(level.own.first, GridLinks::kMostHalo),
                              std::min(n, level.own.end + GridLinks::kMostHalo)};
            }
            level.words = grid_level_words(grid, spec, l);
            const std::size_t size = (level.kept.end - level.kept.first) * n;
            level.r.assign(size, 0);
            if (l != 0) {
                level.t.assign(size, 0);
                level.v.assign(size, 0);
            }
            if (n == 3) break;
            level.f.assign(size, 0);
            level.e.assign(size, 0);
            if (spec.after != 0) level.other.assign(size, 0);
        }
    }

    void correct(std::span<const double> d, std::span<double> c) override {
        GridLevel<S>& top = level_.front();
        const std::size_t n = top.n, rows = top.own.end - top.own.first;
        double largest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : largest) if (n >= kSideWorthThreads)
        for (std::size_t j = 0; j < rows; ++j)
            for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(d[j * n + i]));
        if (links_) largest = links_->largest_magnitude(largest);
        if (largest == 0) {
            std::fill(c.begin(), c.end(), 0.0);
            return;
        }
        const int w = top.words.w, point = w - 1 - exponent_of(largest);
        const double most = static_cast<double>(most_of<Wide>(w));
        const PowerOfTwo up(point);
#pragma omp parallel for num_threads(threads_) if (n >= kSideWorthThreads)
        for (std::size_t j = top.first(); j < top.end(); ++j) {
            const double* const from = d.data() + (j - top.own.first) * n;
            std::int16_t* const r = top.r.data() + top.at(j);
            for (std::size_t i = 1; i < n - 1; ++i)
                r[i] = static_cast<std::int16_t>(std::clamp(std::floor(up(from[i]) + 0.5), -most, most));
        }
        const int e_point = solve(0) + point;
        const PowerOfTwo down(-e_point);
#pragma omp parallel for num_threads(threads_) if (n >= kSideWorthThreads)
        for (std::size_t j = 0; j < rows; ++j) {
            const S* const e = top.e.data() + top.at(top.own.first + j);
            for (std::size_t i = 0; i < n; ++i) c[j * n + i] = down(static_cast<double>(e[i])) * grid_.factor;
        }
    }

    [[nodiscard]] std::string description() const override {
        return fmt::format("{} levels of a grid, {} to 3 nodes a side, in {}-bit sums", level_.size(), grid_.row_length,
                           kBits<S>);
    }

private:
    [[nodiscard]] bool shared(std::size_t level) const {
        return links_ && level < links_->shared();
    }
    template <class T> [[nodiscard]] T over_parts(std::size_t level, T largest) const {
        return shared(level) ? static_cast<T>(links_->largest(largest)) : largest;
    }

    /// From r of a level to its e; the point of e. Not for the coarsest.
    int solve(std::size_t at) {
        GridLevel<S>& l = level_[at];
        GridLevel<S>& next = level_[at + 1];
        const LevelWords& b = l.words;
        const bool brought = shared(at) && !shared(at + 1);
        const Strip own = brought ? links_->own(at + 1) : next.own;
        const std::size_t begin = std::max<std::size_t>(1, own.first), last = std::min(next.n - 1, own.end),
                          strips = (last - begin + kStrip - 1) / kStrip;
        if (shared(at)) links_->residual(at, l.r);
        S largest = 0;
#pragma omp parallel num_threads(threads_) if (l.n >= kSideWorthThreads)
        {
            Descent<S> descent(l, stencil_, kernels_);
#pragma omp for schedule(dynamic) reduction(max : largest)
            for (std::size_t k = 0; k < strips; ++k) {
                const std::size_t first = begin + k * kStrip, end = std::min(last, first + kStrip);
                largest = std::max(largest, descent.run(first, end, next));
            }
        }
        largest = over_parts(at, largest);
        if (brought) links_->bring(next.t);
        const int y = bit_length(static_cast<std::uint64_t>(largest));
        int j = 0, length_of_v = 0;
        if (y == 0) std::fill(next.v.begin(), next.v.end(), 0);
        else {
            enter(next, y);
            length_of_v = below(at + 1, j);
            j += b.guard + b.pc + next.words.w - 1 - y;
        }
        return rise(at, b.point_of_e(length_of_v, j), j);
    }

    void enter(GridLevel<S>& l, int y) {
        const HalfShift s(y - (l.words.w - 1), kBits<S>);
#pragma omp parallel for num_threads(threads_) if (l.n >= kSideWorthThreads)
        for (std::size_t row = l.first(); row < l.end(); ++row)
            kernels_.enter(l.t.data() + l.at(row), s, most_of<S>(l.words.w), l.r.data() + l.at(row), l.n);
    }

    /// v of level `at`, its point, and its length.
    int below(std::size_t at, int& point) {
        GridLevel<S>& l = level_[at];
        const int e_bits = l.words.e;
        if (at + 1 == level_.size()) {
            const Wide e = Wide{inverse_} * l.r[4];
            const int n = std::max(0, length(std::span(&e, 1)) - (e_bits - 1));
            const Wide v = cut(half(e, n), e_bits);
            l.v[4] = static_cast<std::int32_t>(v);
            point = inverse_point_ - n;
            return length(std::span(&v, 1));
        }
        point = solve(at);
        S largest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : largest) if (l.n >= kSideWorthThreads)
        for (std::size_t row = l.first(); row < l.end(); ++row)
            largest = std::max(largest, kernels_.largest(l.e.data() + l.at(row), l.n));
        largest = over_parts(at, largest);
        const int n = std::max(0, bit_length(static_cast<std::uint64_t>(largest)) - (e_bits - 1));
        const HalfShift s(n, kBits<S>);
        // Halves are rounded up: the longest word of v is not always that of e.
        std::int32_t longest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : longest) if (l.n >= kSideWorthThreads)
        for (std::size_t row = l.first(); row < l.end(); ++row)
            longest = std::max(
                longest, kernels_.shorten(l.e.data() + l.at(row), s, most_of<S>(e_bits), l.v.data() + l.at(row), l.n));
        longest = over_parts(at, longest);
        point -= n;
        return bit_length(static_cast<std::uint64_t>(longest));
    }

    int rise(std::size_t at, int i, int j) {
        GridLevel<S>&l = level_[at], &next = level_[at + 1];
        const LevelWords& b = l.words;
        if (shared(at + 1)) links_->correction(at + 1, next.v);
        const HalfShift of_f(b.phi - i, kBits<S>), of_x(j + b.pc - i, kBits<S>);
#pragma omp parallel for num_threads(threads_) if (l.n >= kSideWorthThreads)
        for (std::size_t row = l.first(); row < l.end(); ++row)
            kernels_.rise(l.f.data() + l.at(row), next.v.data() + next.at(row / 2),
                          next.v.data() + next.at((row + 1) / 2), of_f, of_x, l.e.data() + l.at(row), l.n);
        for (const Weight& weight : b.after) {
            if (shared(at)) links_->iterate(at, l.e);
            after(l, weight, i);
            std::swap(l.e, l.other);
        }
        return i;
    }

    /// A smoothing step from e into `other`.
    void after(GridLevel<S>& l, const Weight& weight, int i) {
        const LevelWords& b = l.words;
        const RestShifts shifts = rest_shifts<S>(b, 0, i);
        const HalfShift s(weight.shift + b.guard - i, kBits<S>);
#pragma omp parallel num_threads(threads_) if (l.n >= kSideWorthThreads)
        {
            std::vector<S> r(l.n), rest(l.n);
#pragma omp for
            for (std::size_t row = l.first(); row < l.end(); ++row) {
                const S* const e = l.e.data() + l.at(row);
                kernels_.widen(l.r.data() + l.at(row), r.data(), l.n);
                kernels_.rest(r.data(), e - l.n, e, e + l.n, stencil_, shifts, rest.data(), l.n);
                kernels_.add(e, rest.data(), weight.significand, s, most_of<S>(b.n + 1), l.other.data() + l.at(row),
                             l.n);
            }
        }
    }

    GridWords grid_;
    std::unique_ptr<GridLinks> links_; ///< of a part; else none
    detail::RowStencil stencil_;
    const CycleRowKernels<S>& kernels_;
    int threads_;
    std::int32_t inverse_ = 0;
    int inverse_point_ = 0;
    std::vector<GridLevel<S>> level_;
};

} // namespace

std::unique_ptr<Cycle> make_grid_cycle(const GridWords& grid, const CycleSpec& spec, int threads) {
    return make_part_of_grid_cycle(grid, spec, threads, nullptr);
}

std::unique_ptr<Cycle> make_part_of_grid_cycle(const GridWords& grid, const CycleSpec& spec, int threads,
                                               std::unique_ptr<GridLinks> links) {
    bool narrow = true;
    for (std::size_t l = 0; l < grid.levels(); ++l) {
        const LevelWords b = grid_level_words(grid, spec, l);
        narrow = narrow && fits_32(b, ceil_log2(grid_row_sum(grid)));
    }
    if (narrow) return std::make_unique<GridCycle<std::int32_t>>(grid, spec, threads, std::move(links));
    return std::make_unique<GridCycle<std::int64_t>>(grid, spec, threads, std::move(links));
}

} // namespace mantissa::multilevel
