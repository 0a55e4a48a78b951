// The processor's rounding and flush-to-zero mode, set for a scope and always put back.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#define MANTISSA_HAS_FP_MODE 1
#include <xmmintrin.h>
#else
#define MANTISSA_HAS_FP_MODE 0
#endif

namespace mantissa::detail {

enum class FpRounding : unsigned { nearest = 0, down = 0x2000, up = 0x4000, toward_zero = 0x6000 };

struct FpMode {
    FpRounding rounding = FpRounding::nearest;
    bool flush = false;
};

#if MANTISSA_HAS_FP_MODE
/// Arithmetic must not be inlined beside the switch: the compiler does not order it against the control register.
/// Kernels are therefore reached through function pointers, in translation units of their own.
class FpScope {
public:
    explicit FpScope(FpMode mode) : saved_(_mm_getcsr()) { set(mode); }
    FpScope(const FpScope&) = delete;
    FpScope& operator=(const FpScope&) = delete;
    ~FpScope() { _mm_setcsr(saved_); }

    /// Another mode for the rest of the scope.
    void set(FpMode mode) {
        constexpr unsigned rounding = 0x6000, flush = 0x8000, denormals_are_zero = 0x0040, masks = 0x1F80;
        unsigned csr = (saved_ & ~(rounding | flush | denormals_are_zero)) | masks;
        csr |= static_cast<unsigned>(mode.rounding);
        if (mode.flush) csr |= flush;
        _mm_setcsr(csr);
    }

private:
    unsigned saved_;
};
#endif

} // namespace mantissa::detail
