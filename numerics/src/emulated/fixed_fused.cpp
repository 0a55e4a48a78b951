// The fast session in fixed-point words: r, p and q in 32-bit integers, one sweep over memory per pass and thread. It
// serves words of at most 30 bits whose row sums fit an integer register.
//
// Threads own strips of the vectors. Before a pass each forms the new p of its neighbours' nearest grid rows for
// itself, from their old words; after one barrier it updates its own strip, the row sums following the update while p
// is in the cache. Sums are exact, so it does not matter who adds what.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "../fp_mode.hpp"
#include "../isa/fixed_pass.hpp"
#include "fixed_fused_words.hpp"
#include "fixed_plan.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fixed_kernels.hpp"
#include "part_links.hpp"
#include "session_base.hpp"
#include "sliced_words.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace mantissa::detail {

namespace {

using fixed::Wide;
using fixed::Word;

class FixedFusedSession final : public FixedFusedWords {
public:
    FixedFusedSession(const DatapathSpec& spec, const SessionOptions& options, FixedMatrix matrix, const RowPlan& rows,
                      PartLinks* links)
        : FixedFusedWords(spec, matrix.size, matrix.kind == System::Kind::sparse ? 0 : matrix.row_length + 1),
          links_(links), matrix_(std::move(matrix)), rows_(rows), threads_(std::max(1, options.threads)),
          summed_(options.recurrence != Recurrence::chebyshev), kernels_(best_fixed_pass_kernels()) {
        for (int b = 0; b < kBands; ++b) offset_[b] = band_offset(b, matrix_.row_length);
        if (rows_.kind == RowPlan::Kind::bands)
            for (std::size_t b = 0; b < kBands; ++b) {
                bands_[b].assign(matrix_.bands[b].begin(), matrix_.bands[b].end());
                matrix_.bands[b] = {};
            }
        if (rows_.kind == RowPlan::Kind::sparse) slices_ = sliced(matrix_);
        const std::size_t wanted = std::max<std::size_t>(4096, 4 * margin_);
        chunk_ = (wanted + 4095) / 4096 * 4096;
        ends_ = links_ == nullptr ? StripEnds{0, size(), 0, size()}
                                  : strip_ends(links_->ghosts(), size(),
                                               rows_.kind == RowPlan::Kind::sparse ? 0 : matrix_.row_length);
    }

    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact::convert(spec_.scalar, alpha);
        scalars_.beta = exact::convert(spec_.scalar, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

    RunReport run(const RunRequest& request) override {
        if (!summed_)
            return run_pairs(spec_, request, scalars_, [this](WordUse& use) {
                const bool over = pass(use).end != RunEnd::passes;
                return std::exchange(unfit_, false) || over;
            });
        const double stop = exact::convert(spec_.scalar, request.rho_stop);
        return run_fixed_passes(request, stop, scalars_, unfit_, [this](WordUse& use) { return pass(use); });
    }

    RunReport first_pass(double rr) override {
        kept_.assign(data(Vec::r), data(Vec::r) + size());
        const WordRange kept = range_[index(Vec::r)];
        first_rho_ = rr;
        const RunReport report = run({.passes = 1});
        first_rho_.reset();
        std::copy(kept_.begin(), kept_.end(), data(Vec::r));
        range_[index(Vec::r)] = kept;
        return report;
    }

private:
    void update_u(const Factors& f, std::size_t begin, std::size_t n, Found& found, std::vector<double>& buffer) {
        const std::int32_t* const p = data(Vec::p) + begin;
        if (first_rho_) {
            const auto zero = [&](auto& u) {
                if (!u.empty()) std::fill_n(u.begin() + static_cast<std::ptrdiff_t>(begin), n, 0);
            };
            zero(u_short_);
            zero(u_long_);
        } else if (!u_double_.empty()) {
            buffer.resize(n);
            const double unit = Format::power_of_two(-spec_.p.fraction_bits);
            for (std::size_t i = 0; i < n; ++i) buffer[i] = p[i] * unit;
            const std::span<double> u(u_double_.data() + begin, n);
            unit_.add_scaled(u, f.rounded_alpha, std::span<const double>(buffer), u);
        } else if (f.u) {
            WordRange& range = found.range[index(Vec::u)];
            if (u_short_.empty()) kernels_.add_u64(u_long_.data() + begin, p, *f.u, range, n);
            else kernels_.add_u32(u_short_.data() + begin, p, *f.u, range, n);
        } else {
            const int shift = f.alpha.shift(spec_.p, spec_.u);
            for (std::size_t i = 0; i < n; ++i) {
                const Word u = get(Vec::u, begin + i);
                const Wide sum = u + scaled_word(f.alpha, p[i], shift, spec_.u.rounding, found.overflow);
                put(Vec::u, begin + i, cut(Vec::u, sum, found));
            }
        }
    }
    void update_rp(const Factors& f, std::int32_t* r, std::int32_t* p, const std::int32_t* q, std::size_t n,
                   Found& found) const {
        if (f.update) {
#if MANTISSA_HAS_FP_MODE
            const FpScope scope({FpRounding::down, false});
#endif
            return kernels_.update(r, p, q, *f.update, found.range[index(Vec::r)], found.range[index(Vec::p)], n);
        }
        const int along_r = f.alpha.shift(spec_.q, spec_.r), along_p = f.beta.shift(spec_.p, spec_.p);
        for (std::size_t i = 0; i < n; ++i) {
            const Wide residual = r[i] - scaled_word(f.alpha, q[i], along_r, spec_.r.rounding, found.overflow);
            r[i] = static_cast<std::int32_t>(cut(Vec::r, residual, found));
            const Wide along = scaled_word(f.beta, p[i], along_p, spec_.p.rounding, found.overflow);
            p[i] = static_cast<std::int32_t>(cut(Vec::p, aligned(r[i]) + along, found));
        }
    }
    /// A word of r on p's grid.
    [[nodiscard]] Wide aligned(Word r) const {
        return fixed::shift_round(r, spec_.r.fraction_bits - spec_.p.fraction_bits, spec_.p.rounding);
    }

    struct Scratch {
        std::vector<std::int32_t> box, edge, left, right, old;
        std::vector<double> values;
    };

    void update(const Factors& f, std::size_t begin, std::size_t end, Found& found, Scratch& scratch) {
        update_u(f, begin, end - begin, found, scratch.values);
        update_rp(f, data(Vec::r) + begin, data(Vec::p) + begin, data(Vec::q) + begin, end - begin, found);
    }

    /// q of elements begin..end-1; p points at element `begin` and has the halo around them.
    void rows(const std::int32_t* p, std::size_t begin, std::size_t end, Found& found, Scratch& scratch) {
        std::int32_t* const q = data(Vec::q);
        WordRange& range = found.range[index(Vec::q)];
        switch (rows_.kind) {
        case RowPlan::Kind::sparse:
            return sparse_rows(begin, end, range);
        case RowPlan::Kind::bands: {
            const std::int32_t* bands[kBands];
            for (std::size_t b = 0; b < kBands; ++b) bands[b] = bands_[b].data() + begin;
            return kernels_.band_rows(bands, p, offset_.data(), rows_.row, q + begin, range, end - begin);
        }
        default:
            break;
        }
        const std::size_t n = matrix_.row_length;
        scratch.box.resize(n + 2);
        for (std::size_t at = begin; at < end;) {
            const std::size_t grid_row = at / n, first = grid_row * n, stop = std::min(end, first + n);
            const bool edge = grid_row == 0 || grid_row == matrix_.grid_rows - 1;
            const std::size_t from = edge ? stop : std::max(at, first + 1);
            const std::size_t to = edge ? stop : std::max(from, std::min(stop, first + n - 1));
            std::fill(q + at, q + from, 0);
            std::fill(q + to, q + stop, 0);
            const std::int32_t* const here = p + (from - begin);
            if (to > from && rows_.kind == RowPlan::Kind::box)
                kernels_.box_row(here, static_cast<std::ptrdiff_t>(n), rows_.stencil[4], rows_.stencil[0], rows_.row,
                                 scratch.box.data(), q + from, range, to - from);
            else if (to > from)
                (rows_.kind == RowPlan::Kind::stencil ? kernels_.stencil_row : kernels_.stencil_row_wide)(
                    here, offset_.data(), rows_.stencil.data(), rows_.row, q + from, range, to - from);
            at = stop;
        }
    }
    void sparse_rows(std::size_t begin, std::size_t end, WordRange& range) {
        const std::int32_t* const p = data(Vec::p);
        std::int32_t* const q = data(Vec::q);
        const WordRow& row = rows_.row;
        if (slices_) return kernels_.slice_rows(slices_->rows(), p, row, q, range, begin, end);
        for (std::size_t i = begin; i < end; ++i) {
            std::uint64_t units = 0; // which may wrap where a word of p has overflowed: then q is formed again
            for (std::uint64_t k = matrix_.row_begin[i]; k < matrix_.row_begin[i + 1]; ++k)
                units += static_cast<std::uint64_t>(matrix_.value[k] * p[matrix_.column[k]]);
            const auto sum = static_cast<std::int64_t>(units);
            q[i] = static_cast<std::int32_t>(row.left != 0 ? sum * (std::int64_t{1} << row.left)
                                                           : (sum + row.half) >> row.right);
            range.take(q[i]);
        }
    }

    void dots(std::size_t begin, std::size_t end, Found& found) const {
        if (!summed_) return;
        const int r = bits_of(found.range[1]), p = bits_of(found.range[2]), q = bits_of(found.range[3]);
        const int product = std::max({2 * r, p + q, 2 * q}) - 2;
        for (std::size_t at = begin; at < end; at += kDotPart) {
            const std::size_t n = std::min(kDotPart, end - at);
            const std::int32_t *const a = data(Vec::r) + at, *const b = data(Vec::p) + at, *const c = data(Vec::q) + at;
            if (product + 13 <= 63) {
                std::int64_t sums[3] = {};
                kernels_.dots(a, b, c, sums, n);
                for (int k = 0; k < 3; ++k) found.sums[k].add(sums[k]);
                continue;
            }
            for (std::size_t i = 0; i < n; ++i) {
                found.sums[0].add(std::int64_t{a[i]} * a[i]);
                found.sums[1].add(std::int64_t{b[i]} * c[i]);
                found.sums[2].add(std::int64_t{c[i]} * c[i]);
            }
        }
    }

    /// The strip [begin, end) of one thread: update, rows and dot products in one sweep. `left` and `right` hold the
    /// new p of the neighbours' elements beside it; empty at the ends of the vector.
    void sweep(const Factors& f, std::size_t begin, std::size_t end, Found& found, Scratch& scratch) {
        const std::size_t h = margin_;
        const std::size_t first = scratch.left.empty() ? begin : begin + h,
                          last = scratch.right.empty() ? end : end - h;
        // (What lies beyond these ends of a part's strip is updated already.)
        const std::size_t stop = std::min(end, ends_.back);
        std::size_t updated = std::max(begin, ends_.front), formed = first;
        do {
            const std::size_t next = std::max(updated, std::min(stop, updated + chunk_));
            update(f, updated, next, found, scratch);
            updated = next == stop ? end : next;
            const std::size_t ready = updated == end ? last : std::min(last, updated - std::min(updated, h));
            if (ready <= formed) continue;
            rows(data(Vec::p) + formed, formed, ready, found, scratch);
            dots(formed, ready, found);
            formed = ready;
        } while (updated < end);
        const std::int32_t* const p = data(Vec::p);
        if (first != begin) {
            scratch.edge.assign(scratch.left.begin(), scratch.left.end());
            scratch.edge.insert(scratch.edge.end(), p + begin, p + begin + 2 * h);
            rows(scratch.edge.data() + h, begin, first, found, scratch);
            dots(begin, first, found);
        }
        if (last != end) {
            scratch.edge.assign(p + end - 2 * h, p + end);
            scratch.edge.insert(scratch.edge.end(), scratch.right.begin(), scratch.right.end());
            rows(scratch.edge.data() + h, last, end, found, scratch);
            dots(last, end, found);
        }
    }
    /// The new p of elements begin..end-1, from their old words, which stay.
    void look_beside(const Factors& f, std::size_t begin, std::size_t end, std::vector<std::int32_t>& p,
                     std::vector<std::int32_t>& old) const {
        old.assign(data(Vec::r) + begin, data(Vec::r) + end);
        p.assign(data(Vec::p) + begin, data(Vec::p) + end);
        Found unused;
        update_rp(f, old.data(), p.data(), data(Vec::q) + begin, end - begin, unused);
    }

    /// Strips that are long enough to have a middle.
    [[nodiscard]] std::size_t strips() const {
        const std::size_t least = std::max<std::size_t>(4 * margin_ + 64, 4096);
        return std::max<std::size_t>(1, std::min<std::size_t>(static_cast<std::size_t>(threads_), size() / least));
    }

    ScalarStep pass(WordUse& use) {
        const Factors f =
            pass_factors(spec_, scalars_, range_[index(Vec::p)], range_[index(Vec::q)], u_short_.empty() ? 61 : 30);
        Found all;
        const bool sparse = rows_.kind == RowPlan::Kind::sparse;
        const std::size_t count = strips();
        if (links_ != nullptr) {
            // Ghosts do not take part in the updates: their owners send what comes of them.
            for (const std::uint32_t i : links_->ghosts()) data(Vec::p)[i] = 0;
            if (!sparse || count == 1) update_ends(f, all);
        }
        const Found before = all; // whose ranges hold for the ends
        if (count == 1 && !sparse) {
            sweep(f, 0, size(), all, scratch_);
        } else {
#pragma omp parallel num_threads(static_cast <int>(count)) if (count > 1)
            {
                Scratch scratch;
                Found found = before;
                const auto me = static_cast<std::size_t>(thread_number());
                const auto cut_at = [&](std::size_t k) { return k == count ? size() : size() * k / count / 16 * 16; };
                const std::size_t begin = cut_at(me), end = cut_at(me + 1);
                if (sparse) {
                    if (count > 1 || links_ == nullptr) update(f, begin, end, found, scratch);
#pragma omp barrier
                    if (links_ != nullptr && count > 1) {
#pragma omp master
                        links_->exchange(std::span(data(Vec::p), size()));
#pragma omp barrier
                    }
                    rows(nullptr, begin, end, found, scratch);
                    dots(begin, end, found);
                } else {
                    if (begin != 0) look_beside(f, begin - margin_, begin, scratch.left, scratch.old);
                    if (end != size()) look_beside(f, end, end + margin_, scratch.right, scratch.old);
#pragma omp barrier
                    sweep(f, begin, end, found, scratch);
                }
#pragma omp critical
                {
                    for (int v = 0; v < 4; ++v) all.range[v].merge(found.range[v]);
                    all.overflow |= found.overflow;
                    for (int k = 0; k < 3; ++k) all.sums[k].merge(found.sums[k]);
                }
            }
        }
        return finish(f, all, use);
    }
    /// What a part's sweep needs before it begins: elements next to other parts updated, and theirs here.
    void update_ends(const Factors& f, Found& found) {
        update(f, ends_.ghost_front, ends_.front, found, scratch_);
        update(f, ends_.back, ends_.ghost_back, found, scratch_);
        links_->exchange(std::span(data(Vec::p), size()));
    }
    static int thread_number() {
#ifdef _OPENMP
        return omp_get_thread_num();
#else
        return 0;
#endif
    }

    ScalarStep finish(const Factors& f, Found& all, WordUse& use) {
        for (int v = 0; v < 4; ++v)
            all.overflow |=
                !(v == 0 && !u_double_.empty()) && bits_of(all.range[v]) > format(static_cast<Vec>(v)).word_bits;
        if (links_ != nullptr) return finish_with_all_parts(f, all, use);
        if (all.overflow) cut_words(f, all);
        use.merge(longest(all));
        for (std::size_t v = 0; v < 4; ++v) range_[v] = all.range[v];
        if (!summed_) return {.scalars = scalars_, .end = all.overflow ? RunEnd::window_overflow : RunEnd::passes};
        const DotResult rr = total(part_sum(all.sums[0], Vec::r, Vec::r), Vec::r, Vec::r),
                        pq = total(part_sum(all.sums[1], Vec::p, Vec::q), Vec::p, Vec::q),
                        qq = total(part_sum(all.sums[2], Vec::q, Vec::q), Vec::q, Vec::q);
        return scalar_step(spec_.scalar, first_rho_.value_or(rr.value), pq.value, qq.value,
                           all.overflow || rr.overflow || pq.overflow || qq.overflow);
    }

    /// The same where the other parts have found something, too. A word that overflowed anywhere has gone over the cuts
    /// uncut.
    ScalarStep finish_with_all_parts(const Factors& f, Found& all, WordUse& use) {
        for (std::size_t v = 0; v < 4; ++v) range_[v] = all.range[v];
        PartFindings findings{{part_sum(all.sums[0], Vec::r, Vec::r), part_sum(all.sums[1], Vec::p, Vec::q),
                               part_sum(all.sums[2], Vec::q, Vec::q)},
                              all.overflow,
                              unfit_,
                              longest(all)};
        links_->combine(findings);
        unfit_ = findings.unfit;
        if (findings.overflow) {
            cut_words(f, all);
            for (std::size_t v = 0; v < 4; ++v) range_[v] = all.range[v];
            PartFindings cut;
            cut.use = longest(all);
            links_->combine(cut);
            findings.use = cut.use;
        }
        use.merge(findings.use);
        if (!summed_) return {.scalars = scalars_, .end = findings.overflow ? RunEnd::window_overflow : RunEnd::passes};
        const DotResult rr = total(findings.sums[0], Vec::r, Vec::r), pq = total(findings.sums[1], Vec::p, Vec::q),
                        qq = total(findings.sums[2], Vec::q, Vec::q);
        return scalar_step(spec_.scalar, rr.value, pq.value, qq.value,
                           findings.overflow || rr.overflow || pq.overflow || qq.overflow);
    }
    [[nodiscard]] WordUse longest(const Found& all) const {
        const auto bits = [&](Vec v) {
            return floating(v) ? 0 : std::min(bits_of(all.range[index(v)]), format(v).word_bits + 1);
        };
        return {bits(Vec::u), bits(Vec::r), bits(Vec::p), bits(Vec::q)};
    }

    /// After a pass in which a word overflowed: every word becomes the one that stays, and q is formed from these.
    void cut_words(const Factors& f, Found& all) {
        Found found;
        std::int32_t *const r = data(Vec::r), *const p = data(Vec::p), *const q = data(Vec::q);
        for (std::size_t i = 0; i < size() && spec_.u.is_fixed(); ++i)
            put(Vec::u, i, cut(Vec::u, get(Vec::u, i), found));
        for (std::size_t i = 0; i < size() && f.update; ++i) {
            // p's own part, modulo 2^32, is its word less what came of r.
            const auto along =
                static_cast<std::int32_t>(static_cast<std::uint32_t>(p[i]) - static_cast<std::uint32_t>(aligned(r[i])));
            r[i] = static_cast<std::int32_t>(cut(Vec::r, r[i], found));
            p[i] = static_cast<std::int32_t>(cut(Vec::p, aligned(r[i]) + along, found));
        }
        if (links_ != nullptr) links_->exchange(std::span(p, size()));
        const int shift = rows_.row.right - rows_.row.left;
        for (std::size_t i = 0; i < size(); ++i)
            q[i] = static_cast<std::int32_t>(cut(Vec::q, fixed::shift_round(row(i), shift, spec_.q.rounding), found));
        if (f.update) {
            all.range[1] = found.range[1];
            all.range[2] = found.range[2];
        }
        all.range[3] = found.range[3];
        if (f.u) all.range[0] = found.range[0];
    }
    [[nodiscard]] Wide row(std::size_t i) const {
        const std::int32_t* const p = data(Vec::p);
        Wide sum = 0;
        if (rows_.kind == RowPlan::Kind::sparse) {
            for (std::uint64_t k = matrix_.row_begin[i]; k < matrix_.row_begin[i + 1]; ++k)
                sum += Wide{matrix_.value[k]} * p[matrix_.column[k]];
            return sum;
        }
        const bool constant = rows_.kind != RowPlan::Kind::bands;
        const std::size_t n = matrix_.row_length, column = i % n, grid_row = i / n;
        if (constant && (column == 0 || column == n - 1 || grid_row == 0 || grid_row == matrix_.grid_rows - 1))
            return 0;
        const std::int32_t* const here = p + i;
        for (std::size_t b = 0; b < kBands; ++b)
            sum += Wide{constant ? rows_.stencil[b] : bands_[b][i]} * here[offset_[b]];
        return sum;
    }

    PartLinks* links_; ///< to the other parts; null where the system is whole
    StripEnds ends_;
    FixedMatrix matrix_;
    RowPlan rows_;
    int threads_;
    bool summed_; ///< passes have dot products
    const FixedPassKernels& kernels_;
    std::size_t chunk_ = 0;
    std::array<std::vector<std::int32_t>, kBands> bands_;
    std::array<std::ptrdiff_t, kBands> offset_{};
    std::optional<SlicedWords> slices_; ///< of sparse rows, where padding is short
    Scratch scratch_;
    Scalars scalars_;
    std::optional<double> first_rho_; ///< rho of a resident run's first pass, while that runs
    std::vector<std::int32_t> kept_;  ///< r, meanwhile
};

} // namespace

bool has_fixed_fused_session(const System& system, const DatapathSpec& spec, const SessionOptions& options) {
    return options.recurrence != Recurrence::plain && can_run(spec) &&
           row_plan(fixed_matrix(system, spec.coefficient), spec).has_value();
}

std::unique_ptr<FixedWordsSession> make_fixed_fused_session(const System& system, const DatapathSpec& spec,
                                                            const SessionOptions& options, PartLinks* links) {
    if (options.recurrence == Recurrence::plain || !can_run(spec)) return nullptr;
    FixedMatrix matrix = fixed_matrix(system, spec.coefficient);
    if (links != nullptr) forget_rows(matrix, links->ghosts());
    const auto rows = row_plan(matrix, spec);
    if (!rows) return nullptr;
    return std::make_unique<FixedFusedSession>(spec, options, std::move(matrix), *rows, links);
}

} // namespace mantissa::detail
