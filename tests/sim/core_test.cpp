// The RTL core against the emulated engine: the same bits in u, r, p, q and the scalars behind every pass.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

TEST(Core, smoke) {
    const DatapathSpec spec = parse_spec("s23e8");
    RtlOptions options;
    options.cache.progress = [](const std::string& line, double s) { std::printf("%6.1f %s\n", s, line.c_str()); };
    const auto rtl = make_rtl_engine(options);
    const auto emulated = make_emulated_engine();
    const System system = test::poisson_stencil(9, 9);
    test::compare_passes(*rtl, *emulated, system, spec, 12, 1);
}

} // namespace
} // namespace mantissa::sim
