// The datapaths that the RTL tests run. Each is one simulation model.
#pragma once

#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

namespace mantissa::sim::test {

inline constexpr const char* kSpecs[] = {
    "s17e8",
    "s23e8",
    "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
    "s7e8,u=s17e8,row=s13e8",
    "s23e8:rne",
    "s52e11",
    "s17e8,order=tree,lanes=2",
    "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50],lanes=4",
    "s10e6:rne,r=s12e7,q=s9e6,coef=s8e5,operand=s11e8,order=tree,product=s14e8:rne,dot=s28e9:rne/"
    "8,scalar=s30e9,lanes=4",
};

/// Rows of differences (row_forms_test.cpp), each for one kind of system, so one model each; one more is in
/// synthesised_test.cpp.
inline constexpr const char* kSecondDifferences = "s17e8,order=second-difference,lanes=2";
inline constexpr const char* kFluxes =
    "s23e8,p=s20e8,coef=s12e7,row=s21e9:rne,q=s19e8,dot=fixed[13:-50],order=flux,lanes=4";
inline constexpr const char* kStreamedFluxes = "s17e8,order=flux";

/// Those that run with the rules of the core's interfaces as assertions, on bands.
inline constexpr const char* kRuleSpecs[] = {"s17e8", "s17e8,order=tree,lanes=2",
                                             "fx20.18,operand=s14e8,scalar=s20e8,lanes=4"};

/// Matrices that make different integer cores.
enum class Matrix {
    box,             ///< Poisson's stencil, eight equal neighbours, as a solve scales it
    general,         ///< nine different coefficients, rounded as they are
    bands,           ///< symmetric bands without row sums
    bands_with_sums, ///< nine symmetric bands with row sums
};

/// An integer core: a spec and a kind of matrix.
struct FixedCase {
    std::string spec;
    Matrix matrix = Matrix::box;
    bool rules = false; ///< with the rules of the core's interfaces as assertions
};

inline void PrintTo(const FixedCase& c, std::ostream* out) {
    *out << c.spec;
}

inline constexpr const char* kFixedSpecs[] = {
    "fx18.16",
    "fx20.18,operand=s14e8,scalar=s20e8",
    // Other roundings, other points, a short u.
    "fx21.17:floor,u=fx24.20,p=fx22.18,q=fx19.14:floor,coef=fx17.13,operand=s9e7:rne,scalar=s24e9:rne",
};

/// Those that always run, and with MANTISSA_CORE_SWEEP in the environment every combination.
inline std::vector<FixedCase> fixed_cases() {
    const std::string specs[] = {kFixedSpecs[0], kFixedSpecs[1], kFixedSpecs[2]};
    std::vector<FixedCase> cases = {{specs[0], Matrix::box, false},
                                    {kRuleSpecs[2], Matrix::bands_with_sums, true},
                                    {specs[2] + ",lanes=16", Matrix::general, true}};
    if (std::getenv("MANTISSA_CORE_SWEEP") == nullptr) return cases;
    for (const std::string& spec : specs)
        for (const Matrix matrix : {Matrix::box, Matrix::general, Matrix::bands, Matrix::bands_with_sums})
            for (const int lanes : {1, 2, 4, 16, 64})
                cases.push_back({spec + (lanes > 1 ? ",lanes=" + std::to_string(lanes) : ""), matrix, false});
    return cases;
}

/// Several integer cores on one solve: three kinds, each one model.
struct CoresCase {
    std::string spec;
    Matrix matrix = Matrix::box;
    int cores = 2;
    bool rules = false;
};

inline void PrintTo(const CoresCase& c, std::ostream* out) {
    *out << c.cores << " cores of " << c.spec;
}

/// One lane, whose slabs are whole rows; streamed weights; slabs that end in the middle of a row, on a number of cores
/// that is no power of two.
inline std::vector<CoresCase> cores_cases() {
    return {{kFixedSpecs[0], Matrix::box, 2, false},
            {kRuleSpecs[2], Matrix::bands_with_sums, 2, true},
            {std::string(kFixedSpecs[2]) + ",lanes=2", Matrix::general, 3, true}};
}

} // namespace mantissa::sim::test
