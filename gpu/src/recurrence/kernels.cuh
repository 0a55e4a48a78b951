// The kernels of a recurrence on sparse rows. Its definition (mantissa/recurrence/definition.hpp) is a template
// argument: every sweep of its plan (plan.hpp) that goes over memory is one kernel, in which each vector is loaded and
// stored once, and the block that comes last adds all blocks' sums and goes through the scalar statements after the
// sweep. Scalars never leave the device. Vectors are in T, sums and scalars in double.
//
// A definition comes as a type R with `static constexpr recurrence::Definition kDefinition`. It is the host's: device
// code takes of it, and of Sweeps, constants alone.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "mantissa/recurrence/plan.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"
#include "schedules/storage.cuh"
#include "sparse/sparse_products.cuh"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

using recurrence::Section;

inline constexpr int kRecurrenceThreads = 256, kRecurrenceBlocks = 1056;
inline constexpr std::size_t kRecurrenceSums = 4; ///< of one sweep, at most

/// Where a recurrence stands; changed by one thread at a time.
template <class R> struct RecurrenceState {
    double scalar[R::kDefinition.scalars];
    double threshold;  ///< of the definition's `stop`
    double culprit;    ///< the scalar whose test ended the run
    std::uint64_t due; ///< bit k: step k, an advance that is put off, is still to be made
    std::uint32_t passes, limit;
    std::uint32_t advanced; ///< the iteration that runs changed the solution
    std::uint32_t done;
    RunEnd end;
};

template <class R, class T> struct RecurrenceVectors { T* at[R::kDefinition.vectors]; };

/// Sums of blocks, `kRecurrenceBlocks` places for each, and how many blocks have left theirs; places for rows that no
/// thread is sure to get, `late_count` for each sum.
struct RecurrenceSums {
    double *partial, *late;
    std::uint32_t* arrived;
    std::uint32_t late_count;
};

/// What is known of a recurrence's sweeps when it is compiled. Sweep numbers are the plan's.
template <class R> struct Sweeps {
    static constexpr recurrence::Plan plan(Section in) { return recurrence::plan(R::kDefinition, in); }
    static constexpr recurrence::Sweep of(Section in, std::size_t s) { return plan(in).sweep[s]; }
    static constexpr recurrence::Step step(std::size_t k) { return R::kDefinition.step[k]; }
    /// Scalar statements alone: they run after the sweep before.
    static constexpr bool empty(Section in, std::size_t s) { return of(in, s).steps == 0; }
    /// Dot products in front of step n of a sweep.
    static constexpr std::size_t sums_before(Section in, std::size_t s, std::size_t n) {
        const recurrence::Sweep sweep = of(in, s);
        std::size_t sums = 0;
        for (std::size_t k = 0; k < n; ++k) sums += step(sweep.step[k]).operation == recurrence::Operation::dot ? 1 : 0;
        return sums;
    }
    static constexpr std::size_t sums(Section in, std::size_t s) { return sums_before(in, s, of(in, s).steps); }
    /// The scalar that dot product k of a sweep forms.
    static constexpr std::size_t scalar_of_sum(Section in, std::size_t s, std::size_t k) {
        const recurrence::Sweep sweep = of(in, s);
        std::size_t n = 0;
        while (sums_before(in, s, n + 1) <= k) ++n;
        return step(sweep.step[n]).result;
    }
    /// The product's place among the sweep's steps; `steps` where it has none.
    static constexpr std::size_t product(Section in, std::size_t s) {
        const recurrence::Sweep sweep = of(in, s);
        std::size_t n = 0;
        while (n < sweep.steps && step(sweep.step[n]).operation != recurrence::Operation::apply) ++n;
        return n;
    }
    static constexpr bool has_product(Section in, std::size_t s) { return product(in, s) < of(in, s).steps; }
    static constexpr bool last(Section in, std::size_t s) {
        return in == Section::iteration && s + 1 == plan(in).sweeps;
    }
    /// Does anything happen after the sweep?
    static constexpr bool has_end(Section in, std::size_t s) {
        const recurrence::Sweep sweep = of(in, s);
        return sums(in, s) > 0 || sweep.scalar_to > sweep.scalar_from || last(in, s);
    }
    static constexpr bool put_off(std::size_t k) {
        const recurrence::Definition d = R::kDefinition;
        return k >= d.first && k < d.watched && recurrence::detail::advances(d, d.step[k]) &&
               recurrence::detail::put_off(d, static_cast<std::uint8_t>(k)) != k;
    }
    /// Advances that are put off and stand between step `from` and the next scalar statement.
    static constexpr std::uint64_t issued(std::size_t from) {
        std::uint64_t bits = 0;
        for (std::size_t k = from; k < R::kDefinition.watched && !recurrence::on_scalars(step(k).operation); ++k)
            if (put_off(k)) bits |= std::uint64_t{1} << k;
        return bits;
    }
    /// An iteration without sums has one end, of scalars alone. One thread hands what follows it on to the next
    /// iteration's state, and no block waits for the others.
    static constexpr bool hands_on(Section in, std::size_t s) {
        if (!last(in, s)) return false;
        for (std::size_t k = 0; k <= s; ++k)
            if (sums(in, k) > 0 || (k < s && has_end(in, k))) return false;
        return true;
    }
    struct Made {
        std::uint64_t due = 0; ///< that were made
        bool advanced = false;
    };
    /// What the sweeps up to s did to the solution since the last one that had an end.
    static constexpr Made made(Section in, std::size_t s) {
        Made made;
        for (std::size_t k = s + 1; k-- > 0;) {
            if (k < s && has_end(in, k)) break;
            const recurrence::Sweep sweep = of(in, k);
            for (std::size_t n = 0; n < sweep.steps; ++n) {
                if (put_off(sweep.step[n])) made.due |= std::uint64_t{1} << sweep.step[n];
                else if (recurrence::detail::advances(R::kDefinition, step(sweep.step[n]))) made.advanced = true;
            }
        }
        return made;
    }
    static constexpr bool kept(std::uint8_t v) { return recurrence::kept(R::kDefinition, v); }
    static constexpr bool in_hand(Section in, std::size_t s, std::size_t n, std::uint8_t v) {
        return recurrence::in_hand(R::kDefinition, of(in, s), n, v, true);
    }
    /// Scalar statements that an iteration begins with.
    static constexpr std::size_t leading() {
        return empty(Section::iteration, 0) ? of(Section::iteration, 0).scalar_to : R::kDefinition.first;
    }
    /// Scalar statements that are all that runs once, as far as there are any.
    static constexpr std::size_t at_start() { return empty(Section::start, 0) ? of(Section::start, 0).scalar_to : 0; }
};

#ifdef __CUDACC__

struct DeviceDoubles {
    [[nodiscard]] __device__ double add(double a, double b) const { return a + b; }
    [[nodiscard]] __device__ double sub(double a, double b) const { return a - b; }
    [[nodiscard]] __device__ double mul(double a, double b) const { return a * b; }
    [[nodiscard]] __device__ double div(double a, double b) const { return a / b; }
};

/// The scalar statements from step First on.
template <class R, std::size_t First, std::size_t... K>
__device__ RunEnd scalar_statements(RecurrenceState<R>& state, std::index_sequence<K...>) {
    constexpr std::size_t kScalars = R::kDefinition.scalars;
    RunEnd end = RunEnd::passes;
    recurrence::ScalarFindings findings;
    const auto one = [&](const recurrence::Step& step) {
        if (end == RunEnd::passes)
            end = recurrence::scalar_step(DeviceDoubles{}, step, std::span<double>(state.scalar, kScalars),
                                          state.threshold, true, findings);
    };
    (
        [&] {
            constexpr recurrence::Step step = Sweeps<R>::step(First + K);
            one(step);
        }(),
        ...);
    if (end != RunEnd::passes) state.culprit = findings.culprit;
    return end;
}

/// A run that ended by its limit is looked at once more.
template <class R, Section In> __device__ bool is_over(const RecurrenceState<R>* state) {
    return state->done != 0 && (In != Section::watch || state->end != RunEnd::passes);
}

template <class R> __device__ void end_recurrence(RecurrenceState<R>& state, RunEnd end) {
    state.passes += state.advanced;
    state.end = end;
    state.done = 1;
}

/// An iteration begins, or the limit is reached.
template <class R> __device__ void begin_iteration(RecurrenceState<R>& state) {
    constexpr std::size_t kFirst = R::kDefinition.first, kLeading = Sweeps<R>::leading();
    constexpr std::uint64_t kIssued = Sweeps<R>::issued(kLeading);
    constexpr bool kBegun = R::kDefinition.counts == recurrence::Counts::begun;
    state.advanced = 0;
    if (state.passes >= state.limit) return end_recurrence(state, RunEnd::passes);
    state.advanced = kBegun ? 1 : 0;
    const RunEnd end = scalar_statements<R, kFirst>(state, std::make_index_sequence<kLeading - kFirst>());
    if (end != RunEnd::passes) return end_recurrence(state, end);
    state.due |= kIssued;
    if (kIssued != 0) state.advanced = 1;
}

/// What follows sweep S, its sums being formed.
template <class R, Section In, std::size_t S> __device__ void end_sweep(RecurrenceState<R>& state) {
    constexpr recurrence::Sweep kSweep = Sweeps<R>::of(In, S);
    constexpr auto kMade = Sweeps<R>::made(In, S);
    constexpr std::size_t kFrom = kSweep.scalar_from, kCount = kSweep.scalar_to - kFrom;
    constexpr std::uint64_t kIssued = In == Section::iteration && kCount > 0 ? Sweeps<R>::issued(kSweep.scalar_to) : 0;
    state.due &= ~kMade.due;
    if (kMade.advanced) state.advanced = 1;
    const RunEnd end = scalar_statements<R, kFrom>(state, std::make_index_sequence<kCount>());
    if constexpr (In == Section::watch) {
        if (end != RunEnd::passes) state.end = end;
        if (end != RunEnd::passes) state.done = 1;
        return;
    }
    if (end != RunEnd::passes) return end_recurrence(state, end);
    state.due |= kIssued;
    if (kIssued != 0) state.advanced = 1;
    if constexpr (Sweeps<R>::last(In, S)) {
        state.passes += state.advanced;
        begin_iteration(state);
    }
}

/// The block that comes last adds up what all left, in the blocks' order, and one thread of it does what follows the
/// sweep. All threads of all blocks call it.
template <class R, Section In, std::size_t S, std::size_t... K>
__device__ void close_sweep(const double* sum, RecurrenceState<R>* state, const RecurrenceSums& sums,
                            std::index_sequence<K...>) {
    constexpr int kWarps = kRecurrenceThreads / 32;
    constexpr std::size_t kSums = sizeof...(K);
    __shared__ double scratch[kSums + 1][kWarps];
    __shared__ bool last;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const auto over_block = [&](std::size_t k, double s) {
        s = warp_sum(s);
        if (lane == 0) scratch[k][warp] = s;
    };
    const auto closed = [&](std::size_t k) {
        double s = 0;
        for (int w = 0; w < kWarps; ++w) s += scratch[k][w];
        return s;
    };
    (over_block(K, sum[K]), ...);
    __syncthreads();
    if constexpr (kSums > 0)
        if (threadIdx.x < kSums)
            __stcg(sums.partial + threadIdx.x * kRecurrenceBlocks + blockIdx.x, closed(threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(sums.arrived, 1U) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    const auto over_grid = [&](std::size_t k) {
        double s = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += kRecurrenceThreads)
            s += __ldcg(sums.partial + k * kRecurrenceBlocks + i);
        if constexpr (Sweeps<R>::has_product(In, S))
            for (std::uint32_t i = threadIdx.x; i < sums.late_count; i += kRecurrenceThreads)
                s += __ldcg(sums.late + k * sums.late_count + i);
        over_block(k, s);
    };
    (over_grid(K), ...);
    __syncthreads();
    if (threadIdx.x != 0) return;
    RecurrenceState<R> now = *state;
    (
        [&] {
            constexpr std::size_t kScalar = Sweeps<R>::scalar_of_sum(In, S, K);
            now.scalar[kScalar] = closed(K);
        }(),
        ...);
    end_sweep<R, In, S>(now);
    *state = now;
    *sums.arrived = 0;
}

/// What a sweep that hands on leaves in `next`: the state after it, or the end as it stands.
template <class R, Section In, std::size_t S>
__device__ void hand_on(const RecurrenceState<R>* state, RecurrenceState<R>* next) {
    if (grid_thread() != 0) return;
    RecurrenceState<R> now = *state;
    if (now.done == 0) end_sweep<R, In, S>(now);
    *next = now;
}

/// After a sweep, the sums of this thread being there.
template <class R, Section In, std::size_t S>
__device__ void after_sweep(const double* sum, RecurrenceState<R>* state, RecurrenceState<R>* next,
                            const RecurrenceSums& sums) {
    if constexpr (Sweeps<R>::hands_on(In, S)) hand_on<R, In, S>(state, next);
    else if constexpr (Sweeps<R>::has_end(In, S))
        close_sweep<R, In, S>(sum, state, sums, std::make_index_sequence<Sweeps<R>::sums(In, S)>());
}

/// Vector V for step N, unless it is in its registers.
template <class R, Section In, std::size_t S, std::size_t N, std::uint8_t V, int L, class T>
__device__ __forceinline__ void fetch(long long i, const RecurrenceVectors<R, T>& vectors, Vector<T, L>* value) {
    if constexpr (!Sweeps<R>::in_hand(In, S, N, V))
        value[V] = *reinterpret_cast<const Vector<T, L>*>(vectors.at[V] + i);
}

/// Step N of a sweep for L elements from i on. `value`: the vectors that the sweep has in registers.
template <class R, Section In, std::size_t S, std::size_t N, int L, class T>
__device__ __forceinline__ void element(long long i, const RecurrenceVectors<R, T>& vectors, Vector<T, L>* value,
                                        const T* factor, double* sum) {
    using recurrence::Operation;
    constexpr recurrence::Sweep kSweep = Sweeps<R>::of(In, S);
    constexpr recurrence::Step kStep = Sweeps<R>::step(kSweep.step[N]);
    if constexpr (kStep.operation != Operation::apply) {
        fetch<R, In, S, N, kStep.a>(i, vectors, value);
        if constexpr (kStep.operation == Operation::dot) {
            constexpr std::size_t kSum = Sweeps<R>::sums_before(In, S, N);
            if constexpr (kStep.a != kStep.b) fetch<R, In, S, N, kStep.b>(i, vectors, value);
#pragma unroll
            for (int l = 0; l < L; ++l)
                sum[kSum] += static_cast<double>(value[kStep.a].x[l]) * static_cast<double>(value[kStep.b].x[l]);
            return;
        } else if constexpr (kStep.operation == Operation::copy || kStep.operation == Operation::precondition) {
            value[kStep.result] = value[kStep.a];
        } else {
            if constexpr (kStep.a != kStep.b) fetch<R, In, S, N, kStep.b>(i, vectors, value);
#pragma unroll
            for (int l = 0; l < L; ++l) {
                const T other = factor[N] * value[kStep.b].x[l], first = value[kStep.a].x[l];
                value[kStep.result].x[l] = kStep.operation == Operation::add_scaled ? first + other : first - other;
            }
        }
    }
    constexpr bool kStored = kStep.operation != Operation::dot && Sweeps<R>::kept(kStep.result);
    if constexpr (kStored) *reinterpret_cast<Vector<T, L>*>(vectors.at[kStep.result] + i) = value[kStep.result];
}

/// The factors of a sweep's updates, zero for what was put off to it and is not due.
template <class R, Section In, std::size_t S, class T, std::size_t... N>
__device__ __forceinline__ void load_factors(const RecurrenceState<R>* state, T* factor, std::index_sequence<N...>) {
    (
        [&] {
            constexpr std::size_t kStep = Sweeps<R>::of(In, S).step[N];
            constexpr recurrence::Operation kDoes = Sweeps<R>::step(kStep).operation;
            factor[N] = 0;
            if constexpr (kDoes == recurrence::Operation::add_scaled || kDoes == recurrence::Operation::sub_scaled) {
                constexpr std::size_t kScalar = Sweeps<R>::step(kStep).scalar;
                constexpr bool kPutOff = Sweeps<R>::put_off(kStep);
                if (!kPutOff || (state->due >> kStep & 1) != 0) factor[N] = static_cast<T>(state->scalar[kScalar]);
            }
        }(),
        ...);
}

template <class R, Section In, std::size_t S, int L, class T, std::size_t... N>
__device__ __forceinline__ void elements(long long i, const RecurrenceVectors<R, T>& vectors, Vector<T, L>* value,
                                         const T* factor, double* sum, std::index_sequence<N...>) {
    (element<R, In, S, N, L>(i, vectors, value, factor, sum), ...);
}

/// A sweep without a product over `groups` of 16 bytes.
template <class R, Section In, std::size_t S, class T>
__global__ void __launch_bounds__(kRecurrenceThreads)
    sweep_vectors(const RecurrenceVectors<R, T> vectors, long long groups, RecurrenceState<R>* state,
                  RecurrenceState<R>* next, const RecurrenceSums sums) {
    constexpr std::size_t kSteps = Sweeps<R>::of(In, S).steps;
    constexpr int kLanes = 16 / sizeof(T);
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (is_over<R, In>(state)) {
        if constexpr (Sweeps<R>::hands_on(In, S)) hand_on<R, In, S>(state, next);
        return;
    }
    T factor[kSteps];
    load_factors<R, In, S>(state, factor, std::make_index_sequence<kSteps>());
    double sum[kRecurrenceSums] = {};
    for (long long g = grid_thread(); g < groups; g += grid_threads()) {
        Vector<T, kLanes> value[R::kDefinition.vectors];
        elements<R, In, S, kLanes>(g * kLanes, vectors, value, factor, sum, std::make_index_sequence<kSteps>());
    }
    after_sweep<R, In, S>(sum, state, next, sums);
}

/// A sweep with a product of A, whose other steps are done row by row.
template <class R, Section In, std::size_t S, class Operator>
__global__ void __launch_bounds__(kRecurrenceThreads)
    sweep_product(const Operator a, const RecurrenceVectors<R, typename Operator::Value> vectors, long long rows,
                  RecurrenceState<R>* state, RecurrenceState<R>* next, const RecurrenceSums sums) {
    using T = typename Operator::Value;
    constexpr recurrence::Sweep kSweep = Sweeps<R>::of(In, S);
    constexpr std::size_t kSteps = kSweep.steps, kSums = Sweeps<R>::sums(In, S);
    constexpr recurrence::Step kProduct = Sweeps<R>::step(kSweep.step[Sweeps<R>::product(In, S)]);
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (is_over<R, In>(state)) {
        if constexpr (Sweeps<R>::hands_on(In, S)) hand_on<R, In, S>(state, next);
        return;
    }
    T factor[kSteps];
    load_factors<R, In, S>(state, factor, std::make_index_sequence<kSteps>());
    double sum[kRecurrenceSums] = {};
    const auto take = [&](long long row, T v, std::uint32_t number = ~0u) {
        if (row >= rows) return; // padding of the last block
        Vector<T, 1> value[R::kDefinition.vectors];
        value[kProduct.result].x[0] = v;
        double one[kRecurrenceSums] = {};
        elements<R, In, S, 1>(row, vectors, value, factor, one, std::make_index_sequence<kSteps>());
        if constexpr (kSums > 0) {
#pragma unroll
            for (std::size_t k = 0; k < kSums; ++k) {
                if (number == ~0u) sum[k] += one[k];
                else __stcg(sums.late + k * sums.late_count + number, one[k]);
            }
        }
    };
    for_rows(a, vectors.at[kProduct.a], take, NothingToAwait{});
    after_sweep<R, In, S>(sum, state, next, sums);
}

/// After the sweeps that run once.
template <class R> __global__ void begin_first_iteration(RecurrenceState<R>* state) {
    AwaitEarlierKernels{}();
    constexpr std::size_t kStatements = Sweeps<R>::at_start();
    if (state->done != 0) return;
    const RunEnd end = scalar_statements<R, 0>(*state, std::make_index_sequence<kStatements>());
    if (end != RunEnd::passes) return end_recurrence(*state, end);
    begin_iteration(*state);
}

/// The iterate with all that is due and what the recurrence lags behind.
template <class R, class T, std::size_t... K>
__device__ T whole_iterate(long long i, const RecurrenceVectors<R, T>& vectors, const RecurrenceState<R>* state,
                           std::index_sequence<K...>) {
    constexpr std::size_t kSolution = R::kDefinition.solution;
    T u = vectors.at[kSolution][i];
    (
        [&] {
            if constexpr (Sweeps<R>::put_off(K)) {
                constexpr recurrence::Step kStep = Sweeps<R>::step(K);
                const T other = static_cast<T>(state->scalar[kStep.scalar]) * vectors.at[kStep.b][i];
                if ((state->due >> K & 1) != 0)
                    u = kStep.operation == recurrence::Operation::add_scaled ? u + other : u - other;
            }
        }(),
        ...);
    if constexpr (R::kDefinition.lag_vector != recurrence::Definition::kNone) {
        constexpr std::size_t kVector = R::kDefinition.lag_vector, kScalar = R::kDefinition.lag_scalar;
        u += static_cast<T>(state->scalar[kScalar]) * vectors.at[kVector][i];
    }
    return u;
}
template <class R, class T>
__global__ void __launch_bounds__(kRecurrenceThreads)
    copy_iterate(const RecurrenceVectors<R, T> vectors, const RecurrenceState<R>* state, long long rows, T* to) {
    for (long long i = grid_thread(); i < rows; i += grid_threads())
        to[i] = whole_iterate(i, vectors, state, std::make_index_sequence<R::kDefinition.steps>());
}

#endif

} // namespace mantissa::gpu
