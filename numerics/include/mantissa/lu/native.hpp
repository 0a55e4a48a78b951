// Dense systems in an arithmetic of a device's own (LuSpec::native): no bits are promised, and who calls judges x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/lu/factor.hpp"

namespace mantissa {

/// Rows from which tensor:half-pair and its refinement take less time on a GPU than factors in double (docs/lu.md).
inline constexpr std::size_t kTensorLuFrom = 512;

/// What a device did; times in seconds of the device, without the transfers.
struct NativeLuReport {
    LuEnd end = LuEnd::factored; ///< overflow: an element of U outgrew the words of the tensor cores
    std::size_t at = 0;          ///< the column of a pivot that failed, where it is known; else n
    std::string by;              ///< whose kernels factor and solve, as "factors by own kernels, solve by cuSOLVER"
    std::uint32_t residuals = 0; ///< formed on the device; 0 where nothing is refined there
    std::uint32_t corrections = 0;
    double factor_seconds = 0, solve_seconds = 0;
};

/// Refinement on the device, where the arithmetic has one.
struct NativeLuOptions {
    bool gmres = true; ///< corrections by GMRES over the factors, else by the factors alone
    std::uint32_t most_residuals = 50;
};

/// One matrix on the device.
class NativeLu {
public:
    NativeLu() = default;
    NativeLu(const NativeLu&) = delete;
    NativeLu& operator=(const NativeLu&) = delete;
    virtual ~NativeLu() = default;

    /// Factors A and solves A x = b. x: n elements where the report's end is `factored`.
    virtual NativeLuReport begin(const DenseMatrix& a, std::span<const double> b, std::vector<double>& x) = 0;
    /// x of A x = r for the same A, by the factors of begin() where they are kept.
    virtual std::vector<double> correct(std::span<const double> r) = 0;
};

/// Makes one for a spec with LuSpec::native. Throws InvalidInput, one line, where this engine has no such arithmetic.
using MakeNativeLu = std::function<std::unique_ptr<NativeLu>(const LuSpec&, const NativeLuOptions&)>;

} // namespace mantissa
