// Writes vectors.hex, expected.hex, parameters.svh and defines.txt for core_icarus_tb.sv: a random nine-band system, a
// start, and what the emulated engine makes of it. usage: icarus_vectors SPEC ROW ROWS PASSES FOLDER
// [PARAMETER=VALUE]...
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mantissa/exact.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "systems.hpp"

int main(int argc, char** argv) {
    using namespace mantissa;
    if (argc < 6) return 2;
    const DatapathSpec spec = parse_spec(argv[1]);
    const auto row = static_cast<std::size_t>(std::atoi(argv[2])), rows = static_cast<std::size_t>(std::atoi(argv[3]));
    const auto passes = static_cast<std::uint64_t>(std::atoi(argv[4]));
    const std::string folder = argv[5];
    const System system = sim::test::random_bands(row, rows, 9);
    const auto session = make_emulated_engine()->load(system, spec, {});
    std::vector<double> v(system.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 0.03 * static_cast<double>((i * 5) % 13) - 0.17;
    session->write(Vec::r, 0, v);
    session->set_scalars(0, 0);
    const Format formats[] = {spec.u, spec.r, spec.p, spec.q};
    const auto dump = [&](std::ofstream& out) {
        for (int k = 0; k < 4; ++k) {
            session->read(static_cast<Vec>(k), 0, v);
            for (const double x : v) out << fmt::format("{:016x}\n", encode(formats[k], x));
        }
    };
    std::ofstream vectors(folder + "/vectors.hex"), expected(folder + "/expected.hex"),
        defines(folder + "/defines.txt");
    dump(vectors);
    for (const auto& band : std::get<Bands>(system.matrix()).bands())
        for (const double x : band)
            vectors << fmt::format("{:016x}\n", encode(spec.coefficient, exact::convert(spec.coefficient, x)));
    const RunReport report = session->run({passes});
    if (report.end != RunEnd::passes) return 1;
    dump(expected);
    const Scalars s = session->scalars();
    for (const double x : {s.rho, s.pq, s.qq, s.alpha, s.sigma, s.beta})
        expected << fmt::format("{:016x}\n", encode(spec.scalar, x));
    // The core with a specification's parameters and what the caller adds; its widths for the bench.
    std::ofstream parameters(folder + "/parameters.svh");
    sim::CoreParameters list = sim::core_parameters(spec);
    list.emplace_back("CoefMode", 0);
    for (int k = 6; k < argc; ++k) {
        const std::string word = argv[k];
        const std::size_t at = word.find('=');
        if (at == std::string::npos) return 2;
        list.emplace_back(word.substr(0, at), std::atoi(word.c_str() + at + 1));
    }
    for (std::size_t k = 0; k < list.size(); ++k)
        parameters << fmt::format("  .{}({}){}\n", list[k].first, list[k].second, k + 1 < list.size() ? "," : "");
    defines << fmt::format("-DN={} -DROW={} -DPASSES={} -DLANES={} -DUW={} -DRW={} -DPW={} -DQW={} -DCW={}\n",
                           system.size(), row, passes, spec.lanes, spec.u.width(), spec.r.width(), spec.p.width(),
                           spec.q.width(), spec.coefficient.width());
    return 0;
}
