// The fast emulated session: one sweep over memory per pass, every format carried in T at the speed of native
// arithmetic. It serves specs whose formats share one exponent width (the carrier's) and one policy: truncating and
// flushing (any fraction widths), or the carrier's native format.
//
// Memory traffic per element and pass, constant stencil: reads u r p q, writes u r p q (8 values); bands add 9.
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "../fp_mode.hpp"
#include "../isa/pass.hpp"
#include "difference_rows.hpp"
#include "fused_dots.hpp"
#include "fused_plan.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/scalar_unit.hpp"
#include "part_links.hpp"
#include "session_base.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace mantissa::detail {

namespace {

template <class T> class FusedSession final : public SessionBase<T> {
public:
    FusedSession(const System& system, const DatapathSpec& spec, const SessionOptions& options,
                 const FusedPlan<T>& plan, PartLinks* links)
        : SessionBase<T>(spec, system), plan_(plan), links_(links), threads_(std::max(1, options.threads)),
          kernels_(best_pass_table<T>()[plan.masked ? 1 : 0][spec.order == RowOrder::tree ? 1 : 0]
                                       [spec.dot.exact_product ? 1 : 0]),
          recurrence_(options.recurrence), summed_(options.recurrence != Recurrence::chebyshev) {
        const std::optional<System> converted = converted_for(spec.order, system);
        const System& formed = converted ? *converted : system;
        kind_ = formed.kind();
        if (adds_products(spec.order)) std::visit([this](const auto& matrix) { load(matrix); }, formed.matrix());
        else differences_.emplace(formed, spec, kernels_.differences, plan.masks);
        if (const Stencil* const stencil = std::get_if<Stencil>(&system.matrix())) {
            row_length_ = stencil->row_length();
            grid_rows_ = stencil->rows();
        }
        for (int b = 0; b < kBands; ++b) offset_[b] = band_offset(b, system.row_length());
        // Chunks are multiples of the largest number of partial sums, and long enough to amortise their halo.
        const std::size_t wanted = std::max(kFusedChunk, 4 * (this->margin_ + 1));
        chunk_ = (wanted + kFusedChunk - 1) / kFusedChunk * kFusedChunk;
        ends_ = links_ == nullptr ? StripEnds{0, this->size(), 0, this->size()}
                                  : strip_ends(links_->ghosts(), this->size(), system.row_length());
    }

    RunReport run(const RunRequest& request) override {
        if (!summed_)
            return run_pairs(this->spec_, request, this->scalars_, [this](WordUse&) {
                Sums none(this->spec_);
                sweep(none);
                return false;
            });
        RunReport report;
        const double stop = this->exact_scalar(request.rho_stop);
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            const ScalarStep step = recurrence_ == Recurrence::pipelined
                                        ? pass()
                                        : plain_pass(this->spec_, this->scalars_, this->rho_known_, PlainParts{*this});
            ++report.passes;
            report.sigma_guards += step.sigma_guarded ? 1 : 0;
            report.end = step.end;
            this->scalars_ = step.scalars;
            if (report.end == RunEnd::passes && report.passes >= request.rho_stop_from && step.scalars.rho < stop)
                report.end = RunEnd::rho_reached;
        }
        return report;
    }

private:
    using Sums = FusedSums;

    void load(const Stencil& matrix) {
        std::array<T, kBands> c{};
        VectorUnit<T>(this->spec_.coefficient).convert(matrix.coefficients(), c);
        std::map<Bits<T>, int> seen; // bands with one coefficient share their products
        for (int b = 0; b < kBands; ++b) {
            const auto [it, fresh] = seen.emplace(std::bit_cast<Bits<T>>(c[b]), static_cast<int>(distinct_.size()));
            if (fresh) distinct_.push_back(c[b]);
            product_of_[b] = it->second;
        }
    }
    void load(const Bands& matrix) {
        const VectorUnit<T> coefficient(this->spec_.coefficient);
        for (std::size_t b = 0; b < kBands; ++b) {
            bands_[b].resize(matrix.size());
            coefficient.convert(matrix.band(b), bands_[b]);
        }
    }
    void load(const SymmetricBands&) {} // converted_for() has made nine bands of them
    void load(const CompressedRows& matrix) {
        row_begin_ = matrix.row_begin();
        column_ = matrix.column();
        value_.resize(matrix.nonzeros());
        VectorUnit<T>(this->spec_.coefficient).convert(matrix.value(), value_);
        for (std::size_t i = 0; i < matrix.rows(); ++i)
            longest_row_ = std::max<std::size_t>(longest_row_, row_begin_[i + 1] - row_begin_[i]);
    }

    /// Reach of the row sum to either side, in elements (a sparse row may reach anywhere).
    [[nodiscard]] std::size_t halo() const { return this->margin_; }

    /// Scratch of one thread: product arrays for a chunk and its halo.
    struct Scratch {
        std::vector<std::vector<T>> products;
        std::vector<T> row;
        typename DifferenceRows<T>::Scratch differences;
    };

    void update(std::size_t begin, std::size_t end) {
        kernels_.update(this->data(Vec::u) + begin, this->data(Vec::r) + begin, this->data(Vec::p) + begin,
                        this->data(Vec::q) + begin, alpha_, beta_, plan_.masks, end - begin);
    }

    /// q for [begin, end); p must be up to date within reach. `first` says that scratch holds nothing of use.
    void rows(Scratch& scratch, std::size_t begin, std::size_t end, bool first) {
        T* const p = this->data(Vec::p);
        T* const q = this->data(Vec::q);
        if (differences_) {
            differences_->rows(scratch.differences, p, q, begin, end, chunk_, first);
            if (kind_ == System::Kind::stencil) clear_edges(q, begin, end);
            else clear_ghosts(q, begin, end);
            return;
        }
        if (kind_ == System::Kind::bands) {
            const T* band[kBands];
            for (int b = 0; b < kBands; ++b) band[b] = bands_[b].data() + begin;
            kernels_.band_rows(band, p + begin, offset_.data(), plan_.masks, q + begin, end - begin);
            return;
        }
        if (kind_ == System::Kind::sparse) {
            scratch.row.resize(longest_row_ + 1);
            kernels_.sparse_rows(row_begin_.data() + begin, column_.data(), value_.data(), p, plan_.masks,
                                 scratch.row.data(), q + begin, end - begin);
            return;
        }
        // Products of [begin - h, end + h), element begin - h at the front of each array.
        const std::size_t h = halo(), count = end - begin;
        if (scratch.products.empty()) scratch.products.assign(distinct_.size(), std::vector<T>(chunk_ + 2 * h));
        const std::size_t kept = first ? 0 : 2 * h; // the last 2h products of the chunk before
        for (std::size_t d = 0; d < distinct_.size(); ++d) {
            T* const products = scratch.products[d].data();
            if (!first) std::copy_n(products + chunk_, kept, products);
            kernels_.scale(p + begin - h + kept, distinct_[d], plan_.masks.row, products + kept, count + 2 * h - kept);
        }
        const T* terms[kBands];
        for (int b = 0; b < kBands; ++b) terms[b] = scratch.products[product_of_[b]].data() + h + offset_[b];
        kernels_.sum_rows(terms, plan_.masks, q + begin, count);
        clear_edges(q, begin, end);
    }

    /// Rows of Dirichlet nodes give +0.
    void clear_edges(T* q, std::size_t begin, std::size_t end) const {
        const std::size_t n = row_length_, last_row = n * (grid_rows_ - 1);
        if (begin < n) std::fill(q + begin, q + std::min(n, end), T{});
        if (end > last_row) std::fill(q + std::max(last_row, begin), q + end, T{});
        for (std::size_t left = (begin + n - 1) / n * n; left < end; left += n) q[left] = T{};
        for (std::size_t right = begin / n * n + n - 1; right < end; right += n) q[right] = T{};
    }

    /// Rows of a strip's ghosts give +0.
    void clear_ghosts(T* q, std::size_t begin, std::size_t end) const {
        if (begin < ends_.ghost_front) std::fill(q + begin, q + std::min(ends_.ghost_front, end), T{});
        if (end > ends_.ghost_back) std::fill(q + std::max(ends_.ghost_back, begin), q + end, T{});
    }

    void dots(Sums& sums, std::size_t begin, std::size_t end) {
        const T* const r = this->data(Vec::r) + begin;
        const T* const p = this->data(Vec::p) + begin;
        const T* const q = this->data(Vec::q) + begin;
        const std::size_t n = end - begin;
        if (this->spec_.dot.fixed) {
            add_fixed_dot(sums.fixed[0], kernels_, this->spec_.dot, plan_.masks.product, r, r, n);
            add_fixed_dot(sums.fixed[1], kernels_, this->spec_.dot, plan_.masks.product, p, q, n);
            add_fixed_dot(sums.fixed[2], kernels_, this->spec_.dot, plan_.masks.product, q, q, n);
        } else {
            kernels_.dot_lanes(r, p, q, plan_.masks.product, sums.rr.data(), sums.pq.data(), sums.qq.data(),
                               this->spec_.partials(), n);
        }
    }

    void sweep(Sums& sums) {
        alpha_ = static_cast<T>(exact::convert(this->spec_.operand, this->scalars_.alpha));
        beta_ = static_cast<T>(exact::convert(this->spec_.operand, this->scalars_.beta));
        if (links_ != nullptr) forget_ghosts();
        if (threads_ == 1) sweep_alone(sums);
        else sweep_together(sums);
    }
    ScalarStep pass() {
        Sums sums(this->spec_);
        sweep(sums);
        if (links_ != nullptr) combine(sums.fixed);
        if (this->spec_.dot.fixed) {
            const auto& f = sums.fixed;
            const Format& scalar = this->spec_.scalar;
            return scalar_step(scalar, f[0].total(scalar), f[1].total(scalar), f[2].total(scalar),
                               f[0].overflow() || f[1].overflow() || f[2].overflow());
        }
        const auto close = [&](std::vector<double>& s) {
            LaneAccumulator::close(this->spec_.dot.accumulator, s);
            return exact::convert(this->spec_.scalar, s[0]);
        };
        const double rho = close(sums.rr), pq = close(sums.pq), qq = close(sums.qq);
        return scalar_step(this->spec_.scalar, rho, pq, qq, false);
    }

    /// Ghosts do not take part in the updates: their owners send what comes of them.
    void forget_ghosts() {
        for (const std::uint32_t i : links_->ghosts()) this->data(Vec::p)[i] = 0;
    }
    void exchange() {
        if (links_ != nullptr) links_->exchange(this->vec(Vec::p));
    }
    /// Sums in fixed windows become those of all parts.
    void combine(std::span<FixedAccumulator> sums) {
        PartFindings findings;
        for (std::size_t k = 0; k < sums.size(); ++k) findings.sums[k] = {sums[k].units(), sums[k].term_overflow()};
        links_->combine(findings);
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k] = FixedAccumulator(this->spec_.dot.window);
            sums[k].merge_units(findings.sums[k].units, findings.sums[k].lost);
        }
    }

    /// What a strip's sweep needs before it begins: elements next to other parts updated, and theirs here.
    void update_ends() {
        if (links_ == nullptr) return;
        {
#if MANTISSA_HAS_FP_MODE
            const FpScope scope(plan_.mode);
#endif
            update(ends_.ghost_front, ends_.front);
            update(ends_.back, ends_.ghost_back);
        }
        exchange();
    }

    /// One thread: the update leads the row sum by its reach, so that each element passes the cache once.
    void sweep_alone(Sums& sums) {
        update_ends();
        const std::size_t n = this->size(), h = kind_ == System::Kind::sparse ? n : halo();
        std::size_t updated = ends_.front;
        bool first = true;
        for (std::size_t begin = 0; begin < n; begin += chunk_) {
            const std::size_t end = std::min(n, begin + chunk_), needed = std::min(ends_.back, end + h);
            {
#if MANTISSA_HAS_FP_MODE
                const FpScope scope(plan_.mode);
#endif
                if (needed > updated) update(updated, needed);
                rows(scratch_, begin, end, first);
            }
            updated = std::max(updated, needed);
            first = false;
            if (summed_) dots_scoped(sums, begin, end);
        }
    }

    void dots_scoped(Sums& sums, std::size_t begin, std::size_t end) {
#if MANTISSA_HAS_FP_MODE
        const FpScope scope(plan_.mode);
#endif
        dots(sums, begin, end);
    }

    /// Several threads: update, then rows, each split into chunks. Fixed-point sums do not care who forms them;
    /// floating lanes are chains through the whole vector, so there each of the three dot products has one thread.
    void sweep_together(Sums& sums) {
        const std::size_t n = this->size();
        const auto chunks = static_cast<std::ptrdiff_t>((n + chunk_ - 1) / chunk_);
        const auto bounds = [&](std::ptrdiff_t c) {
            const std::size_t begin = static_cast<std::size_t>(c) * chunk_;
            return std::pair{begin, std::min(n, begin + chunk_)};
        };
        const bool fixed = this->spec_.dot.fixed;
#pragma omp parallel num_threads(threads_)
        {
#if MANTISSA_HAS_FP_MODE
            const FpScope scope(plan_.mode);
#endif
            Scratch scratch;
            Sums own(this->spec_);
#pragma omp for schedule(static)
            for (std::ptrdiff_t c = 0; c < chunks; ++c) update(bounds(c).first, bounds(c).second);
#pragma omp master
            exchange();
#pragma omp barrier
            std::ptrdiff_t before = -2;
#pragma omp for schedule(static)
            for (std::ptrdiff_t c = 0; c < chunks; ++c) {
                rows(scratch, bounds(c).first, bounds(c).second, c != before + 1);
                before = c;
                if (fixed && summed_) dots(own, bounds(c).first, bounds(c).second);
            }
            if (!summed_) {
                // nothing to add up
            } else if (fixed) {
#pragma omp critical
                for (int k = 0; k < 3; ++k) sums.fixed[k].merge(own.fixed[k]);
            } else {
                const T* const r = this->data(Vec::r);
                const T* const p = this->data(Vec::p);
                const T* const q = this->data(Vec::q);
#pragma omp for schedule(dynamic, 1)
                for (int k = 0; k < 3; ++k)
                    kernels_.dot_lanes_one(k == 0   ? r
                                           : k == 1 ? p
                                                    : q,
                                           k == 0 ? r : q, plan_.masks.product,
                                           k == 0   ? sums.rr.data()
                                           : k == 1 ? sums.pq.data()
                                                    : sums.qq.data(),
                                           this->spec_.partials(), n);
            }
        }
    }

    /// Calls body(begin, end, scratch, first) for the chunks, on this session's threads and in the spec's rounding
    /// mode. `first` says that the chunk before was not this thread's.
    template <class Body> void for_chunks(Body&& body) {
        const auto chunks = static_cast<std::ptrdiff_t>((this->size() + chunk_ - 1) / chunk_);
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
        {
#if MANTISSA_HAS_FP_MODE
            const FpScope scope(plan_.mode);
#endif
            Scratch own;
            Scratch& scratch = threads_ == 1 ? scratch_ : own;
            std::ptrdiff_t before = -2;
#pragma omp for schedule(static)
            for (std::ptrdiff_t c = 0; c < chunks; ++c) {
                const std::size_t begin = static_cast<std::size_t>(c) * chunk_;
                body(begin, std::min(this->size(), begin + chunk_), scratch, c != before + 1);
                before = c;
            }
        }
    }

    /// a.b of two of the session's vectors.
    DotResult dot(Vec a, Vec b) {
        const T* const x = this->data(a);
        const T* const y = this->data(b);
        const Format& scalar = this->spec_.scalar;
        if (this->spec_.dot.fixed) {
            FixedAccumulator sum(this->spec_.dot.window);
            for_chunks([&](std::size_t begin, std::size_t end, Scratch&, bool) {
                FixedAccumulator own(this->spec_.dot.window);
                add_fixed_dot(own, kernels_, this->spec_.dot, plan_.masks.product, x + begin, y + begin, end - begin);
#pragma omp critical
                sum.merge(own);
            });
            if (links_ != nullptr) combine(std::span(&sum, 1));
            return {sum.total(scalar), sum.overflow()};
        }
        std::vector<double> sums(static_cast<std::size_t>(this->spec_.partials()));
        {
#if MANTISSA_HAS_FP_MODE
            const FpScope scope(plan_.mode);
#endif
            kernels_.dot_lanes_one(x, y, plan_.masks.product, sums.data(), this->spec_.partials(), this->size());
        }
        LaneAccumulator::close(this->spec_.dot.accumulator, sums);
        return {exact::convert(scalar, sums[0]), false};
    }

    struct PlainParts {
        FusedSession& s;
        DotResult rr() { return s.dot(Vec::r, Vec::r); }
        void direction(double beta) {
            if (s.links_ != nullptr) s.forget_ghosts();
            s.for_chunks([&](std::size_t begin, std::size_t end, Scratch&, bool) {
                const auto p = s.vec(Vec::p).subspan(begin, end - begin);
                s.unit(Vec::p).add_scaled(s.vec(Vec::r).subspan(begin, end - begin), static_cast<T>(beta), p, p);
            });
        }
        DotResult product() {
            s.exchange();
            s.for_chunks([&](std::size_t begin, std::size_t end, Scratch& scratch, bool first) {
                s.rows(scratch, begin, end, first);
            });
            return s.dot(Vec::p, Vec::q);
        }
        DotResult advance(double alpha) {
            s.for_chunks([&](std::size_t begin, std::size_t end, Scratch&, bool) {
                const auto part = [&](Vec v) { return s.vec(v).subspan(begin, end - begin); };
                s.unit(Vec::u).add_scaled(part(Vec::u), static_cast<T>(alpha), part(Vec::p), part(Vec::u));
                s.unit(Vec::r).sub_scaled(part(Vec::r), static_cast<T>(alpha), part(Vec::q), part(Vec::r));
            });
            return rr();
        }
    };

    FusedPlan<T> plan_;
    PartLinks* links_; ///< to the other parts; null where the system is whole
    StripEnds ends_;
    int threads_;
    const PassKernels<T>& kernels_;
    System::Kind kind_ = System::Kind::stencil; ///< of what rows are formed from (converted_for())
    std::optional<DifferenceRows<T>> differences_;
    Recurrence recurrence_;
    bool summed_; ///< passes have dot products
    std::size_t chunk_ = kFusedChunk;
    T alpha_{}, beta_{};
    std::size_t row_length_ = 0, grid_rows_ = 0; ///< of a stencil's grid
    std::vector<T> distinct_;
    std::array<int, kBands> product_of_{};
    std::array<std::ptrdiff_t, kBands> offset_{};
    std::array<std::vector<T>, kBands> bands_;
    std::vector<std::uint64_t> row_begin_;
    std::vector<std::uint32_t> column_;
    std::vector<T> value_;
    std::size_t longest_row_ = 0;
    Scratch scratch_;
};

} // namespace

bool fused_in_floats(const DatapathSpec& spec) {
    return fused_plan<float>(spec).has_value();
}

std::unique_ptr<Session> make_fused_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options, PartLinks* links) {
    if (const auto plan = fused_plan<float>(spec))
        return std::make_unique<FusedSession<float>>(system, spec, options, *plan, links);
    if (const auto plan = fused_plan<double>(spec))
        return std::make_unique<FusedSession<double>>(system, spec, options, *plan, links);
    return nullptr;
}

} // namespace mantissa::detail
