// Dense LU on the GPU in float or double: P A = L U without pivoting or with partial pivoting, and solves with the
// factors. One captured graph of launches factors; nothing goes to the host before it ends.
//
// Results are deterministic: the same matrix gives the same bits in every run on every device of this architecture.
// Pivots are those of LAPACK's getrf wherever rounding does not decide between two candidates; of equal magnitudes the
// one in the lowest row is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {

enum class LuPivoting : std::uint8_t { none, partial };
/// "none", "partial".
std::string to_string(LuPivoting p);

/// Whose kernels: those here, or the vendor's. `automatic`: whichever is faster on this card, for factors and for
/// solves apart; those here where cuSOLVER is not to be had.
enum class LuBy : std::uint8_t { own, cusolver, automatic };
/// "own", "cuSOLVER", "automatic".
std::string to_string(LuBy by);

/// Who is faster at n x n systems of float or double on a card of so many bytes per second, cuSOLVER being there.
struct LuChoice {
    LuBy factor = LuBy::own, solve = LuBy::own;
};
LuChoice lu_by_for(std::size_t n, LuPivoting pivoting, bool single, double bytes_per_second);

struct LuReport {
    LuEnd end = LuEnd::factored; ///< factored, singular or not_finite
    /// The column (from 0) of the first pivot that is zero, or not finite; n when factored.
    std::size_t at = 0;
    double seconds = 0; ///< of the factorisation or solve on the device, by events
};

/// Factors of n x n matrices of T, float or double. One object factors any number of them, one after another; its graph
/// and memory are made once.
template <class T> class Lu {
public:
    /// Device memory for one matrix. n of 0 and 1 are sizes like others. Throws InvalidInput in one line where the
    /// device has not the memory or n is too large, DeviceError where there is no device, or no cuSOLVER where it was
    /// asked for. What is said above of bits holds for LuBy::own.
    explicit Lu(std::size_t n, LuPivoting pivoting = LuPivoting::partial, LuBy by = LuBy::own);
    ~Lu();
    Lu(Lu&&) noexcept;
    Lu& operator=(Lu&&) noexcept;

    [[nodiscard]] std::size_t size() const;
    /// Whose kernels factor, and whose solve: own or cusolver.
    [[nodiscard]] LuChoice by() const;

    /// The matrix, n x n elements by columns. Throws InvalidInput on any other number of elements.
    void load(std::span<const T> by_columns);
    /// Factors the loaded matrix in place. A singular or not finite one ends with that report; its factors are not
    /// usable then.
    LuReport factor();
    /// x of A x = b; `seconds`, if given: on the device, by events. Throws InvalidInput unless b has n elements and the
    /// last factor() ended in `factored`.
    std::vector<T> solve(std::span<const T> b, double* seconds = nullptr);

    /// L below the diagonal (its own is 1), U on and above it, n x n by columns.
    void factors(std::span<T> by_columns) const;
    /// As LAPACK's ipiv, from 0: at step k rows k and pivots()[k] were exchanged.
    [[nodiscard]] std::vector<std::int32_t> pivots() const;
    /// Row i of P A is row rows()[i] of A.
    [[nodiscard]] std::vector<std::int32_t> rows() const;

    /// For those who make or use matrices on the device: column-major, columns stride() elements apart. Work given to
    /// the device before factor() or solve() on the legacy default stream is complete before they begin.
    [[nodiscard]] T* device_matrix();
    [[nodiscard]] std::size_t stride() const;
    /// Starts factor() or solve() without waiting, on the legacy default stream: for timing and for graphs of one's
    /// own. device_solve reads and writes n elements of device memory; b and x are one vector or do not overlap. A
    /// solve comes after finish_factor().
    void start_factor();
    void start_solve(const T* b, T* x);
    /// Waits, and says how the last factorisation ended; its seconds are 0.
    [[nodiscard]] LuReport finish_factor();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class Lu<float>;
extern template class Lu<double>;

} // namespace mantissa::gpu
