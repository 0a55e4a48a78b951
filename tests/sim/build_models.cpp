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
    std::atomic<std::size_t> next{0};
    std::atomic<int> failures{0};
    const auto work = [&] {
        for (std::size_t k = next++; k < std::size(sim::test::kSpecs); k = next++) {
            try {
                (void)sim::make_rtl_engine()->load(sim::test::poisson_stencil(9, 9), parse_spec(sim::test::kSpecs[k]),
                                                   {});
                std::printf("%s: ready\n", sim::test::kSpecs[k]);
            } catch (const std::exception& e) {
                std::printf("%s: %s\n", sim::test::kSpecs[k], e.what());
                ++failures;
            }
        }
    };
    std::thread other(work);
    work();
    other.join();
    return failures == 0 ? 0 : 1;
}
