// The core as it is synthesised, at real formats: the parameters are those that the recipe of `mantissa synthesize`
// sets (multipliers in blocks or in logic, shift registers for the delays, streamed bands, rows of up to 1025), and not
// those that simulate fastest. Bit for bit the emulated engine's, with and without stalls.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "synthesis/recipe.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

struct Configuration {
    const char *name, *spec, *multiplier;
};

/// The stencil whose numbers are part of the hardware of second differences.
System laplacian(std::size_t row_length, std::size_t rows) {
    std::array<double, kBands> c{};
    c.fill(-1);
    c[4] = 8;
    return Stencil(row_length, rows, c);
}

class Synthesised : public testing::TestWithParam<Configuration> {};

TEST_P(Synthesised, CoreGivesTheEmulatedBits) {
    synthesis::SynthesisRequest request;
    request.spec = parse_spec(GetParam().spec);
    request.multiplier = GetParam().multiplier;
    request.constant_bands = synthesis::holds_stencil(request.spec);
    const synthesis::Top top = synthesis::top_of(request);
    const auto value = [&](const std::string& name) {
        for (const auto& [key, number] : top.parameters)
            if (key == name) return number;
        return -1;
    };
    ASSERT_EQ(value("Style"), request.multiplier == "logic" ? 1 : 2);
    RtlOptions options;
    options.extra = top.parameters;
    // What the recipe leaves alone has pcg_core's default, and not the simulation's choice.
    if (value("DelayRam") < 0) options.extra.emplace_back("DelayRam", 0);
    for (const double stall : {0.0, 0.1}) {
        options.memory.stall = stall;
        const auto rtl = make_rtl_engine(options);
        const auto emulated = make_emulated_engine();
        const bool constant = value("CoefMode") == 1; // and then (8, -1)
        const System small = constant ? laplacian(13, 6) : test::random_bands(13, 6, 3);
        const System large = constant ? laplacian(64, 9) : test::random_bands(64, 9, 4);
        test::compare_passes(*rtl, *emulated, small, request.spec, 6, 5);
        test::compare_passes(*rtl, *emulated, large, request.spec, 4, 6);
        if (HasFatalFailure()) return;
    }
}

constexpr Configuration kConfigurations[] = {
    {"s17e8_block", "s17e8", "block"},
    {"s17e8_logic", "s17e8", "logic"},
    {"s52e11_block", "s52e11", "block"},
    {"second_differences", "s17e11,order=second-difference,dot=fixed[11:-40],scalar=s20e11", "block"}};
INSTANTIATE_TEST_SUITE_P(Formats, Synthesised, testing::ValuesIn(kConfigurations),
                         [](const auto& test) { return std::string(test.param.name); });

} // namespace
} // namespace mantissa::sim
