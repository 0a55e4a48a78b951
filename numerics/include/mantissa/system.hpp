// The matrix as an engine sees it, in double precision: one of several kinds, each a value that checks itself when it
// is made. An engine rounds it into its coefficient format when it loads it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "mantissa/nine_point.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/symmetric_bands.hpp"

namespace mantissa {

/// A matrix of one of the kinds of Matrix. Whoever treats the kinds apart visits matrix(), so that a further kind is an
/// error of compilation in every place that must learn of it.
class System {
public:
    using Matrix = std::variant<Stencil, Bands, CompressedRows, SymmetricBands>;

    /// The alternatives of Matrix, in its order: for who keeps his own copy of the coefficients and, beside it, what
    /// they are.
    enum class Kind : std::uint8_t { stencil, bands, sparse, symmetric };

    /// From a matrix of any kind. Nothing is left to check: no inconsistent one exists.
    template <class M>
    requires(!std::same_as<M, System> && std::constructible_from<Matrix, M>) System(M matrix)
        : matrix_(std::move(matrix)) {}

    [[nodiscard]] const Matrix& matrix() const { return matrix_; }
    [[nodiscard]] Kind kind() const { return static_cast<Kind>(matrix_.index()); }
    /// Unknowns, Dirichlet nodes included.
    [[nodiscard]] std::size_t size() const;
    /// Columns of the grid; 0 where there is none.
    [[nodiscard]] std::size_t row_length() const;
    /// Is element i a Dirichlet node of a stencil?
    [[nodiscard]] bool on_edge(std::size_t i) const;

    friend bool operator==(const System&, const System&) = default;

private:
    Matrix matrix_;
};

/// Functions for std::visit, one for each kind: std::visit(Overloaded{[](const Stencil&) {...}, ...}, system.matrix()).
template <class... Functions> struct Overloaded : Functions... { using Functions::operator()...; };
template <class... Functions> Overloaded(Functions...) -> Overloaded<Functions...>;

/// "stencil", "bands", "sparse", "symmetric".
std::string to_string(System::Kind kind);

} // namespace mantissa
