// The cycle core with several lanes: the same bits, in rows of few beats and of many.
#include "Vcycle_l16_b2w10.h"
#include "Vcycle_l16_v22_stretched.h"
#include "Vcycle_l2_b2w10.h"
#include "Vcycle_l2_v13w16.h"
#include "Vcycle_l4_b2_stretched.h"
#include "Vcycle_l4_b3w12.h"
#include "Vcycle_l4_v11w10.h"
#include "Vcycle_l64_b2w10.h"
#include "Vcycle_l8_v12w10.h"
#include "cycle_bench.hpp"

namespace mantissa {
namespace {

using namespace test;

// name, lanes, spec, largest level, MaxLevel, stretched
#define CYCLES(X)                                                                                                      \
    X(l2_b2w10, 2, "b2,w=10", 7, 7, false)                                                                             \
    X(l2_v13w16, 2, "v13,w=16,f=22,e=24,g=6", 6, 6, false)                                                             \
    X(l4_v11w10, 4, "v11,w=10", 7, 8, false)                                                                           \
    X(l4_b2_stretched, 4, "b2,w=10", 6, 6, true)                                                                       \
    X(l8_v12w10, 8, "v12,w=10,f=16", 6, 9, false)                                                                      \
    X(l4_b3w12, 4, "b3,w=12,f=18,e=20,g=0", 6, 6, false)                                                               \
    X(l16_b2w10, 16, "b2,w=10", 7, 7, false)                                                                           \
    X(l16_v22_stretched, 16, "v22,w=9", 6, 6, true)                                                                    \
    X(l64_b2w10, 64, "b2,w=10", 7, 7, false)

#define CYCLE_TEST(...) CYCLE_MODEL_TESTS(CycleLanes, false, __VA_ARGS__)
CYCLES(CYCLE_TEST)

} // namespace
} // namespace mantissa
