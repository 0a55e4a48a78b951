// Arithmetic by directed rounding: any format, formed twice by the processor, toward -infinity and toward +infinity,
// and finished from the two. The kernels are in isa/directed_isa.cpp; this drives them over arrays.
#pragma once

#include "fp_mode.hpp"
#include "isa/isa.hpp"
#include "mantissa/format.hpp"

namespace mantissa::detail {

#if MANTISSA_HAS_FP_MODE

/// Is `op` on arrays of T within these kernels' reach? All but the fused multiply-add of doubles on processors without
/// one; products of floats are exact in double.
template <class T> bool has_directed(const KernelTable& table, Op op);

/// `out` may be any of the operands. has_directed() must hold.
template <class T>
void run_directed(const KernelTable& table, const Format& f, Op op, const OperandArrays<T>& in, Sink<T> out,
                  std::size_t n);

/// Has this format a kernel in one sweep?
template <class T> bool has_fused(const KernelTable& table, const Format& f);
template <class T>
void run_fused(const KernelTable& table, const Format& f, Op op, const OperandArrays<T>& in, Sink<T> out,
               std::size_t n);

/// Doubles rounded into f, or floats into one that float carries. `out` may be the same memory as `a`.
template <class C, class T>
void convert_directed(const KernelTable& table, const Format& f, Source<C> a, Sink<T> out, std::size_t n);

#endif

} // namespace mantissa::detail
