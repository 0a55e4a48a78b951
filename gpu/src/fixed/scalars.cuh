// The scalar side of a pass in fixed-point words: sums into scalars, scalars into factors. One thread of each block
// does it while all others wait, so it is written for few dependent instructions: the usual case in line, everything
// else in calls. Both leave the same bits.
#pragma once

#include "params.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// Limbs of the three sums: high 2^22 + low, low below 2^22.
struct SumPair {
    long long high;
    unsigned low;
};
struct PassSums {
    SumPair rr, pq, qq;
};

namespace quick {

/// Toward zero, of positive numbers whose quotient and its parts are moderate; r: 1 / b to the last bit or so.
__device__ __forceinline__ double divide(double a, double b, double r, bool& inexact) {
    double q = __dmul_rn(a, r);
    q = __fma_rn(__fma_rn(-q, b, a), r, q);
    const double rest = __fma_rn(-q, b, a);
    inexact = rest != 0;
    return __longlong_as_double(__double_as_longlong(q) - (rest < 0 ? 1 : 0));
}
__device__ __forceinline__ double reciprocal(double b) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
    double e = __fma_rn(-b, r, 1.0);
    e = __fma_rn(e, e, e);
    r = __fma_rn(r, e, r);
    return __fma_rn(r, __fma_rn(-b, r, 1.0), r);
}
template <bool Nearest>
__device__ __forceinline__ double multiply(const QuickRounding& f, double a, double b, bool& moderate) {
    const double z = __dmul_rz(a, b);
    return f.round<Nearest>(z, Nearest && __fma_rn(a, b, -z) != 0, moderate);
}
template <bool Nearest>
__device__ __forceinline__ double total(const QuickRounding& f, SumPair sum, double unit, bool& moderate) {
    moderate &= sum.high >= 0 && sum.high >> 40 == 0; // below 2^62, or it is no ordinary sum
    const long long units = (sum.high << 22) + sum.low;
    const double z = __ll2double_rz(units);
    return f.round<Nearest>(z * unit, Nearest && __double2ll_rz(z) != units, moderate);
}

/// Scalars of an ordinary pass; false, and nothing of use, where it is not.
template <bool Nearest>
__device__ __forceinline__ bool scalars(const QuickRounding& f, const PassSums& sums, const double (&unit)[3],
                                        Scalars& s) {
    bool moderate = true, inexact;
    const double rho = total<Nearest>(f, sums.rr, unit[0], moderate),
                 pq = total<Nearest>(f, sums.pq, unit[1], moderate), qq = total<Nearest>(f, sums.qq, unit[2], moderate);
    const double over_pq = reciprocal(pq), over_rho = reciprocal(rho);
    double z = divide(rho, pq, over_pq, inexact);
    const double alpha = f.round<Nearest>(z, inexact, moderate), aqq = multiply<Nearest>(f, alpha, qq, moderate);
    z = __dadd_rz(aqq, -pq);
    const double rest = f.round<Nearest>(z, Nearest && __dadd_ru(aqq, -pq) != z, moderate);
    const double sigma = multiply<Nearest>(f, alpha, rest, moderate);
    z = divide(sigma, rho, over_rho, inexact);
    const double beta = f.round<Nearest>(z, inexact, moderate);
    s = {rho, pq, qq, alpha, sigma, beta};
    return moderate;
}

/// As WordScale::set() for a significand of exactly `length` bits and a moderate shift; false where it is not.
__device__ __forceinline__ bool factor(int significand, int length, int right, int bits, bool down, int most,
                                       WordScale& out) {
    out.significand = significand;
    out.shift = right;
    out.half = right > 0 && !down ? 1ll << (right - 1 & 63) : 0;
    return right >= 0 && right <= 61 && length + bits - 1 - right < most;
}
/// Factors of an ordinary pass.
template <bool Nearest>
__device__ __forceinline__ bool factors(const FixedParams& a, const QuickRounding& f, const Scalars& s,
                                        FactorLimits limits, FixedFactors& out) {
    bool moderate = true;
    const int length = 53 - f.drop;
    const double alpha = f.round<Nearest>(s.alpha, false, moderate), beta = f.round<Nearest>(s.beta, false, moderate);
    const auto significand = [&](double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        return static_cast<int>(((bits & ((1ull << 52) - 1)) | 1ull << 52) >> f.drop);
    };
    const auto exponent = [&](double x) {
        return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023 - (52 - f.drop);
    };
    const int first = significand(alpha), second = significand(beta), e = exponent(alpha);
    moderate &= factor(first, length, a.p.point - a.u.point - e, a.p.bits, a.u.down, limits.u, out.u);
    moderate &= factor(first, length, a.q.point - a.r.point - e, a.q.bits, a.r.down, limits.vectors, out.r);
    moderate &= factor(second, length, -exponent(beta), a.p.bits, a.p.down, limits.vectors, out.p);
    out.fits = true;
    out.wide = false;
    return moderate;
}

} // namespace quick

/// As they are, however they are.
__device__ __noinline__ void form_any_factors(const FixedParams& a, const Scalars& s, FactorLimits limits,
                                              FixedFactors& f) {
    form_factors(a, s, limits, f);
}
__device__ __noinline__ void step_any(const FixedParams& a, std::uint64_t pass, PassSums sums, bool overflow,
                                      FixedResult& run) {
    const auto value = [&](SumPair sum, int dot) {
        return total_into(a.scalar, (Wide{sum.high} << 22) + sum.low, sum_point(a, dot));
    };
    step_fixed(a, pass, value(sums.rr, 0), value(sums.pq, 1), value(sums.qq, 2), overflow, run);
}

/// After the sums of a pass, by one thread: the run so far and the factors of the next pass.
template <bool Nearest>
__device__ __forceinline__ void close_pass(const FixedParams& a, std::uint64_t pass, const PassSums& sums,
                                           const double (&unit)[3], bool overflow, FactorLimits limits, FixedFactors& f,
                                           FixedResult& run) {
    Scalars s;
    const bool usual =
        !overflow && !(a.unfit && pass == 1) && a.quick.fits && quick::scalars<Nearest>(a.quick.scalar, sums, unit, s);
    if (usual) {
        run.scalars = s;
        run.passes = pass;
        run.end = pass >= a.rho_stop_from && s.rho < a.rho_stop ? RunEnd::rho_reached : RunEnd::passes;
        // (An operand may well truncate what the scalar unit has rounded.)
        const bool short_factors = a.quick.operand.nearest ? quick::factors<true>(a, a.quick.operand, s, limits, f)
                                                           : quick::factors<false>(a, a.quick.operand, s, limits, f);
        if (short_factors) return;
    } else {
        step_any(a, pass, sums, overflow, run);
    }
    form_any_factors(a, run.scalars, limits, f);
    run.beyond = !f.fits;
}

#endif

} // namespace mantissa::gpu
