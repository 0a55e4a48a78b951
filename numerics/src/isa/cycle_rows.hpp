// Rows of a multilevel cycle in words on a grid of a constant stencil (multilevel/cycle.hpp). Internal to the library.
// Words in work are of type S: 32 bits where everything fits, else 64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

/// half(x, s) for any s, without a branch: (((x << left) >> right) + one) >> one.
struct HalfShift {
    int left = 0, right = 0, one = 0;
    constexpr HalfShift() = default;
    /// For words of `bits` bits.
    constexpr HalfShift(int s, int bits)
        : left(s < 0 ? -s : 0), right(s <= 0     ? 0
                                      : s < bits ? s - 1
                                                 : bits - 1),
          one(s > 0 ? 1 : 0) {}
};
/// centre p + east (W + E) + north (N + S) + corner (the other four)
struct RowStencil {
    int centre, east, north, corner;
};
/// How r - A x is rounded: cut(half((r << r_left) - (A x << x_left), down), cut at `most`); A x is first held within
/// `x_most`.
struct RestShifts {
    int r_left = 0, x_left = 0;
    std::int64_t x_most = 0;
    HalfShift down;
    std::int64_t most = 0;
};

template <class S> struct CycleRowKernels {
    /// g = cut(half(m r, s)); f = cut(f + g), or g at first.
    void (*find)(const S* r, int m, HalfShift s, S most, bool first, S* g, S* f, std::size_t n);
    /// Of the inner elements of a row; x0, x1, x2 are the rows south, here and north. The ends become 0.
    void (*rest)(const S* r, const S* x0, const S* x1, const S* x2, const RowStencil& a, const RestShifts& shifts,
                 S* out, std::size_t n);
    /// t of (n + 1) / 2 elements from three rows of r; `sums` is scratch of n. Returns the largest magnitude.
    S (*restrict_rows)(const S* r0, const S* r1, const S* r2, S* sums, S* t, std::size_t n);
    /// r = cut(half(t, s))
    void (*enter)(const S* t, HalfShift s, S most, std::int16_t* r, std::size_t n);
    /// A row of e from words of f and of v: v0 is v1 on rows that the coarse grid has. n: fine elements.
    void (*rise)(const S* f, const std::int32_t* v0, const std::int32_t* v1, HalfShift of_f, HalfShift of_x, S* e,
                 std::size_t n);
    /// e = cut(e + half(m r, s)) into out.
    void (*add)(const S* e, const S* r, int m, HalfShift s, S most, S* out, std::size_t n);
    S (*largest)(const S* e, std::size_t n);
    /// v = cut(half(e, s)). Returns the largest magnitude.
    std::int32_t (*shorten)(const S* e, HalfShift s, S most, std::int32_t* v, std::size_t n);
    void (*widen)(const std::int16_t* r, S* out, std::size_t n);
};

namespace baseline {
const CycleRowKernels<std::int32_t>& cycle_rows_32();
const CycleRowKernels<std::int64_t>& cycle_rows_64();
} // namespace baseline
namespace avx2 {
const CycleRowKernels<std::int32_t>& cycle_rows_32();
const CycleRowKernels<std::int64_t>& cycle_rows_64();
} // namespace avx2
namespace avx512 {
const CycleRowKernels<std::int32_t>& cycle_rows_32();
const CycleRowKernels<std::int64_t>& cycle_rows_64();
} // namespace avx512

template <class S> const CycleRowKernels<S>& best_cycle_rows();
template <> const CycleRowKernels<std::int32_t>& best_cycle_rows<std::int32_t>();
template <> const CycleRowKernels<std::int64_t>& best_cycle_rows<std::int64_t>();

} // namespace mantissa::detail
