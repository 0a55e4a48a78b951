// LU of many dense systems at once, in float or double, without pivoting or with partial pivoting, and their solution.
//
// Results are deterministic: a system's factors have the same bits whatever systems stand beside it. Pivots are those
// of LAPACK's getrf wherever rounding does not decide between two candidates; of equal magnitudes the one in the lowest
// row is taken. One system's failure leaves the others alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/gpu/lu.hpp"

namespace mantissa::gpu {

/// How the trailing matrices' products are formed where systems are factored by panels.
enum class BatchedProducts : std::uint8_t {
    plain,  ///< fused multiply-add in the matrix's own arithmetic
    tf32x3, ///< floats only: tensor cores on parts of eleven bits, three products for one, to about 2^-20
};

/// How one system's factorisation ended.
struct LuSystemEnd {
    LuEnd end = LuEnd::factored; ///< factored, singular or not_finite
    std::size_t at = 0;          ///< the column, from 0, of the first pivot that is zero or not finite; n when factored
    friend bool operator==(const LuSystemEnd&, const LuSystemEnd&) = default;
};

struct BatchedLuReport {
    std::vector<LuSystemEnd> systems;
    double seconds = 0; ///< of the factorisation or solution of all on the device, by events
    [[nodiscard]] bool factored() const {
        for (const LuSystemEnd& s : systems)
            if (s.end != LuEnd::factored) return false;
        return true;
    }
};

/// Factors of `batch` n x n matrices of T, float or double. Memory is taken once.
template <class T> class BatchedLu {
public:
    static constexpr std::size_t kMostRows = 4096;

    /// n and batch of 0 and 1 are sizes like others. Throws InvalidInput in one line where n is above kMostRows, where
    /// the device has not the memory, or for tf32x3 with doubles; DeviceError where there is no device.
    BatchedLu(std::size_t n, std::size_t batch, LuPivoting pivoting = LuPivoting::partial,
              BatchedProducts products = BatchedProducts::plain);
    ~BatchedLu();
    BatchedLu(BatchedLu&&) noexcept;
    BatchedLu& operator=(BatchedLu&&) noexcept;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t batch() const;

    /// The matrices, n x n elements by columns, one after another. Throws InvalidInput on any other number of elements.
    void load(std::span<const T> by_columns);
    /// Factors them in place.
    BatchedLuReport factor();
    /// x of every A x = b, n elements for each; NaN for a system without factors. Throws InvalidInput where b has
    /// another number of elements or nothing has been factored.
    std::vector<T> solve(std::span<const T> b);

    /// Of all systems: L below the diagonal (its own is 1), U on and above it, by columns.
    [[nodiscard]] std::vector<T> factors() const;
    /// As LAPACK's ipiv, from 0, n for each system: at step k rows k and pivots()[k] were exchanged.
    [[nodiscard]] std::vector<std::int32_t> pivots() const;

    /// For those who make or use matrices on the device. Element (i, j) of system s is at s * distance() + j * stride()
    /// + i; rows from n to stride() - 1 may be overwritten.
    [[nodiscard]] T* device_matrices();
    [[nodiscard]] std::size_t stride() const;
    [[nodiscard]] std::size_t distance() const;
    /// Starts factor() or solve() on the legacy default stream without waiting. `rhs`: b, then x, n for each system.
    void start_factor();
    void start_solve(T* rhs);
    /// Waits, and says how the last factorisation ended; its seconds are 0.
    [[nodiscard]] BatchedLuReport finish_factor();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class BatchedLu<float>;
extern template class BatchedLu<double>;

} // namespace mantissa::gpu
