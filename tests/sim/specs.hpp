// The datapaths that the RTL tests run. Each is one simulation model.
#pragma once

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
inline constexpr const char* kRuleSpecs[] = {"s17e8", "s17e8,order=tree,lanes=2"};

} // namespace mantissa::sim::test
