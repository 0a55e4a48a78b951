// The plan of a mixed-precision solve: what is launched, in which order, and what the host reads.
#include "mantissa/gpu/lu_mixed.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "factor.cuh"
#include "mantissa/format.hpp"
#include "refinement.cuh"
#include "substitution.cuh"

namespace mantissa::gpu {

using namespace mixed;

namespace {

constexpr double kUnit = 0x1p-53;

int products(MixedWords words) {
    return words == MixedWords::half || words == MixedWords::bfloat ? 1 : 3;
}

/// Page-locked memory that the device's copies reach while the host works on.
template <class T> class Pinned {
public:
    Pinned() { check(cudaMallocHost(reinterpret_cast<void**>(&value_), sizeof(T)), "cudaMallocHost"); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    ~Pinned() { static_cast<void>(cudaFreeHost(value_)); }
    T* operator->() const { return value_; }
    T* get() const { return value_; }

private:
    T* value_ = nullptr;
};

class Event {
public:
    Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
    void record() { check(cudaEventRecord(event_, nullptr), "cudaEventRecord"); }
    void wait() { check(cudaEventSynchronize(event_), "refinement"); }

private:
    cudaEvent_t event_{};
};

__global__ void begin_factor(int n, int* permutation, FactorState* state, int* overflow) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += static_cast<int>(gridDim.x * blockDim.x))
        permutation[i] = i;
    if (blockIdx.x == 0 && threadIdx.x == 0) state->singular = -1, state->touched = 0, *overflow = 0;
}

} // namespace

class MixedSolver::State {
public:
    State(int n, const MixedOptions& options) : n_(n), options_(options) {
        if (n < 0 || n > kMostRows)
            throw InvalidInput("mixed-precision LU: n = " + std::to_string(n) + ", and it takes 0 to " +
                               std::to_string(kMostRows));
        if (options.cycle_vectors < 1 || options.cycle_vectors > kRestart)
            throw InvalidInput("mixed-precision LU: " + std::to_string(options.cycle_vectors) +
                               " vectors a cycle, and it takes 1 to " + std::to_string(kRestart));
        if (options_.cycle_tolerance == 0.0) options_.cycle_tolerance = products(options.words) == 1 ? 1e-8 : 1e-6;
        if (!(options_.cycle_tolerance > 0.0 && options_.cycle_tolerance < 1.0))
            throw InvalidInput("mixed-precision LU: the tolerance of a cycle lies between 0 and 1");
        if (options.most_residuals < 2) throw InvalidInput("mixed-precision LU: it takes 2 residuals at least");
        multiprocessors_ = require_device().multiprocessors;
        if (n == 0) return;
        rounded_ = (n + kBlock - 1) / kBlock * kBlock;
        const auto size = static_cast<std::size_t>(n), rounded = static_cast<std::size_t>(rounded_);
        const bool half = options.words == MixedWords::half || options.words == MixedWords::half_pair;
        if (half) half_.allocate(rounded_, products(options.words));
        else bfloat_.allocate(rounded_, products(options.words));
        // U of a random matrix grows by about n^(2/3); a tenth of the words' range is left to others.
        factor_ = half ? std::exp2(std::floor(std::log2(0.1 * 65504.0) - 2.0 / 3.0 * std::log2(static_cast<double>(n))))
                       : 1.0;
        row_scale_.allocate(size);
        column_scale_.allocate(size);
        parts_.allocate(2 * size * kSplits);
        lower_.allocate(rounded * kPiece);
        upper_.allocate(rounded * kPiece);
        pieces_.allocate(2 * rounded);
        pieces_.zero();
        v_.allocate(size * static_cast<std::size_t>(options.cycle_vectors + 1));
        z_.allocate(size * static_cast<std::size_t>(options.cycle_vectors));
        triangle_.allocate(kRestart * kRestart);
        small_.allocate(3 * (kRestart + 1));
        control_.allocate(1);
        check(cudaFuncSetAttribute(invert_diagonals, cudaFuncAttributeMaxDynamicSharedMemorySize, kInvertShared),
              "shared memory");
        check(cudaFuncSetAttribute(orthogonalise, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cluster size");
    }

    MixedResult solve(const double* a, long lda, const double* b, double* x) {
        MixedResult result;
        if (n_ == 0) return result;
        timer_.start();
        prepare(a, lda);
        marks_[0].start();
        run_factor();
        marks_[1].start();
        check(cudaMemsetAsync(x, 0, sizeof(double) * static_cast<std::size_t>(n_), nullptr), "cudaMemset");
        invert_diagonals<<<dim3(static_cast<unsigned>(rounded_ / kPiece), 2), 128, kInvertShared>>>(
            matrix(), rounded_, lower_.data(), upper_.data());
        judge_residual(b, x, true);
        if (options_.refinement == MixedRefinement::gmres) refine_by_gmres(a, lda, b, x);
        else refine_by_factors(a, lda, b, x);
        const double all = timer_.stop(), from_factor = marks_[0].stop(), from_refine = marks_[1].stop();
        result.prepare_seconds = all - from_factor;
        result.factor_seconds = from_factor - from_refine;
        result.refine_seconds = from_refine;
        report(result);
        return result;
    }

    double factor(const double* a, long lda) {
        if (n_ == 0) return 0.0;
        prepare(a, lda);
        timer_.start();
        run_factor();
        return timer_.stop();
    }

    [[nodiscard]] std::vector<int> permutation() const {
        std::vector<int> all(static_cast<std::size_t>(rounded_));
        if (n_ > 0) (half_.n > 0 ? half_.permutation : bfloat_.permutation).download(all);
        all.resize(static_cast<std::size_t>(n_));
        return all;
    }

private:
    template <class Work> decltype(auto) with_factors(Work&& work) const {
        return half_.n > 0 ? work(half_) : work(bfloat_);
    }
    [[nodiscard]] const float* matrix() const {
        return with_factors([](const auto& f) -> const float* { return f.a.data(); });
    }
    [[nodiscard]] unsigned blocks(int per_block) const {
        return static_cast<unsigned>((n_ + per_block - 1) / per_block);
    }

    void prepare(const double* a, long lda) {
        check(cudaMemsetAsync(control_.data(), 0, sizeof(Control), nullptr), "cudaMemset");
        double* const sums = parts_.data() + static_cast<std::size_t>(n_) * kSplits;
        measure_rows<<<dim3(blocks(kRowTile), kSplits), 256>>>(a, lda, n_, parts_.data(), sums);
        scale_rows<<<1, 1024>>>(n_, parts_.data(), sums, row_scale_.data(), control_.data());
        scale_columns<<<static_cast<unsigned>(n_), 256>>>(a, lda, n_, row_scale_.data(), column_scale_.data());
        with_factors([&](const auto& f) {
            const auto tiles = static_cast<unsigned>(rounded_ / 64);
            scale_matrix<<<dim3(tiles, tiles), 256>>>(a, lda, n_, rounded_, row_scale_.data(), column_scale_.data(),
                                                      factor_, f.a.data());
            begin_factor<<<64, 256>>>(rounded_, f.permutation.data(), f.state.data(), f.overflow.data());
        });
        check(cudaGetLastError(), "scaling");
    }
    void run_factor() {
        if (half_.n > 0) mixed::factor(half_, nullptr);
        else mixed::factor(bfloat_, nullptr);
    }

    [[nodiscard]] Krylov krylov() const {
        double* const small = small_.data();
        return {n_,
                v_.data(),
                z_.data(),
                triangle_.data(),
                small,
                small + kRestart + 1,
                small + 2 * (kRestart + 1),
                parts_.data(),
                row_scale_.data(),
                control_.data(),
                options_.cycle_tolerance,
                options_.cycle_vectors};
    }
    void judge_residual(const double* b, const double* x, bool first) {
        const double n = n_;
        judge<<<1, 1024>>>(krylov(), b, x, StopRule{kUnit * std::sqrt(n), kUnit * n, options_.most_residuals}, first);
        check(cudaGetLastError(), "judge");
    }
    void multiply(const double* a, long lda, const double* x, bool in_cycle) {
        multiply_matrix<<<dim3(blocks(kRowTile), kSplits), 256>>>(a, lda, n_, x, parts_.data(), control_.data(),
                                                                  in_cycle);
    }
    void apply_factors(const double* v, double* z) {
        if (++epoch_ == 0) ++epoch_;
        const int count = rounded_ / kPiece;
        SubstituteTask task{matrix(),
                            rounded_,
                            lower_.data(),
                            upper_.data(),
                            count,
                            n_,
                            nullptr,
                            column_scale_.data(),
                            factor_,
                            v,
                            z,
                            pieces_.data(),
                            pieces_.data() + rounded_,
                            epoch_,
                            control_.data()};
        task.permutation = with_factors([](const auto& f) -> const int* { return f.permutation.data(); });
        void* arguments[] = {&task};
        check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(substitute),
                                          dim3(static_cast<unsigned>(std::min(count, multiprocessors_))),
                                          dim3(kSubstituteThreads), arguments, 0, nullptr),
              "substitute");
    }
    void append_vector(int j) {
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(kOrthoCluster);
        config.blockDim = dim3(kOrthoThreads);
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {kOrthoCluster, 1, 1};
        config.attrs = &attribute;
        config.numAttrs = 1;
        check(cudaLaunchKernelEx(&config, orthogonalise, krylov(), j), "orthogonalise");
    }
    void send_control(int slot) {
        check(cudaMemcpyAsync(seen_[slot].get(), control_.data(), sizeof(Control), cudaMemcpyDeviceToHost, nullptr),
              "cudaMemcpy");
        events_[slot].record();
    }
    /// Whether the solve goes on, as the device sees it after the last residual: the host's one word per cycle.
    bool goes_on() {
        send_control(0);
        events_[0].wait();
        return seen_[0]->end == static_cast<int>(End::running);
    }

    void refine_by_gmres(const double* a, long lda, const double* b, double* x) {
        constexpr int kAhead = 4; // vectors the host launches before it looks, one group late, whether they are wanted
        for (;;) {
            int group = 0;
            for (int j = 0; j < options_.cycle_vectors; ++j) {
                double* const z = z_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(n_);
                apply_factors(v_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(n_), z);
                multiply(a, lda, z, true);
                append_vector(j);
                if ((j + 1) % kAhead != 0) continue;
                send_control(group & 1);
                if (group > 0) {
                    events_[(group - 1) & 1].wait();
                    const Control& c = *seen_[(group - 1) & 1].get();
                    if (c.cycle_done != 0 || c.end != 0) break;
                }
                ++group;
            }
            correct<<<blocks(256), 256>>>(krylov(), x);
            multiply(a, lda, x, false);
            judge_residual(b, x, false);
            if (!goes_on()) return;
        }
    }
    void refine_by_factors(const double* a, long lda, const double* b, double* x) {
        do {
            apply_factors(v_.data(), z_.data());
            add_correction<<<blocks(256), 256>>>(krylov(), x);
            multiply(a, lda, x, false);
            judge_residual(b, x, false);
        } while (goes_on());
    }

    void report(MixedResult& result) const {
        FactorState state{};
        int overflow = 0;
        with_factors([&](const auto& f) {
            f.state.download(std::span(&state, 1));
            f.overflow.download(std::span(&overflow, 1));
        });
        const Control& c = *seen_[0].get();
        result.residuals = c.outer;
        result.corrections = c.inner;
        result.backward_error = c.ratio;
        result.hpl_residual = c.ratio / (kUnit * n_);
        const auto end = static_cast<End>(c.end);
        result.status = end == End::converged ? MixedStatus::converged : MixedStatus::stagnated;
        if (end == End::not_finite || end == End::stagnated) {
            if (!std::isfinite(c.norm_a) || !std::isfinite(c.norm_b)) result.status = MixedStatus::not_finite;
            else if (state.singular >= 0 && state.singular < n_)
                result.status = MixedStatus::singular, result.column = state.singular;
            else if (overflow != 0) result.status = MixedStatus::overflow;
            else if (end == End::not_finite) result.status = MixedStatus::not_finite;
        }
    }

    int n_, rounded_ = 0, multiprocessors_ = 0;
    MixedOptions options_;
    double factor_ = 1.0;
    Factors<__half> half_;
    Factors<__nv_bfloat16> bfloat_;
    Buffer<double> row_scale_, column_scale_, parts_, v_, z_, triangle_, small_;
    Buffer<float> lower_, upper_;
    Buffer<unsigned long long> pieces_;
    Buffer<Control> control_;
    unsigned epoch_ = 0;
    Pinned<Control> seen_[2];
    Event events_[2];
    Timer timer_, marks_[2];
};

MixedSolver::MixedSolver(int n, const MixedOptions& options) : state_(std::make_unique<State>(n, options)) {}
MixedSolver::MixedSolver(MixedSolver&&) noexcept = default;
MixedSolver& MixedSolver::operator=(MixedSolver&&) noexcept = default;
MixedSolver::~MixedSolver() = default;
MixedResult MixedSolver::solve(const double* a, long lda, const double* b, double* x) {
    return state_->solve(a, lda, b, x);
}
double MixedSolver::factor(const double* a, long lda) {
    return state_->factor(a, lda);
}
std::vector<int> MixedSolver::permutation() const {
    return state_->permutation();
}

namespace {

__global__ void transpose_square(const double* __restrict__ from, double* __restrict__ to, int n) {
    __shared__ double tile[32][33];
    const int x = static_cast<int>(blockIdx.x) * 32, y = static_cast<int>(blockIdx.y) * 32;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    for (int q = ty; q < 32; q += 8)
        if (y + q < n && x + tx < n) tile[q][tx] = from[static_cast<long>(y + q) * n + x + tx];
    __syncthreads();
    for (int q = ty; q < 32; q += 8)
        if (x + q < n && y + tx < n) to[static_cast<long>(x + q) * n + y + tx] = tile[tx][q];
}

} // namespace

MixedResult solve_mixed(std::span<const double> a, std::span<const double> b, std::span<double> x, bool by_rows,
                        const MixedOptions& options) {
    const std::size_t n = b.size();
    if (a.size() != n * n || x.size() != n)
        throw InvalidInput("mixed-precision LU: a matrix of " + std::to_string(a.size()) + " words does not go with " +
                           std::to_string(n) + " right-hand sides' words and " + std::to_string(x.size()) +
                           " unknowns");
    if (n > static_cast<std::size_t>(kMostRows))
        throw InvalidInput("mixed-precision LU: n = " + std::to_string(n) + ", and it takes 0 to " +
                           std::to_string(kMostRows));
    MixedSolver solver(static_cast<int>(n), options);
    if (n == 0) return {};
    Buffer<double> matrix(n * n), right(n), solution(n);
    matrix.upload(a);
    right.upload(b);
    if (by_rows) {
        Buffer<double> columns(n * n);
        const auto tiles = static_cast<unsigned>((n + 31) / 32);
        transpose_square<<<dim3(tiles, tiles), dim3(32, 8)>>>(matrix.data(), columns.data(), static_cast<int>(n));
        check(cudaGetLastError(), "transpose");
        matrix = std::move(columns);
    }
    const MixedResult result = solver.solve(matrix.data(), static_cast<long>(n), right.data(), solution.data());
    solution.download(x);
    return result;
}

std::string_view to_string(MixedStatus status) {
    switch (status) {
    case MixedStatus::converged:
        return "converged";
    case MixedStatus::stagnated:
        return "stagnated";
    case MixedStatus::singular:
        return "singular";
    case MixedStatus::overflow:
        return "overflow";
    case MixedStatus::not_finite:
        return "not finite";
    }
    return "";
}
std::string_view to_string(MixedWords words) {
    switch (words) {
    case MixedWords::half:
        return "half";
    case MixedWords::half_pair:
        return "half-pair";
    case MixedWords::bfloat:
        return "bfloat";
    case MixedWords::bfloat_pair:
        return "bfloat-pair";
    }
    return "";
}

} // namespace mantissa::gpu
