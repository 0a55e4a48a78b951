// Builds the simulation models that the tests share, two at a time: run once, before them.
#include <atomic>
#include <cstdio>
#include <exception>
#include <iterator>
#include <thread>
#include <vector>

#include "mantissa/sim/model_cache.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "specs.hpp"
#include "systems.hpp"

int main() {
    using namespace mantissa;
    const System systems[] = {sim::test::poisson_stencil(9, 9), sim::test::random_bands(9, 9, 1)}; // a model for each
    std::atomic<std::size_t> next{0};
    std::atomic<int> failures{0};
    const auto work = [&] {
        constexpr std::size_t kPlain = 2 * std::size(sim::test::kSpecs);
        for (std::size_t k = next++; k < kPlain + std::size(sim::test::kRuleSpecs); k = next++) {
            const bool rules = k >= kPlain;
            const char* spec = rules ? sim::test::kRuleSpecs[k - kPlain] : sim::test::kSpecs[k / 2];
            try {
                sim::RtlOptions options;
                options.rules = rules;
                (void)sim::make_rtl_engine(options)->load(systems[rules ? 1 : k % 2], parse_spec(spec), {});
                std::printf("%s, %s: ready\n", spec, rules ? "with rules" : k % 2 == 0 ? "stencil" : "bands");
            } catch (const std::exception& e) {
                std::printf("%s: %s\n", spec, e.what());
                ++failures;
            }
        }
    };
    std::thread other(work);
    work();
    other.join();
    return failures == 0 ? 0 : 1;
}
