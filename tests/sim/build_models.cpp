// Builds the simulation models that the tests share, two at a time: run once, before them.
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "fixed_systems.hpp"
#include "mantissa/sim/model_cache.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace {

struct Job {
    std::string spec;
    mantissa::System system;
    bool rules;
    int cores = 1;
};

std::vector<Job> jobs() {
    using namespace mantissa;
    const System stencil = sim::test::poisson_stencil(9, 9), bands = sim::test::random_bands(9, 9, 1);
    std::vector<Job> list;
    for (const sim::test::FixedCase& c : sim::test::fixed_cases())
        list.push_back({c.spec, sim::test::system_of(c.matrix, parse_spec(c.spec), 65, 5), c.rules});
    for (const char* spec : sim::test::kSpecs) {
        list.push_back({spec, stencil, false});
        list.push_back({spec, bands, false});
    }
    for (const char* spec : sim::test::kRuleSpecs)
        if (!parse_spec(spec).fixed_vectors()) list.push_back({spec, bands, true}); // the others are fixed_cases()
    for (const sim::test::CoresCase& c : sim::test::cores_cases())
        list.push_back({c.spec, sim::test::system_of(c.matrix, parse_spec(c.spec), 65, 40), c.rules, c.cores});
    return list;
}

} // namespace

int main() {
    const std::vector<Job> list = jobs();
    std::atomic<std::size_t> next{0};
    std::atomic<int> failures{0};
    const auto work = [&] {
        for (std::size_t k = next++; k < list.size(); k = next++) {
            const Job& job = list[k];
            try {
                mantissa::sim::RtlOptions options;
                options.rules = job.rules;
                options.cores = job.cores;
                (void)mantissa::sim::make_rtl_engine(options)->load(job.system, mantissa::parse_spec(job.spec), {});
                std::printf("%s, %s%s: ready\n", job.spec.c_str(), to_string(job.system.kind()).c_str(),
                            job.rules ? ", with rules" : "");
            } catch (const std::exception& e) {
                std::printf("%s: %s\n", job.spec.c_str(), e.what());
                ++failures;
            }
        }
    };
    std::thread other(work);
    work();
    other.join();
    return failures == 0 ? 0 : 1;
}
