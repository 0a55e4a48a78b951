// One factorisation for each carrier of the sums. Internal.
#pragma once

#include "mantissa/gpu/lu_engine.hpp"

namespace mantissa::gpu::lu {

/// A factorisation of n x n matrices on the device: its memory, and the launches.
class Factorisation {
public:
    virtual ~Factorisation() = default;
    virtual LuFactors factor(const DenseMatrix& a, double* seconds) = 0;
};
using Factory = std::unique_ptr<Factorisation>(const LuSpec& spec, std::size_t n, const LuEngineOptions& options);

Factory make_float_cut, make_float_clamp, make_native_float, make_native_double, make_double_cut, make_nearest,
    make_any_format, make_word, make_wide;

} // namespace mantissa::gpu::lu
