// The matrix as an engine sees it, in double precision: a constant nine-point stencil, nine streamed bands, or rows
// in compressed (CRS) form. An engine rounds it into its coefficient format when it loads it.
//
// Nine-band systems live on a grid of `row_length` columns numbered row by row: element i couples to i + offset(b).
//
//     band            0   1   2   3  4  5   6   7   8
//     neighbour       SW  S   SE  W  C  E   NW  N   NE
//     offset         -n-1 -n -n+1 -1 0 +1  n-1  n  n+1      n = row_length
//
// That is also the order in which a chained row sum adds. Elements of p outside 0..size-1 are +0. A constant stencil
// holds homogeneous Dirichlet nodes on the grid's edge: their rows give q = +0 and nothing is computed there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mantissa {

inline constexpr int kBands = 9;

/// A constant stencil on a grid with Dirichlet edges. Coefficients are finite.
struct Stencil {
    std::size_t row_length = 0; ///< columns, edge nodes included; at least 3
    std::size_t rows = 0;       ///< grid rows, edge nodes included; at least 3
    std::array<double, kBands> coefficients{};
};

/// Nine bands, each of rows*row_length elements, finite. Couplings that leave the grid must be zero.
struct Bands {
    std::size_t row_length = 0;
    std::array<std::vector<double>, kBands> band;
};

/// Rows in compressed form: row i holds the entries row_begin[i] .. row_begin[i + 1] - 1.
struct SparseRows {
    std::vector<std::uint64_t> row_begin; ///< size + 1 entries, from 0, ascending, to the number of entries
    std::vector<std::uint32_t> column;    ///< below size; ascending within a row, none twice
    std::vector<double> value;            ///< finite
};

/// A matrix of one of the three kinds. Made by from_stencil, from_bands or from_rows; whoever fills the members by hand
/// keeps their promises, since engines read them unchecked.
struct System {
    enum class Kind : std::uint8_t { stencil, bands, sparse };
    Kind kind = Kind::stencil;
    std::size_t size = 0; ///< unknowns, Dirichlet nodes included
    Stencil stencil;
    Bands bands;
    SparseRows sparse;

    /// Each checks in one pass what the structures above say of themselves and throws InvalidInput, one line that names
    /// the first fault (element, row or column, counted from 0) and the mend. Symmetry is not checked.
    static System from_stencil(const Stencil& s);
    static System from_bands(Bands b);
    static System from_rows(SparseRows r);

    /// Index distance from an element to its neighbour in `band`.
    [[nodiscard]] static std::ptrdiff_t offset(int band, std::size_t row_length) {
        return static_cast<std::ptrdiff_t>(row_length) * (band / 3 - 1) + (band % 3 - 1);
    }
    [[nodiscard]] std::size_t row_length() const {
        return kind == Kind::stencil ? stencil.row_length : kind == Kind::bands ? bands.row_length : 0;
    }
    /// Is element i of a stencil system a Dirichlet node?
    [[nodiscard]] bool on_edge(std::size_t i) const {
        const std::size_t column = i % stencil.row_length;
        return i < stencil.row_length || i >= size - stencil.row_length || column == 0 ||
               column == stencil.row_length - 1;
    }
};

/// "stencil", "bands", "sparse".
std::string to_string(System::Kind kind);

} // namespace mantissa
