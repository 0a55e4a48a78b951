#include "mantissa/gpu/parted_sparse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../peers/part_timer.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sparse/row_defect.hpp"
#include "memory.hpp"
#include "schedules/solve_watch.hpp"

namespace mantissa::gpu {

template <> SparseKernel<float> sparse_part_kernel<float>(bool jacobi);
template <> SparseKernel<double> sparse_part_kernel<double>(bool jacobi);

namespace {

class Base {
public:
    virtual ~Base() = default;
    virtual SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                                 std::vector<double>* x, const SparseLook& look) = 0;
    virtual PartedSparseTimes time(std::uint32_t iterations, bool jacobi, std::vector<double>* x) = 0;
    virtual double balance(int rounds, std::uint32_t iterations) = 0;
    std::uint64_t bytes = 0;
    double fill = 0, narrow = 0;
};

template <class T> class Solver final : public Base {
public:
    Solver(const CompressedRows& a, const Partition& partition, Peers& peers, const PartedSparseOptions& options)
        : a_(a), partition_(partition), peers_(peers), options_(options),
          rank_(options.rank.begin(), options.rank.end()) {
        if (partition.parts().size() != static_cast<std::size_t>(peers.parts()) || partition.rows() != a.rows())
            throw InvalidInput("sparse CG over GPUs: the partition has " + std::to_string(partition.parts().size()) +
                               " parts of " + std::to_string(partition.rows()) + " rows, for " +
                               std::to_string(peers.parts()) + " GPUs and " + std::to_string(a.rows()) + " rows");
        blocks_ = static_cast<std::uint32_t>(std::min(peers.multiprocessors(), 255));
        deal({});
        bound_exponents();
    }

    SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                         std::vector<double>* solution, const SparseLook& look) override {
        if (b.size() != a_.rows()) throw InvalidInput("right-hand side: its size is not the matrix's");
        const double norm = std::sqrt(sum_of_squares(b));
        std::vector<double> x(a_.rows(), 0.0), defect(b.begin(), b.end());
        SparseCgReport report;
        report.end = CgEnd::converged;
        report.true_residual = norm == 0 ? 0 : 1;
        std::function<bool(std::uint64_t, double)> watch;
        if (look)
            watch = [&](std::uint64_t iterations, double residual) {
                return look(report.iterations + static_cast<std::uint32_t>(iterations), residual / norm);
            };
        while (norm > 0) { // as SparseMatrix::solve()
            const double before = report.true_residual;
            const PartedStatus status =
                run(defect, tolerance * tolerance * norm * norm, limit - report.iterations, jacobi, &x, watch);
            report.iterations += status.iterations;
            report.end = status.end;
            report.seconds += 1e-9 * static_cast<double>(status.all);
            form_defect(a_, b, x, defect);
            report.true_residual = std::sqrt(sum_of_squares(defect)) / norm;
            const bool reached = report.true_residual < tolerance * (1 + kReachedSlack);
            const bool more = report.end == CgEnd::converged && !reached;
            if (more && sizeof(T) == 8 && report.true_residual < 0.5 * before && report.iterations < limit) continue;
            if (reached) report.end = CgEnd::converged;
            else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
            break;
        }
        if (solution != nullptr) *solution = std::move(x);
        return report;
    }

    PartedSparseTimes time(std::uint32_t iterations, bool jacobi, std::vector<double>* solution) override {
        // (ones may be an eigenvector, and a solve that has nothing left to do is no measure)
        std::vector<double> b(a_.rows()), x(a_.rows(), 0.0);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + 0.5 * static_cast<double>(i * 2654435761U % 1024) / 1024;
        const PartedStatus s = run(b, -1, iterations, jacobi, solution == nullptr ? nullptr : &x);
        if (solution != nullptr) *solution = std::move(x);
        PartedSparseTimes times;
        times.iteration = 1e-9 * static_cast<double>(s.nanoseconds) / std::max<std::uint32_t>(s.iterations, 1);
        read_clocks(times);
        return times;
    }

    double balance(int rounds, std::uint32_t iterations) override {
        std::vector<double> shares(blocks_ * parts_.size(), 1.0);
        level(rounds, iterations, shares);
        tune(iterations);
        return level(rounds / 2, iterations, shares); // what tune() has chosen changes the blocks' times, too
    }

private:
    /// The faster one of two timings: a single one may be half a microsecond late.
    PartedSparseTimes timed(std::uint32_t iterations) {
        const PartedSparseTimes one = time(iterations, false, nullptr), other = time(iterations, false, nullptr);
        return other.iteration < one.iteration ? other : one;
    }

    /// Gives blocks that are late fewer rows, `rounds` times, and keeps the fastest deal, whose shares it leaves in
    /// `shares`: those of the present one when it begins. Returns the iteration's seconds.
    double level(int rounds, std::uint32_t iterations, std::vector<double>& shares) {
        const std::uint32_t stages = stages_, kept = kept_;
        const auto deal_again = [&](std::span<const double> to) {
            deal(to);
            if (on_chip_) return;
            stages_ = std::min(stages, static_cast<std::uint32_t>(kSharedBytes / kPartedWarps / stage_bytes_));
            kept_ = kept;
        };
        PartedSparseTimes times = timed(iterations);
        double least = times.iteration;
        std::vector<double> best = shares;
        for (int round = 0; round < rounds; ++round) {
            // What a block takes depends on what the others do meanwhile: whole steps swing about the even deal.
            const double step = round == 0 ? 1.0 : 0.5;
            for (std::size_t p = 0; p < parts_.size(); ++p) {
                const std::size_t from = p * blocks_;
                const std::span own = std::span(shares).subspan(from, blocks_);
                const std::vector<double> next =
                    shares_of_equal_time(own, std::span<const double>(times.block_product).subspan(from, blocks_));
                for (std::size_t b = 0; b < next.size(); ++b) own[b] += step * (next[b] - own[b]);
            }
            deal_again(shares);
            time(iterations / 4, false, nullptr);
            times = timed(iterations);
            if (times.iteration >= least) continue;
            least = times.iteration;
            best = shares;
        }
        if (best != shares) {
            deal_again(best);
            shares = best;
        }
        return least;
    }

    /// How many chunks a warp has under way, and how much of the matrix the second-level cache is asked to keep: what
    /// is fastest is found by trial. Shared memory that chunks have is lost to the first-level cache, where gathers
    /// hit; what the second level keeps of the matrix it cannot keep of the vectors.
    void tune(std::uint32_t iterations) {
        if (on_chip_) return;
        double least = timed(iterations).iteration;
        const std::uint32_t given_stages = stages_, given_kept = kept_;
        std::uint32_t stages = stages_, kept = kept_;
        const auto attempt = [&] {
            const double took = timed(iterations).iteration;
            if (took > 0.99 * least) return;
            least = took;
            stages = stages_;
            kept = kept_;
        };
        for (const std::uint32_t s : {2U, 3U, 5U}) {
            if (options_.stages != 0 || s == given_stages || kPartedWarps * s * stage_bytes_ > kSharedBytes) continue;
            stages_ = s;
            attempt();
        }
        stages_ = stages;
        for (const std::uint32_t k : {0U, 48U, 96U, 160U, 224U}) {
            if (options_.kept >= 0 || k == given_kept) continue;
            kept_ = k;
            attempt();
        }
        kept_ = kept;
    }

    /// Rows to warps and into the devices' memory; `shares` as sparse_layouts() has them.
    void deal(std::span<const double> shares) {
        parts_.clear();
        bytes = 0;
        inverse_ready_ = false;
        std::vector<SparseLayout> layouts =
            sparse_layouts(a_, partition_, rank_, blocks_, kPartedWarps, sizeof(T) == 4, shares);
        std::uint64_t steps = 0, narrow_steps = 0, largest = 0;
        for (SparseLayout& layout : layouts) {
            std::uint64_t read = 0; // (the streams' places are as long as the longest's; what is not read is no load)
            for (std::size_t w = 0; w < layout.warp_steps.size(); ++w) {
                const std::uint32_t chunks = (layout.warp_steps[w] + kChunkSteps - 1) / kChunkSteps;
                read += std::uint64_t{chunks} * chunk_bytes(layout.narrow[w % 2], sizeof(T));
                steps += layout.warp_steps[w];
                if (layout.narrow[w % 2]) narrow_steps += layout.warp_steps[w];
            }
            bytes += read;
            largest = std::max(largest, read);
            const OnDevice here(peers_.device(static_cast<int>(parts_.size())));
            parts_.emplace_back(std::move(layout), blocks_);
        }
        fill = 32.0 * static_cast<double>(steps) / static_cast<double>(a_.nonzeros());
        narrow = static_cast<double>(narrow_steps) / static_cast<double>(std::max<std::uint64_t>(steps, 1));
        choose_sizes(options_, largest);
    }

    /// Each block's clocks, as seconds: its phases make up the iteration.
    void read_clocks(PartedSparseTimes& times) const {
        double sum[kSparsePhases] = {};
        for (const SparseMemory<T>& one : parts_) {
            const OnDevice here(peers_.device(static_cast<int>(&one - parts_.data())));
            std::vector<BlockClocks> clocks(blocks_);
            one.clocks.download(clocks);
            for (const BlockClocks& c : clocks) {
                const double all = std::accumulate(std::begin(c.phase), std::end(c.phase), 0.0);
                const double scale = all > 0 ? times.iteration / all : 0;
                for (int p = 0; p < kSparsePhases; ++p) sum[p] += scale * static_cast<double>(c.phase[p]);
                const auto [fastest, slowest] = std::minmax_element(std::begin(c.product), std::end(c.product));
                times.block_product.push_back(scale * static_cast<double>(*slowest));
                times.fastest_warp.push_back(scale * static_cast<double>(*fastest));
            }
        }
        const auto mean = [&](SparsePhase p) {
            return sum[static_cast<int>(p)] / static_cast<double>(blocks_ * parts_.size());
        };
        times.update = mean(SparsePhase::update);
        times.meet = mean(SparsePhase::meet);
        times.product = mean(SparsePhase::product);
        times.ghosts = mean(SparsePhase::ghosts);
        times.warps = mean(SparsePhase::warps);
        times.reduction = mean(SparsePhase::reduction);
    }

    /// `largest`: bytes of the matrix that a part reads, the most of any.
    void choose_sizes(const PartedSparseOptions& options, std::uint64_t largest) {
        bool wide = false;
        for (const SparseMemory<T>& one : parts_)
            for (int kind = 0; kind < 2; ++kind)
                for (std::size_t w = kind; w < one.layout.warp_steps.size(); w += 2)
                    wide = wide || (!one.layout.narrow[kind] && one.layout.warp_steps[w] != 0);
        stage_bytes_ = chunk_bytes(!wide, sizeof(T));
        // Small parts stay on the chip; else some shared memory is left to the first-level cache, for the gathers.
        const auto fit = [&](std::size_t bytes) {
            return static_cast<std::uint32_t>(
                std::clamp<std::size_t>(bytes / kPartedWarps / stage_bytes_, 2, kMaxStages));
        };
        stages_ =
            options.stages != 0 ? std::clamp<std::uint32_t>(options.stages, 2, fit(kSharedBytes)) : fit(kUsualStages);
        std::uint32_t needed = 0;
        for (const SparseMemory<T>& one : parts_)
            for (std::size_t w = 0; w < one.layout.warp_steps.size(); w += 2)
                needed = std::max(needed, (one.layout.warp_steps[w] + kChunkSteps - 1) / kChunkSteps +
                                              (one.layout.warp_steps[w + 1] + kChunkSteps - 1) / kChunkSteps);
        on_chip_ = needed <= fit(kSharedBytes);
        if (options.stages == 0 && on_chip_) stages_ = std::max(2U, needed);
        // What the cache can hold beside the vectors.
        const double cache = 0.6 * static_cast<double>(require_device().l2);
        std::uint64_t vectors = 0;
        for (const SparseMemory<T>& one : parts_)
            vectors = std::max<std::uint64_t>(vectors, 5 * one.layout.rows * sizeof(T));
        double kept = options.kept;
        if (kept < 0)
            kept = (cache - static_cast<double>(vectors)) / static_cast<double>(std::max<std::uint64_t>(largest, 1));
        kept_ = static_cast<std::uint32_t>(std::clamp(kept, 0.0, 1.0) * 256);
    }

    /// Near what power of two p.q and q.q are, beside r.r: from the largest row sum of the matrix.
    void bound_exponents() {
        double largest = 0;
        diagonal_.assign(a_.rows(), 0.0);
        for (std::size_t i = 0; i < a_.rows(); ++i) {
            double sum = 0;
            for (std::uint64_t k = a_.row_begin()[i]; k < a_.row_begin()[i + 1]; ++k) {
                sum += std::abs(a_.value()[k]);
                if (a_.column()[k] == i) diagonal_[i] = a_.value()[k];
            }
            largest = std::max(largest, sum);
        }
        norm_ = largest;
    }

    void prepare_inverse(bool jacobi) {
        if (!jacobi || inverse_ready_) return;
        for (std::size_t i = 0; i < a_.rows(); ++i)
            if (!(diagonal_[i] > 0))
                throw InvalidInput("Jacobi preconditioner: diagonal element " + std::to_string(i) +
                                   " is not above zero; solve without it");
        for (int p = 0; p < peers_.parts(); ++p) {
            const OnDevice here(peers_.device(p));
            SparseMemory<T>& one = parts_[static_cast<std::size_t>(p)];
            std::vector<T> inverse(one.layout.ghost_base, T(0));
            for (std::uint32_t i = 0; i < one.layout.rows; ++i)
                inverse[i] = static_cast<T>(1 / diagonal_[one.layout.row[i]]);
            one.inverse = to_device(inverse);
        }
        inverse_ready_ = true;
    }

    /// One launch on A c = d; `x`, if given, gains c. `watch`: as SolveWatch's.
    PartedStatus run(std::span<const double> d, double goal, std::uint32_t limit, bool jacobi, std::vector<double>* x,
                     const std::function<bool(std::uint64_t, double)>& watch = {}) {
        SolveWatch looking(watch);
        prepare_inverse(jacobi);
        double rho = 0, rr = 0, pp = 0, largest = norm_;
        if (jacobi) largest = 0;
        for (std::size_t i = 0; i < a_.rows(); ++i) {
            const double inverse = jacobi ? 1 / diagonal_[i] : 1;
            rr += d[i] * d[i];
            rho += d[i] * d[i] * inverse;
            pp += d[i] * inverse * d[i] * inverse;
            largest = std::max(largest, jacobi ? norm_ * inverse : norm_);
        }
        const double product = norm_ * pp, square = largest * norm_ * pp;
        const double expected[kSparseSums] = {rho, rr, product, square};
        std::vector<SparsePart<T>> params(parts_.size());
        const unsigned long long round = peers_.next_round(2 * std::uint64_t{limit} + 64);
        for (int p = 0; p < peers_.parts(); ++p) {
            const OnDevice here(peers_.device(p));
            SparseMemory<T>& one = parts_[static_cast<std::size_t>(p)];
            std::vector<T> r(one.layout.ghost_base, T(0));
            for (std::uint32_t i = 0; i < one.layout.rows; ++i) r[i] = static_cast<T>(d[one.layout.row[i]]);
            one.r.upload(r);
            for (Buffer<T>* v : {&one.x, &one.p, &one.q}) v->zero();
            one.words.zero();
            one.status.zero();
            SparsePart<T>& to = params[static_cast<std::size_t>(p)];
            fill_params(to, one, p, jacobi);
            for (int k = 0; k < kSparseSums; ++k)
                to.exponent[k] = expected[k] > 0 && std::isfinite(expected[k]) ? std::ilogb(expected[k]) + 1 : 0;
            to.goal = goal;
            to.limit = limit;
            to.round = round;
            to.window = p == 0 ? looking.window() : nullptr;
            check(cudaDeviceSynchronize(), "cudaMemcpy to device");
        }
        const SparseKernel<T> kernel = sparse_part_kernel<T>(jacobi);
        const std::size_t shared = std::size_t{kPartedWarps} * stages_ * stage_bytes_;
        PartTimer timer(peers_, 0);
        peers_.launch(kernel, std::span<const SparsePart<T>>(params), static_cast<int>(blocks_), kPartedWarps * 32,
                      shared);
        timer.stop();
        looking.follow(timer);
        peers_.wait();
        PartedStatus status = collect(x);
        if (looking.stopped() && status.end == CgEnd::not_finite) status.end = CgEnd::cancelled;
        return status;
    }

    PartedStatus collect(std::vector<double>* x) {
        PartedStatus status{};
        for (int p = peers_.parts() - 1; p >= 0; --p) {
            const OnDevice here(peers_.device(p));
            const SparseMemory<T>& one = parts_[static_cast<std::size_t>(p)];
            one.status.download(std::span(&status, 1));
            if (status.ended == 0) throw DeviceError("sparse CG over GPUs", "a wait ended early");
            if (x == nullptr) continue;
            std::vector<T> host(one.layout.ghost_base);
            one.x.download(host);
            for (std::uint32_t i = 0; i < one.layout.rows; ++i) (*x)[one.layout.row[i]] += static_cast<double>(host[i]);
        }
        return status;
    }

    void fill_params(SparsePart<T>& to, const SparseMemory<T>& one, int part, bool jacobi) const {
        to.view = peers_.view(part);
        to.stream = reinterpret_cast<const unsigned char*>(one.stream.data());
        to.warp_offset = one.warp_offset.data();
        to.warp_steps = one.warp_steps.data();
        to.block_row = one.block_row.data();
        to.block_send = one.block_send.data();
        to.send = one.send.data();
        to.x = one.x.data();
        to.r = one.r.data();
        to.p = one.p.data();
        to.q = one.q.data();
        to.inverse = jacobi ? one.inverse.data() : nullptr;
        for (std::size_t p = 0; p < parts_.size(); ++p) to.ghosts[p] = parts_[p].p.data();
        for (std::size_t p = 0; p < parts_.size(); ++p) to.words[p] = parts_[p].words.data();
        to.met = one.words.data() + SparseMemory<T>::kBarrier;
        to.sends_to = one.layout.sends_to;
        to.receives_from = one.layout.receives_from;
        for (int k = 0; k < 2; ++k) to.narrow[k] = one.layout.narrow[k] ? 1 : 0;
        to.stages = stages_;
        to.stage_bytes = stage_bytes_;
        to.kept = kept_;
        to.terms = static_cast<long long>(a_.rows());
        to.status = one.status.data();
        to.clocks = one.clocks.data();
    }

    const CompressedRows a_;
    const Partition partition_;
    Peers& peers_;
    const PartedSparseOptions options_; ///< without its spans, whose elements may be gone
    const std::vector<std::uint32_t> rank_;
    static constexpr std::size_t kSharedBytes = 220 << 10; ///< that chunks of a block may have
    static constexpr std::size_t kUsualStages = 132 << 10; ///< bytes of a block's chunks
    std::uint32_t blocks_ = 0, stages_ = 2, stage_bytes_ = 0, kept_ = 0;
    bool on_chip_ = false; ///< shared memory holds every part's matrix
    std::vector<SparseMemory<T>> parts_;
    std::vector<double> diagonal_;
    double norm_ = 0;
    bool inverse_ready_ = false;
};

} // namespace

struct PartedSparse::Impl {
    std::unique_ptr<Base> solver;
};

PartedSparse::PartedSparse(const CompressedRows& a, const Partition& partition, Peers& peers, SparsePrecision precision,
                           const PartedSparseOptions& options)
    : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision)
        impl_->solver = std::make_unique<Solver<float>>(a, partition, peers, options);
    else impl_->solver = std::make_unique<Solver<double>>(a, partition, peers, options);
}
PartedSparse::~PartedSparse() = default;
PartedSparse::PartedSparse(PartedSparse&&) noexcept = default;

SparseCgReport PartedSparse::solve(std::span<const double> b, double tolerance, std::uint32_t max_iterations,
                                   bool jacobi, std::vector<double>* x, const SparseLook& look) {
    return impl_->solver->solve(b, tolerance, max_iterations, jacobi, x, look);
}
PartedSparseTimes PartedSparse::time_iterations(std::uint32_t iterations, bool jacobi, std::vector<double>* x) {
    return impl_->solver->time(iterations, jacobi, x);
}
double PartedSparse::balance(int rounds, std::uint32_t iterations) {
    return impl_->solver->balance(rounds, iterations);
}
std::uint64_t PartedSparse::matrix_bytes() const {
    return impl_->solver->bytes;
}
double PartedSparse::fill() const {
    return impl_->solver->fill;
}
double PartedSparse::narrow() const {
    return impl_->solver->narrow;
}

} // namespace mantissa::gpu
