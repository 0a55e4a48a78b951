// Dense LU in the arithmetic that a LuSpec names, on a graphics processor: the bits of mantissa::factor.
#pragma once

#include <functional>
#include <memory>

#include "mantissa/lu/factor.hpp"
#include "mantissa/lu/native.hpp"

namespace mantissa::gpu {

struct LuEngineOptions {
    int blocks = 0; ///< thread blocks that factor a panel, at most; 0: one for each multiprocessor. Changes no bit
};

namespace lu {
class Factorisation;
}

/// Factors matrices of one size in one spec's arithmetic; its memory on the device is kept between calls.
class LuEngine {
public:
    /// Throws InvalidInput where the spec is not valid or the size is beyond the engine, DeviceError without a device
    /// or its memory.
    LuEngine(const LuSpec& spec, std::size_t n, const LuEngineOptions& options = {});
    LuEngine(LuEngine&&) noexcept;
    LuEngine& operator=(LuEngine&&) noexcept;
    ~LuEngine();

    /// The factors of `a`, with the bits, the status and the column of mantissa::factor (of a factorisation that
    /// failed, no more than these two are the same). `seconds`, if given: the device's time without the transfers.
    LuFactors factor(const DenseMatrix& a, double* seconds = nullptr);

private:
    LuSpec spec_;
    std::size_t n_;
    std::unique_ptr<lu::Factorisation> run_;
};

} // namespace mantissa::gpu

namespace mantissa {

/// A function that factors on the device, with the bits of mantissa::factor. `seconds`, if given, receives the device's
/// time of each factorisation, without the transfers. Throws InvalidInput, one line, when no device can run it.
std::function<LuFactors(const LuSpec&, const DenseMatrix&)> make_gpu_lu_factor(double* seconds = nullptr);

/// Dense systems in float, double and the tensor cores' words (LuSpec::native). Throws InvalidInput as above.
MakeNativeLu make_gpu_native_lu();

} // namespace mantissa
