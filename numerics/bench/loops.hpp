// The loops that are timed, once per instruction set: native arithmetic, and Float<F> in the plain loops it is made
// for.
#pragma once

#include <cstddef>
#include <iterator>

#include "mantissa/float.hpp"
#include "mantissa/operation.hpp"

namespace mantissa::bench {

template <class T> using Loop = void (*)(const T* a, const T* b, T* out, std::size_t n);

template <class T> struct Loops { Loop<T> add = nullptr, mul = nullptr; };

/// What is timed of the vector kernels, a column each.
struct Timed {
    const char* name;
    Operation operation;
    bool from_doubles = false; ///< VectorUnit::convert(), else round()
};
inline constexpr Timed kTimed[] = {{"add", Operation::add},
                                   {"sub", Operation::sub},
                                   {"mul", Operation::mul},
                                   {"div", Operation::div},
                                   {"sqrt", Operation::sqrt},
                                   {"fma", Operation::fma},
                                   {"scale", Operation::scale},
                                   {"add_scaled", Operation::add_scaled},
                                   {"convert", Operation::convert, true},
                                   {"round", Operation::convert}};
inline constexpr int kColumns = static_cast<int>(std::size(kTimed));

/// Arrays of one length; `wide` is what convert() reads.
template <class T> struct Operands {
    const T* a = nullptr;
    const T* b = nullptr;
    const T* c = nullptr;
    const double* wide = nullptr;
    T s{};
    T* out = nullptr;
    std::size_t n = 0;
};

/// Native arithmetic, as in kTimed; beside a rounding, a copy.
template <class T> using NativeLoops = void (*[kColumns])(const Operands<T>& x);

using TruncatingS17 = Float<Format{17, 8}>;
using TruncatingS23 = Float<Format{23, 8}>;
using NearestS17 = Float<Format{17, 8, Rounding::nearest_even}>;
using TruncatingS36 = Float<Format{36, 11}>;

/// A pass of pipelined CG on a constant nine-point stencil in T with dot products in double: what the emulated engine
/// is measured against. Vectors have a row of zeros before and after them.
template <class T> struct NativePass {
    std::size_t row_length = 0, rows = 0;
    T centre{}, edge{}; ///< coefficients: on the diagonal, and of the eight neighbours
    T *u = nullptr, *r = nullptr, *p = nullptr, *q = nullptr;
    double alpha = 0, beta = 0;
};

struct LoopTable {
    Loops<float> native_float;
    Loops<double> native_double;
    Loops<TruncatingS17> truncating_s17;
    Loops<TruncatingS23> truncating_s23;
    Loops<NearestS17> nearest_s17;
    Loops<TruncatingS36> truncating_s36;
    void (*float_pass)(NativePass<float>& state) = nullptr;
    NativeLoops<float> native_float_all = {};
    NativeLoops<double> native_double_all = {};
};

/// Those for the instruction set that the kernels use here (kernel_isa()).
const LoopTable& loop_table();

} // namespace mantissa::bench
