// The sweeps of a recurrence's plan (plan.hpp) as loops over a block of rows, for double and float: each vector is
// loaded and stored once, and what a product makes goes on in a register. Compiled once for each instruction set
// (numerics/src/isa/isa.hpp: no library templates run here), and for the includer's own.
//
// A row's products are added in order. Sums have kSweepLanes interleaved parts, closed by halving. So the numbers do
// not depend on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mantissa/recurrence/plan.hpp"
#include "mantissa/sparse/slice_product.hpp"

namespace mantissa::recurrence {

/// Elements of a 64-byte register.
template <class T> inline constexpr std::size_t kSweepLanes = kSliceRows<T>;
inline constexpr std::size_t kSweepBlock = 1024, kMostSums = 4;

/// Rows [begin, end), whole registers and at most kSweepBlock: the sweep's steps, update n by factor[n]; sums[k] is the
/// block's share of its k-th sum.
template <class T>
using SweepLoop = void (*)(const RowSlices<T>& a, T* const* vectors, const T* factor, std::size_t begin,
                           std::size_t end, double* sums);

/// The loops of a recurrence.
template <class T> struct SweepLoops {
    SweepLoop<T> start[Plan::kMostSweeps] = {}, iteration[Plan::kMostSweeps] = {}, watch[Plan::kMostSweeps] = {};
};

#if defined(MANTISSA_ISA)
#define MANTISSA_SWEEPS namespace MANTISSA_ISA
#else
#define MANTISSA_SWEEPS inline namespace own
#endif
MANTISSA_SWEEPS {

template <class T> struct SweepVector;
template <> struct SweepVector<double> { using Type = double __attribute__((vector_size(64))); };
template <> struct SweepVector<float> { using Type = float __attribute__((vector_size(64))); };
template <class T> using SweepRegister = typename SweepVector<T>::Type;

template <class T> MANTISSA_INLINE SweepRegister<T> sweep_load(const T* at) {
    SweepRegister<T> v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}

/// What a sweep holds of a group of rows.
template <const Definition& D, class T> struct SweepGroup { SweepRegister<T> value[D.vectors]; };

template <const Definition& D, Section In> inline constexpr Plan kSweepPlan = plan(D, In);

/// How many sums the sweep has in front of step n.
constexpr std::size_t sums_before(const Definition& d, const Sweep& sweep, std::size_t n) {
    std::size_t sums = 0;
    for (std::size_t k = 0; k < n; ++k) sums += d.step[sweep.step[k]].operation == Operation::dot ? 1 : 0;
    return sums;
}

template <const Definition& D, Section In, std::size_t S, std::size_t N, std::uint8_t V, class T>
MANTISSA_INLINE void sweep_fetch(std::size_t i, T* const* at, SweepGroup<D, T>& group) {
    if constexpr (!in_hand(D, kSweepPlan<D, In>.sweep[S], N, V, true)) group.value[V] = sweep_load(at[V] + i);
}

template <const Definition& D, Section In, std::size_t S, std::size_t N, class T>
MANTISSA_INLINE void sweep_step(const RowSlices<T>& a, std::size_t i, T* const* at, const T* factor,
                                SweepGroup<D, T>& group, SweepRegister<T>* sum) {
    constexpr Sweep kSweep = kSweepPlan<D, In>.sweep[S];
    constexpr Step kStep = D.step[kSweep.step[N]];
    if constexpr (kStep.operation == Operation::apply) {
        MANTISSA_SLICES::SlicePart<T> part[MANTISSA_SLICES::kSliceParts];
        MANTISSA_SLICES::slice_product(a, i / kSweepLanes<T>, at[kStep.a], part);
        __builtin_memcpy(&group.value[kStep.result], part, sizeof part);
    } else {
        sweep_fetch<D, In, S, N, kStep.a>(i, at, group);
        constexpr bool kPair = kStep.operation != Operation::copy && kStep.operation != Operation::precondition;
        if constexpr (kPair && kStep.b != kStep.a) sweep_fetch<D, In, S, N, kStep.b>(i, at, group);
        if constexpr (kStep.operation == Operation::dot) {
            sum[sums_before(D, kSweep, N)] += group.value[kStep.a] * group.value[kStep.b];
        } else if constexpr (kStep.operation == Operation::precondition) {
            group.value[kStep.result] = sweep_load(at[kStep.result] + i); // formed in front of the sweep
        } else if constexpr (!kPair) {
            group.value[kStep.result] = group.value[kStep.a];
        } else if constexpr (kStep.operation == Operation::add_scaled) {
            group.value[kStep.result] = group.value[kStep.a] + factor[N] * group.value[kStep.b];
        } else {
            group.value[kStep.result] = group.value[kStep.a] - factor[N] * group.value[kStep.b];
        }
    }
    constexpr bool kStored = kStep.operation != Operation::dot && kStep.operation != Operation::precondition &&
                             kept(D, kStep.result);
    if constexpr (kStored) __builtin_memcpy(at[kStep.result] + i, &group.value[kStep.result], sizeof group.value[0]);
}

template <const Definition& D, Section In, std::size_t S, class T, std::size_t... N>
MANTISSA_INLINE void sweep_block(const RowSlices<T>& a, T* const* vectors, const T* factor, std::size_t begin,
                                 std::size_t end, double* sums, std::index_sequence<N...>) {
    constexpr std::size_t kSums = sums_before(D, kSweepPlan<D, In>.sweep[S], sizeof...(N));
    static_assert(kSums <= kMostSums);
    T* at[D.vectors];
    for (std::size_t v = 0; v < D.vectors; ++v) at[v] = vectors[v];
    T by[sizeof...(N)];
    for (std::size_t n = 0; n < sizeof...(N); ++n) by[n] = factor[n];
    SweepRegister<T> sum[kMostSums] = {};
    for (std::size_t i = begin; i < end; i += kSweepLanes<T>) {
        SweepGroup<D, T> group;
        (sweep_step<D, In, S, N>(a, i, at, by, group, sum), ...);
    }
    for (std::size_t k = 0; k < kSums; ++k) {
        SweepRegister<T> s = sum[k];
        for (std::size_t half = kSweepLanes<T> / 2; half > 0; half /= 2)
            for (std::size_t j = 0; j < half; ++j) s[j] += s[j + half];
        sums[k] = static_cast<double>(s[0]);
    }
}

template <const Definition& D, Section In, std::size_t S, class T>
void sweep_loop(const RowSlices<T>& a, T* const* vectors, const T* factor, std::size_t begin, std::size_t end,
                double* sums) {
    sweep_block<D, In, S, T>(a, vectors, factor, begin, end, sums,
                                    std::make_index_sequence<kSweepPlan<D, In>.sweep[S].steps>());
}

template <const Definition& D, Section In, std::size_t S, class T> constexpr SweepLoop<T> sweep_entry() {
    if constexpr (kSweepPlan<D, In>.sweep[S].steps != 0) return sweep_loop<D, In, S, T>;
    else return nullptr;
}

template <const Definition& D, class T, std::size_t... S>
constexpr SweepLoops<T> sweep_loops(std::index_sequence<S...> /*sweeps*/) {
    return {{sweep_entry<D, Section::start, S, T>()...},
            {sweep_entry<D, Section::iteration, S, T>()...},
            {sweep_entry<D, Section::watch, S, T>()...}};
}
/// The loops of this instruction set.
template <const Definition& D, class T>
inline constexpr SweepLoops<T> kSweepLoops = sweep_loops<D, T>(std::make_index_sequence<Plan::kMostSweeps>());

} // namespace MANTISSA_ISA
} // namespace mantissa::recurrence
