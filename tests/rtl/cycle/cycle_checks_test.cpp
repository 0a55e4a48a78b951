// The cycle core with Checks: without an upset it has the same bits, and no check fails.
#include "Vcycle_k1_b2_stretched.h"
#include "Vcycle_k1_b2w10.h"
#include "Vcycle_k1_v12w10.h"
#include "Vcycle_k4_v11w10.h"
#include "cycle_bench.hpp"

namespace mantissa {
namespace {

using namespace test;

// name, lanes, spec, largest level, MaxLevel, stretched
#define CYCLES(X)                                                                                                      \
    X(k1_b2w10, 1, "b2,w=10", 7, 7, false)                                                                             \
    X(k1_v12w10, 1, "v12,w=10,f=16", 6, 6, false)                                                                      \
    X(k1_b2_stretched, 1, "b2,w=10", 6, 6, true)                                                                       \
    X(k4_v11w10, 4, "v11,w=10", 7, 8, false)

#define CYCLE_TEST(...) CYCLE_MODEL_TESTS(CycleChecks, true, __VA_ARGS__)
CYCLES(CYCLE_TEST)

} // namespace
} // namespace mantissa
