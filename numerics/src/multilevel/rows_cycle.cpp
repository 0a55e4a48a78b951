// The passes of a level are as few as they can be: what a smoothing step finds is formed in the pass that leaves the
// residual of the one before.
#include "rows_cycle.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "../isa/word_rows.hpp"
#include "blocked_sums.hpp"

namespace mantissa::multilevel {

namespace {

using detail::for_each_row, detail::HalfShift, detail::kSlice, detail::kWorthThreads, detail::RestOfRow,
    detail::WeighedStep;

constexpr std::size_t kBlock = 1024; ///< rows whose sums a thread forms at a time

template <class S> const detail::RowSumKernels<S>& of_sums(const detail::WordRowKernels& kernels) {
    if constexpr (sizeof(S) == 4) return kernels.of_32;
    else return kernels.of_64;
}

/// Rows of words in slices, padded to whole ones.
class SlicedRows {
public:
    SlicedRows() = default;
    SlicedRows(const WordRows& a, int threads) : rows_(a.rows), begin_((a.rows + kSlice - 1) / kSlice + 1, 0) {
        const auto last = [&](std::size_t slice) { return std::min(rows_, (slice + 1) * kSlice); };
        for (std::size_t slice = 0; slice + 1 < begin_.size(); ++slice) {
            std::uint32_t width = 0;
            for (std::size_t i = slice * kSlice; i < last(slice); ++i)
                width = std::max(width, a.begin[i + 1] - a.begin[i]);
            begin_[slice + 1] = begin_[slice] + width;
        }
        word_.resize(begin_.back() * kSlice);
        column_.resize(begin_.back() * kSlice);
        detail::for_each_row(begin_.size() - 1, threads, [&](std::size_t slice) {
            for (std::size_t i = slice * kSlice; i < last(slice); ++i)
                for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
                    const std::size_t to = (begin_[slice] + k - a.begin[i]) * kSlice + i % kSlice;
                    word_[to] = static_cast<std::int16_t>(a.word[k]);
                    column_[to] = static_cast<std::int32_t>(a.column[k]);
                }
        });
    }
    [[nodiscard]] std::size_t rows() const { return rows_; }

    /// work(first, count, sums) for each block of rows; the sums are of type S. Returns the largest of what work
    /// returns.
    template <class S, class Work>
    Wide for_blocks(const std::int32_t* x, [[maybe_unused]] int threads, const Work& work) const {
        const detail::WordSlices slices{begin_.data(), column_.data(), word_.data()};
        const auto& kernels = detail::best_word_row_kernels();
        const std::size_t blocks = (rows_ + kBlock - 1) / kBlock, all = begin_.size() - 1;
        Wide largest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest) if (rows_ >= kWorthThreads)
        for (std::size_t block = 0; block < blocks; ++block) {
            std::array<S, kBlock> sums;
            const std::size_t first = block * (kBlock / kSlice), end = std::min(all, first + kBlock / kSlice);
            of_sums<S>(kernels).sums(slices, first, end, x, sums.data());
            largest = std::max(largest, work(block * kBlock, std::min(kBlock, rows_ - block * kBlock), sums.data()));
        }
        return largest;
    }

private:
    std::size_t rows_ = 0;
    std::vector<std::uint32_t> begin_;
    std::vector<std::int32_t> column_;
    std::vector<std::int16_t> word_;
};

/// Do sums of products of words below 2^(bits - 1) with rows of sums up to 2^l need more than 32 bits?
constexpr bool wide_sums(int bits, int l) {
    return bits - 1 + l > 31;
}

struct RowsLevel {
    [[nodiscard]] std::size_t rows() const { return a.rows(); } ///< vectors may have ghosts after them
    SlicedRows a, prolongation, restriction;
    LevelWords words;
    bool wide_g = false, wide_v = false,
         wide_e = false; ///< sums of A g, P v and A e, and what is made of them, need 64 bits
    std::vector<std::int32_t> entered, r, f, g, next_g, e, other, v;
    std::vector<Wide> t;
};

class RowsCycle final : public Cycle {
public:
    RowsCycle(WordHierarchy h, int threads, std::unique_ptr<CycleLinks> links)
        : links_(std::move(links)), scale_(std::move(h.scale)), factor_(h.factor), coarsest_(std::move(h.coarsest)),
          coarsest_point_(h.coarsest_point), threads_(std::max(1, threads)) {
        for (WordLevel& from : h.level) {
            RowsLevel& l = level_.emplace_back();
            l.words = from.words;
            const int row_sum = ceil_log2(static_cast<double>(from.a.largest_row_sum()));
            const bool wide_r = wide_sums(l.words.h, kWeightBits);
            l.wide_g = wide_r || wide_sums(l.words.f, row_sum);
            l.wide_v = wide_sums(l.words.e, l.words.pl);
            l.wide_e = wide_r || wide_sums(l.words.n + 1, row_sum);
            l.a = SlicedRows(from.a, threads_);
            l.prolongation = SlicedRows(from.prolongation, threads_);
            l.restriction = SlicedRows(from.restriction, threads_);
            from = {};
            const std::size_t at = level_.size() - 1, n = l.rows(), all = n + (shared(at) ? links_->ghosts(at) : 0);
            for (auto* v : {&l.entered, &l.f}) v->assign(n, 0);
            for (auto* v : {&l.r, &l.g, &l.next_g, &l.e, &l.v}) v->assign(all, 0);
            if (!l.words.after.empty()) l.other.assign(all, 0);
            l.t.assign(n, 0);
        }
        if (scale_.empty()) scale_.assign(level_.front().rows(), 1.0); // of a grid's words
        if (links_) own_t_.resize(level_.at(links_->shared() - 1).restriction.rows());
    }

    void correct(std::span<const double> d, std::span<double> c) override {
        RowsLevel& top = level_.front();
        const std::size_t n = top.rows();
        const auto scaled = [&](std::size_t i) { return d[i] * scale_[i]; };
        double largest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : largest) if (n >= kWorthThreads)
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(scaled(i)));
        if (links_) largest = links_->largest_magnitude(largest);
        if (largest == 0) return std::fill(c.begin(), c.end(), 0.0);
        const int w = top.words.w, point = w - 1 - exponent_of(largest);
        const double most = std::ldexp(1.0, w - 1) - 1;
        const PowerOfTwo up(point);
        for_each_row(n, threads_, [&](std::size_t i) {
            const double word = std::floor(up(scaled(i)) + 0.5);
            top.entered[i] = static_cast<std::int32_t>(std::clamp(word, -most, most));
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
    [[nodiscard]] bool shared(std::size_t level) const {
        return links_ && level < links_->shared();
    }
    /// The elements of a vector that other parts own.
    void fill(std::size_t level, std::vector<std::int32_t>& v) const {
        if (shared(level)) links_->fill(level, v);
    }
    [[nodiscard]] Wide over_parts(std::size_t level, Wide largest) const {
        return shared(level) ? links_->largest(largest) : largest;
    }

    template <class W> void out(const std::vector<W>& e, int point, std::span<double> c) const {
        const PowerOfTwo down(-point);
        for_each_row(c.size(), threads_,
                     [&](std::size_t i) { c[i] = down(static_cast<double>(e[i])) * factor_ * scale_[i]; });
    }

    [[nodiscard]] std::vector<Wide> coarsest(const RowsLevel& l) const {
        const std::size_t n = l.rows();
        std::vector<Wide> e(n, 0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) e[i] += Wide{coarsest_[i * n + j]} * l.entered[j];
        return e;
    }

    template <class S> [[nodiscard]] static HalfShift shift(int s) {
        return HalfShift(s, 8 * static_cast<int>(sizeof(S)));
    }
    [[nodiscard]] static std::int32_t most(int bits) {
        return (std::int32_t{1} << (bits - 1)) - 1;
    }
    template <class S> [[nodiscard]] static WeighedStep step(const Weight& weight, int s, int bits) {
        return {weight.significand, shift<S>(weight.shift + s), most(bits)};
    }
    /// r - A x with r of point q: r enters whole, since the points of A x are below the guard's.
    template <class S> [[nodiscard]] static RestOfRow rest(const LevelWords& b, int q, int point) {
        return {b.guard - q, shift<S>(point + b.ac - b.guard), most(b.h)};
    }
    /// work(number of the sums' type)
    template <class Work> static void with_sums(bool wide, const Work& work) {
        if (wide) work(Wide{});
        else work(std::int32_t{});
    }

    template <class S> void descend(std::size_t at) {
        RowsLevel& l = level_[at];
        const LevelWords& b = l.words;
        const auto& kernels = of_sums<S>(kernels_);
        kernels_.begin(l.entered.data(), step<std::int32_t>(b.before.front(), -b.phi, b.f), l.g.data(), l.f.data(),
                       l.rows());
        for (std::size_t k = 0; k < b.before.size(); ++k) {
            const RestOfRow left = rest<S>(b, k == 0 ? 0 : b.guard, b.phi);
            const std::int32_t* const r = k == 0 ? l.entered.data() : l.r.data();
            const bool last = k + 1 == b.before.size();
            const WeighedStep next = last ? WeighedStep{} : step<S>(b.before[k + 1], b.guard - b.phi, b.f);
            fill(at, l.g);
            l.a.for_blocks<S>(l.g.data(), threads_, [&](std::size_t i, std::size_t n, const S* sums) {
                if (last) kernels.leave_last(r + i, sums, left, l.r.data() + i, n);
                else kernels.leave(r + i, sums, left, next, l.r.data() + i, l.next_g.data() + i, l.f.data() + i, n);
                return Wide{0};
            });
            std::swap(l.g, l.next_g);
        }
    }

    /// From what has entered a level to its e; the point of e. Not for the coarsest.
    int solve(std::size_t at) {
        RowsLevel &l = level_[at], &next = level_[at + 1];
        const LevelWords& b = l.words;
        with_sums(l.wide_g, [&](auto s) { descend<decltype(s)>(at); });
        const Wide largest = restrict_rest(at);
        const int y = bit_length(static_cast<std::uint64_t>(largest)), w = next.words.w;
        int j = 0, length_of_v = 0;
        if (y == 0) std::fill(next.v.begin(), next.v.end(), 0);
        else {
            for_each_row(next.rows(), threads_, [&](std::size_t i) {
                next.entered[i] = static_cast<std::int32_t>(cut(half(next.t[i], y - (w - 1)), w));
            });
            length_of_v = below(at + 1, j);
            j += b.guard + b.pc + w - 1 - y;
        }
        return rise(at, b.point_of_e(length_of_v, j), j);
    }

    /// t of the next level; its largest magnitude.
    Wide restrict_rest(std::size_t at) {
        RowsLevel& l = level_[at];
        std::vector<Wide>& whole = level_[at + 1].t;
        const bool brought = shared(at) && !shared(at + 1);
        std::vector<Wide>& t = brought ? own_t_ : whole;
        fill(at, l.r);
        const Wide mine =
            l.restriction.for_blocks<Wide>(l.r.data(), threads_, [&](std::size_t i, std::size_t n, const Wide* sums) {
                Wide longest = 0;
                for (std::size_t k = 0; k < n; ++k) longest = std::max(longest, std::abs(t[i + k] = sums[k]));
                return longest;
            });
        if (brought) links_->bring(own_t_, whole);
        return over_parts(at, mine);
    }

    /// v of level `at` and its point; its length.
    int below(std::size_t at, int& point) {
        RowsLevel& l = level_[at];
        if (at + 1 == level_.size()) {
            point = coarsest_point_;
            return shorten(at, coarsest(l), point);
        }
        point = solve(at);
        return shorten(at, l.e, point);
    }
    template <class W> int shorten(std::size_t at, const std::vector<W>& e, int& point) {
        RowsLevel& l = level_[at];
        const std::size_t rows = l.rows();
        const auto longest = [&](const auto& v) {
            Wide largest = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : largest) if (rows >= kWorthThreads)
            for (std::size_t i = 0; i < rows; ++i) largest = std::max(largest, std::abs(Wide{v[i]}));
            return bit_length(static_cast<std::uint64_t>(over_parts(at, largest)));
        };
        const int bits = l.words.e, n = std::max(0, longest(e) - (bits - 1));
        for_each_row(rows, threads_,
                     [&](std::size_t i) { l.v[i] = static_cast<std::int32_t>(cut(half(e[i], n), bits)); });
        point -= n;
        return longest(l.v);
    }

    int rise(std::size_t at, int i, int j) {
        RowsLevel &l = level_[at], &next = level_[at + 1];
        const LevelWords& b = l.words;
        fill(at + 1, next.v);
        const HalfShift of_f = shift<std::int32_t>(b.phi - i);
        with_sums(l.wide_v, [&](auto s) {
            using S = decltype(s);
            const HalfShift of_x = shift<S>(j + b.pc - i);
            l.prolongation.for_blocks<S>(next.v.data(), threads_, [&](std::size_t k, std::size_t n, const S* sums) {
                of_sums<S>(kernels_).rise(l.f.data() + k, sums, of_f, of_x, l.e.data() + k, n);
                return Wide{0};
            });
        });
        for (const Weight& weight : b.after) {
            fill(at, l.e);
            with_sums(l.wide_e, [&](auto s) {
                if (i + b.ac > b.guard) after<decltype(s)>(l, weight, i);
                else after_far<decltype(s)>(l, weight, i);
            });
            std::swap(l.e, l.other);
        }
        return i;
    }

    template <class S> void after(RowsLevel& l, const Weight& weight, int i) const {
        const LevelWords& b = l.words;
        const RestOfRow left = rest<S>(b, 0, i);
        const WeighedStep found = step<S>(weight, b.guard - i, b.n + 1);
        l.a.for_blocks<S>(l.e.data(), threads_, [&](std::size_t at, std::size_t n, const S* sums) {
            of_sums<S>(kernels_).after(l.entered.data() + at, sums, left, found, l.e.data() + at, l.other.data() + at,
                                       n);
            return Wide{0};
        });
    }
    /// Where e is so large that A e's point is above the guard's.
    template <class S> void after_far(RowsLevel& l, const Weight& weight, int i) const {
        const LevelWords& b = l.words;
        l.a.for_blocks<S>(l.e.data(), threads_, [&](std::size_t at, std::size_t n, const S* sums) {
            for (std::size_t k = 0; k < n; ++k) {
                const Wide r = cut(half(l.entered[at + k], -b.guard) - half(sums[k], i + b.ac - b.guard), b.h);
                l.other[at + k] = static_cast<std::int32_t>(
                    cut(l.e[at + k] + half(weight.significand * r, weight.shift + b.guard - i), b.n + 1));
            }
            return Wide{0};
        });
    }

    std::unique_ptr<CycleLinks> links_; ///< of a part; else none
    std::vector<Wide> own_t_;           ///< the part's rows of t on the first level that is not shared out
    std::vector<double> scale_;
    double factor_;
    std::vector<std::int32_t> coarsest_;
    int coarsest_point_;
    int threads_;
    const detail::WordRowKernels& kernels_ = detail::best_word_row_kernels();
    std::vector<RowsLevel> level_;
};

} // namespace

std::unique_ptr<Cycle> make_rows_cycle(WordHierarchy& hierarchy, int threads) {
    if (!std::all_of(hierarchy.level.begin(), hierarchy.level.end(), fits_short_words)) return nullptr;
    return make_part_of_rows_cycle(std::move(hierarchy), threads, nullptr);
}

std::unique_ptr<Cycle> make_part_of_rows_cycle(WordHierarchy hierarchy, int threads,
                                               std::unique_ptr<CycleLinks> links) {
    return std::make_unique<RowsCycle>(std::move(hierarchy), threads, std::move(links));
}

} // namespace mantissa::multilevel
