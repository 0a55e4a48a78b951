// Several cycle cores on one grid (fx_cycles): the bits of one, on grids of which each has a slab and on those that
// each has whole.
#include "Vcycle_c2_b2w10.h"
#include "Vcycle_c2_l4_v12w10.h"
#include "Vcycle_c3_b2_stretched.h"
#include "Vcycle_c3_l2_v22w10.h"
#include "Vcycle_c5_b2w10.h"
#include "cycle_bench.hpp"

namespace mantissa {
namespace {

using namespace test;

// name, cores, lanes, spec, largest level, MaxLevel, stretched
#define CYCLES(X)                                                                                                      \
    X(c2_b2w10, 2, 1, "b2,w=10", 7, 7, false)                                                                          \
    X(c2_l4_v12w10, 2, 4, "v12,w=10,f=16", 6, 9, false)                                                                \
    X(c3_b2_stretched, 3, 1, "b2,w=10", 7, 7, true)                                                                    \
    X(c3_l2_v22w10, 3, 2, "v22,w=10", 7, 7, false)                                                                     \
    X(c5_b2w10, 5, 1, "b2,w=10", 7, 7, false)

#define CYCLE_TEST(name, cores, lanes, text, most, rows, stretched)                                                    \
    TEST(CycleCores, HaveTheReferencesBits_##name) {                                                                   \
        compare_cycles<Vcycle_##name>(text, most, stretched);                                                          \
    }                                                                                                                  \
    TEST(CycleCores, SolveAsOneDoes_##name) {                                                                          \
        for (int level = 3; level <= (most); ++level)                                                                  \
            compare_solve<Vcycle_##name>(text, level, stretched, lanes, rows, false, cores);                           \
    }
CYCLES(CYCLE_TEST)

} // namespace
} // namespace mantissa
