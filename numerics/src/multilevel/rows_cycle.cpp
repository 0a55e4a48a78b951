// The passes of a level are as few as they can be: what a smoothing step finds is formed in the pass that leaves the
// residual of the one before.
#include "rows_cycle.hpp"

#include <fmt/format.h>

#include "blocked_sums.hpp"

namespace mantissa::multilevel {

namespace {

using detail::for_each_row, detail::kWorthThreads;

/// The sum of a row's products in S.
template <class S, class X> S row_sum(const WordRows& a, const std::int16_t* word, std::size_t row, const X* x) {
    S sum = 0;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
        sum += static_cast<S>(word[k]) * static_cast<S>(x[a.column[k]]);
    return sum;
}

/// Rows with words of 16 bits where they fit, and sums of 32 bits where those do.
class ShortRows {
public:
    ShortRows() = default;
    explicit ShortRows(WordRows rows) : rows_(std::move(rows)), largest_(rows_.largest_row_sum()) {
        const auto fits = [](std::int32_t w) { return w == static_cast<std::int16_t>(w); };
        if (!std::all_of(rows_.word.begin(), rows_.word.end(), fits)) return;
        short_.assign(rows_.word.begin(), rows_.word.end());
        rows_.word = {};
    }
    [[nodiscard]] std::size_t rows() const { return rows_.rows; }
    /// work(i, sum) for each row; |x| < 2^bits. Returns the largest of what work returns.
    template <class X, class Work> Wide for_each(const X* x, int bits, int threads, const Work& work) const {
        const bool narrow = bits < 31 && largest_ <= (Wide{1} << (31 - bits)) - 1;
        if (short_.empty())
            return loop(threads, [&](std::size_t i) {
                Wide sum = 0;
                for (std::uint32_t k = rows_.begin[i]; k < rows_.begin[i + 1]; ++k)
                    sum += Wide{rows_.word[k]} * x[rows_.column[k]];
                return work(i, sum);
            });
        if (narrow)
            return loop(threads, [&](std::size_t i) {
                return work(i, Wide{row_sum<std::int32_t>(rows_, short_.data(), i, x)});
            });
        return loop(threads, [&](std::size_t i) { return work(i, row_sum<Wide>(rows_, short_.data(), i, x)); });
    }

private:
    template <class Work> Wide loop([[maybe_unused]] int threads, const Work& work) const {
        const auto count = static_cast<std::ptrdiff_t>(rows_.rows);
        Wide largest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest) if (rows_.rows >= kWorthThreads)
        for (std::ptrdiff_t i = 0; i < count; ++i) largest = std::max(largest, work(static_cast<std::size_t>(i)));
        return largest;
    }

    WordRows rows_;
    std::vector<std::int16_t> short_;
    Wide largest_ = 0;
};

struct RowsLevel {
    ShortRows a, prolongation, restriction;
    LevelWords words;
    std::vector<std::int16_t> entered; ///< r
    std::vector<std::int32_t> r, f, g, next_g, e, other, v;
    std::vector<Wide> t;
};

class RowsCycle final : public Cycle {
public:
    RowsCycle(WordHierarchy h, int threads)
        : scale_(std::move(h.scale)), factor_(h.factor), coarsest_(std::move(h.coarsest)),
          coarsest_point_(h.coarsest_point), threads_(std::max(1, threads)) {
        for (WordLevel& from : h.level) {
            RowsLevel& l = level_.emplace_back();
            l.words = from.words;
            l.a = ShortRows(std::move(from.a));
            l.prolongation = ShortRows(std::move(from.prolongation));
            l.restriction = ShortRows(std::move(from.restriction));
            const std::size_t n = l.a.rows();
            l.entered.assign(n, 0);
            for (auto* v : {&l.r, &l.f, &l.g, &l.next_g, &l.e, &l.v}) v->assign(n, 0);
            if (!l.words.after.empty()) l.other.assign(n, 0);
            l.t.assign(n, 0);
        }
    }

    void correct(std::span<const double> d, std::span<double> c) override {
        RowsLevel& top = level_.front();
        const std::size_t n = top.a.rows();
        const auto scaled = [&](std::size_t i) { return d[i] * scale_[i]; };
        double largest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : largest) if (n >= kWorthThreads)
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(scaled(i)));
        if (largest == 0) return std::fill(c.begin(), c.end(), 0.0);
        const int w = top.words.w, point = w - 1 - exponent_of(largest);
        const double most = std::ldexp(1.0, w - 1) - 1;
        for_each_row(n, threads_, [&](std::size_t i) {
            const double word = std::floor(std::ldexp(scaled(i), point) + 0.5);
            top.entered[i] = static_cast<std::int16_t>(std::clamp(word, -most, most));
        });
        if (level_.size() == 1) return out(coarsest(top), coarsest_point_ + point, c);
        const int e_point = solve(0) + point;
        out(top.e, e_point, c);
    }

    [[nodiscard]] std::string description() const override {
        return fmt::format("{} levels of rows, {} to {} unknowns", level_.size(), level_.front().a.rows(),
                           level_.back().a.rows());
    }

private:
    template <class W> void out(const std::vector<W>& e, int point, std::span<double> c) const {
        for_each_row(e.size(), threads_, [&](std::size_t i) {
            c[i] = std::ldexp(static_cast<double>(e[i]), -point) * factor_ * scale_[i];
        });
    }

    [[nodiscard]] std::vector<Wide> coarsest(const RowsLevel& l) const {
        const std::size_t n = l.a.rows();
        std::vector<Wide> e(n, 0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) e[i] += Wide{coarsest_[i * n + j]} * l.entered[j];
        return e;
    }

    /// r - A x rounded to the guard's point (LevelWords), r of point q.
    struct Rest {
        int r_left, x_left, down, bits;
        Rest(const LevelWords& b, int q, int point) {
            const int product = point + b.ac, common = std::max(q, product);
            r_left = common - q;
            x_left = common - product;
            down = common - b.guard;
            bits = b.h;
        }
        [[nodiscard]] Wide operator()(Wide r, Wide ax) const {
            return cut(half(half(r, -r_left) - half(ax, -x_left), down), bits);
        }
    };

    void descend(RowsLevel& l) {
        const LevelWords& b = l.words;
        const Weight& first = b.before.front();
        for_each_row(l.a.rows(), threads_, [&](std::size_t i) {
            l.f[i] = l.g[i] =
                static_cast<std::int32_t>(cut(half(Wide{first.significand} * l.entered[i], first.shift - b.phi), b.f));
        });
        for (std::size_t k = 0; k < b.before.size(); ++k) {
            const Rest rest(b, k == 0 ? 0 : b.guard, b.phi);
            const bool last = k + 1 == b.before.size();
            const Weight next = last ? Weight{} : b.before[k + 1];
            l.a.for_each(l.g.data(), b.f - 1, threads_, [&](std::size_t i, Wide product) -> Wide {
                const Wide r = rest(k == 0 ? l.entered[i] : l.r[i], product);
                l.r[i] = static_cast<std::int32_t>(r);
                if (last) return 0;
                const Wide g = cut(half(next.significand * r, next.shift + b.guard - b.phi), b.f);
                l.next_g[i] = static_cast<std::int32_t>(g);
                l.f[i] = static_cast<std::int32_t>(cut(l.f[i] + g, b.f));
                return 0;
            });
            std::swap(l.g, l.next_g);
        }
    }

    /// From what has entered a level to its e; the point of e. Not for the coarsest.
    int solve(std::size_t at) {
        RowsLevel &l = level_[at], &next = level_[at + 1];
        const LevelWords& b = l.words;
        descend(l);
        const Wide largest = l.restriction.for_each(l.r.data(), b.h - 1, threads_, [&](std::size_t i, Wide t) {
            next.t[i] = t;
            return t < 0 ? -t : t;
        });
        const int y = bit_length(static_cast<std::uint64_t>(largest)), w = next.words.w;
        int j = 0, length_of_v = 0;
        if (y == 0) std::fill(next.v.begin(), next.v.end(), 0);
        else {
            for_each_row(next.t.size(), threads_, [&](std::size_t i) {
                next.entered[i] = static_cast<std::int16_t>(cut(half(next.t[i], y - (w - 1)), w));
            });
            length_of_v = below(at + 1, j);
            j += b.guard + b.pc + w - 1 - y;
        }
        return rise(l, next, b.point_of_e(length_of_v, j), j);
    }

    /// v of level `at` and its point; its length.
    int below(std::size_t at, int& point) {
        RowsLevel& l = level_[at];
        if (at + 1 == level_.size()) {
            point = coarsest_point_;
            return shorten(l, coarsest(l), point);
        }
        point = solve(at);
        return shorten(l, l.e, point);
    }
    template <class W> int shorten(RowsLevel& l, const std::vector<W>& e, int& point) {
        const auto longest = [&](const auto& v) {
            Wide largest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : largest) if (v.size() >= kWorthThreads)
            for (std::size_t i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(Wide{v[i]}));
            return bit_length(static_cast<std::uint64_t>(largest));
        };
        const int bits = l.words.e, n = std::max(0, longest(e) - (bits - 1));
        for_each_row(e.size(), threads_,
                     [&](std::size_t i) { l.v[i] = static_cast<std::int32_t>(cut(half(e[i], n), bits)); });
        point -= n;
        return longest(l.v);
    }

    int rise(RowsLevel& l, const RowsLevel& next, int i, int j) {
        const LevelWords& b = l.words;
        l.prolongation.for_each(next.v.data(), next.words.e - 1, threads_, [&](std::size_t row, Wide x) -> Wide {
            l.e[row] = static_cast<std::int32_t>(half(l.f[row], b.phi - i) + half(x, j + b.pc - i));
            return 0;
        });
        const Rest rest(b, 0, i);
        for (const Weight& weight : b.after) {
            l.a.for_each(l.e.data(), b.n, threads_, [&](std::size_t row, Wide product) -> Wide {
                const Wide r = rest(l.entered[row], product);
                l.other[row] = static_cast<std::int32_t>(
                    cut(l.e[row] + half(weight.significand * r, weight.shift + b.guard - i), b.n + 1));
                return 0;
            });
            std::swap(l.e, l.other);
        }
        return i;
    }

    std::vector<double> scale_;
    double factor_;
    std::vector<std::int32_t> coarsest_;
    int coarsest_point_;
    int threads_;
    std::vector<RowsLevel> level_;
};

} // namespace

std::unique_ptr<Cycle> make_rows_cycle(WordHierarchy hierarchy, int threads) {
    return std::make_unique<RowsCycle>(std::move(hierarchy), threads);
}

} // namespace mantissa::multilevel
