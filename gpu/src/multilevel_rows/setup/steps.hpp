// The steps of smoothed aggregation on the device, with the bits of those in numerics/src/multilevel/setup/ for one
// near-kernel function and matrices that are exactly symmetric. Nothing is fused there or here.
#pragma once

#include "mantissa/sparse/compressed_rows.hpp"
#include "matrix.hpp"

namespace mantissa::gpu::multilevel_rows {

/// A level as it is found.
struct SetupLevel {
    Matrix<double> a, prolongation, restriction;
    double* kernel = nullptr;
    double largest = 0;
};

/// Rows anywhere in `column` and `value`.
struct ScatteredRows {
    std::uint32_t rows = 0, columns = 0;
    std::uint64_t entries = 0; ///< of all rows
    std::uint32_t *start = nullptr, *length = nullptr, *column = nullptr;
    double* value = nullptr;
};
/// scaled.cu: the given matrix on the device, as it is.
struct GivenMatrix {
    std::uint32_t rows = 0;
    std::uint64_t entries = 0;
    std::uint64_t* begin = nullptr;
    std::uint32_t* column = nullptr;
    double* value = nullptr;
};
GivenMatrix given_on_device(const CompressedRows& a, Arena& keep, int threads);
/// The same, whose entries 32 bits number, as the set-up has its matrices; column and value stay where they are.
Matrix<double> as_matrix(const GivenMatrix& given, Arena& keep);
/// The matrix with a unit diagonal and without stored zeros, and S. Throws InvalidInput where a diagonal entry is not
/// above zero.
Matrix<double> scaled(const GivenMatrix& given, double*& scale, Arena& keep, Arena& scratch);
/// ones / scale
double* first_kernel(const double* scale, std::uint32_t rows, Arena& keep);
/// To the bit.
bool is_symmetric(const Matrix<double>& a, Arena& scratch);

/// largest.cu
double largest_eigenvalue(const Matrix<double>& a, const double* function, Arena& scratch);

/// aggregates.cu: what a level is coarsened with.
struct Coarsening {
    std::uint32_t aggregates = 0;
    double* most = nullptr;        ///< the largest entry that each node has to another one
    std::uint8_t* alone = nullptr; ///< of each node
    std::uint32_t* link = nullptr; ///< of each entry: the node that it joins strongly, or kNone
    Matrix<double> neighbours;     ///< whom each node is joined with strongly; no values
    std::uint32_t* of = nullptr;   ///< a node's aggregate, or kNone
    double *value = nullptr, *next_kernel = nullptr;
    bool usual = true; ///< false: an aggregate where the kernel is zero or not finite
};
Coarsening find_largest_couplings(const Matrix<double>& a, Arena& scratch);
void find_links(const Matrix<double>& a, double threshold, Coarsening& c, Arena& scratch);
/// False where some nodes are joined with so many that who is near whom fills the memory.
bool find_aggregates(const Matrix<double>& a, Coarsening& c, Arena& scratch);
/// Node 0's, where there is none.
void keep_one_aggregate(Coarsening& c);
/// `next_kernel` is the hierarchy's.
void make_functions(const Matrix<double>& a, const double* kernel, Coarsening& c, Arena& keep, Arena& scratch);

/// products.cu
/// The prolongation, columns not scaled.
ScatteredRows smoothed(const SetupLevel& level, const Coarsening& c, Arena& scratch);
/// Nodes within two strong couplings of each, but itself, ascending. Values are of no account.
ScatteredRows nodes_in_reach(const Matrix<double>& neighbours, Arena& scratch);
/// Entry times entry of a P, for symmetric a.
std::uint64_t additions(const Matrix<double>& a, const Matrix<double>& p, Arena& scratch);
/// a P, which takes so many additions.
ScatteredRows times_prolongation(const Matrix<double>& a, const Matrix<double>& p, std::uint64_t additions,
                                 Arena& scratch);
/// The rows of R (a P) from the diagonal on.
ScatteredRows upper_triangle(const Matrix<double>& r, const ScatteredRows& ap, Arena& scratch);
/// One row after the other.
Matrix<double> joined(const ScatteredRows& rows, Arena& keep, Arena& scratch);

/// next.cu: the next level's matrix from its upper triangle, and S'; an empty matrix where a diagonal entry is not
/// above zero.
Matrix<double> next_matrix(const Matrix<double>& upper, const double* function, double*& scale, Arena& keep,
                           Arena& scratch);
/// P and R as the level has them, and the next kernel.
void scale_ways(Matrix<double>& p, Matrix<double>& r, double* next_kernel, const double* scale);

/// inverse.cu: of the last level, on this processor; empty where it has none.
std::vector<double> dense_inverse(const Matrix<double>& a, Arena& scratch);

} // namespace mantissa::gpu::multilevel_rows
