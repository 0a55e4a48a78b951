// Large sparse matrices that are made, not read: like those of Cevahir, Nukada and Matsuoka (ICCS 2009), whose own
// are too large to ship. All are symmetric and positive definite, and a function of their arguments alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::problems {

/// Like nd24k: the first `n` points of a cubic lattice, each coupled to all others within sqrt(23) of it (some 399
/// entries a row at n = 72000), with random weights; diagonally dominant.
CompressedRows generate_nd(std::size_t n, std::uint64_t seed);
/// Like crankseg: nodes of three unknowns coupled at random within a band of an eighth of the matrix, to some 10 to
/// 400 others: rows of very unequal length, some 200 entries in the mean; diagonally dominant. n is a multiple of 3.
CompressedRows generate_band(std::size_t n, std::uint64_t seed);
/// Like a web's links: every row chooses partners anywhere, k or more of them with a probability of 1 / k, up to n / 8:
/// most rows are short, a few are thousands long; diagonally dominant.
CompressedRows generate_power(std::size_t n, std::uint64_t seed);
/// Three diagonals and a first row and column that are full: 5 n - 6 entries; diagonally dominant.
CompressedRows generate_arrow(std::size_t n, std::uint64_t seed);
/// Like G3_circuit: nodes on a square sheet, nine in ten of the wires between neighbours there, and a wire to anywhere
/// for every twentieth; 2 to some 8 entries a row, 4.7 in the mean; diagonally dominant.
CompressedRows generate_circuit(std::size_t n, std::uint64_t seed);
/// Like a chip's power supply: the first half of the nodes lies in lines across, the others in lines down, and every
/// second crossing is joined; 2 to 4 entries a row, 3.5 in the mean; diagonally dominant.
CompressedRows generate_supply(std::size_t n, std::uint64_t seed);
/// Like thermal2: linear elements on a triangulated square with moved points and diagonals at random, conduction that
/// varies and a little loss; some 7 entries a row.
CompressedRows generate_thermal(std::size_t n, std::uint64_t seed);
/// Like ldoor, boneS10: linear elasticity on bricks of eight nodes, a cube held at one face, a stiffness at random for
/// each; 81 entries a row. `nodes` of three unknowns: brick_nodes() of what is asked for.
CompressedRows generate_elasticity(std::size_t nodes, std::uint64_t seed);
/// The nodes of the brick of floor(cbrt(nodes))^2 columns that is not larger.
std::size_t brick_nodes(std::size_t nodes);
/// Like F1: a matrix in an order at random.
CompressedRows scatter(const CompressedRows& a, std::uint64_t seed);

/// The largest whole number whose cube is not above n.
std::size_t cube_root(std::size_t n);

/// A number on [0, 1) for an unordered pair.
double pair_unit(std::uint64_t i, std::uint64_t j, std::uint64_t seed);

} // namespace mantissa::problems
