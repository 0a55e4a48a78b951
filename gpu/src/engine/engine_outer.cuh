// The floating vectors of a session on their way to and from the outer loop's, operation by operation as the host's
// outer loop has them (host/src/solve/host_vectors.cpp): products and sums rounded apart.
#pragma once

#include "engine/engine_arithmetic.cuh"
#include "engine/engine_pass.cuh"
#include "engine/outer_kernels.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// direction = d / norm; with `keep`, product = direction p.
template <class Element>
__global__ void __launch_bounds__(kOuterThreads)
    outer_direction(const double* d, double norm, const Element* p, bool keep, long long size, double* direction,
                    double* product) {
    const long long i = outer_element();
    if (i >= size) return;
    const double r = __ddiv_rn(d[i], norm);
    direction[i] = r;
    if (keep) product[i] = __dmul_rn(r, static_cast<double>(get(p, i)));
}

/// r and, with `keep`, p - projection r into the session; u and q become zero.
template <class Unit, class Element>
__global__ void __launch_bounds__(kOuterThreads) outer_restart(const __grid_constant__ EngineParams<Unit, Element> a,
                                                               const double* direction, double projection, bool keep) {
    using T = typename Unit::Carrier;
    const long long i = outer_element();
    if (i >= a.size) return;
    const double r = direction[i];
    put(a.r, i, a.r_unit.from_double(r));
    if (keep) put(a.p, i, a.p_unit.from_double(__dadd_rn(static_cast<double>(get(a.p, i)), -__dmul_rn(projection, r))));
    a.u[i] = T(0);
    put(a.q, i, T(0));
}

/// correction = u + alpha p of the session; `broken` becomes one when an element is not finite.
template <class Unit, class Element>
__global__ void __launch_bounds__(kOuterThreads) outer_correction(const __grid_constant__ EngineParams<Unit, Element> a,
                                                                  double alpha, double* correction, unsigned* broken) {
    const long long i = outer_element();
    if (i >= a.size) return;
    const double c = __dadd_rn(static_cast<double>(a.u[i]), __dmul_rn(alpha, static_cast<double>(get(a.p, i))));
    correction[i] = c;
    if (!isfinite(c)) *broken = 1;
}

#endif

} // namespace mantissa::gpu
