// Writes vectors.hex, expected.hex, parameters.svh and defines.txt for core_icarus_tb.sv: a system, a start, and what
// the emulated engine makes of it. usage: icarus_vectors SPEC ROW ROWS PASSES FOLDER [PARAMETER=VALUE]...
// Floating specs have a random nine-band system. The integer core has the stencil of the Poisson problem, fitted, or
// with CoefMode=0 a diffusion problem's weights and row sums.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fixed_systems.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fixed_rows.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "systems.hpp"

namespace {

using namespace mantissa;

System system_for(const DatapathSpec& spec, std::size_t row, std::size_t rows, bool streamed) {
    if (!spec.fixed_vectors()) return sim::test::random_bands(row, rows, 9);
    return sim::test::system_of(streamed ? sim::test::Matrix::bands_with_sums : sim::test::Matrix::box, spec, row,
                                rows);
}

/// The streams of coefficients, as words; of a constant stencil one that is not used.
std::vector<std::vector<std::uint64_t>> streams_of(const System& system, const DatapathSpec& spec) {
    std::vector<std::vector<std::uint64_t>> streams;
    if (!spec.fixed_vectors()) {
        for (const auto& band : std::get<Bands>(system.matrix()).bands()) {
            streams.emplace_back();
            for (const double x : band)
                streams.back().push_back(encode(spec.coefficient, exact::convert(spec.coefficient, x)));
        }
        return streams;
    }
    if (system.kind() == System::Kind::stencil) return {std::vector<std::uint64_t>(system.size(), 0)};
    const fixed::FluxRows rows = fixed::flux_rows(system, spec);
    for (const auto& weight : rows.weight) streams.emplace_back(weight.begin(), weight.end());
    if (!rows.row_sum.empty()) streams.emplace_back(rows.row_sum.begin(), rows.row_sum.end());
    return streams;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 6) return 2;
    const DatapathSpec spec = parse_spec(argv[1]);
    const auto row = static_cast<std::size_t>(std::atoi(argv[2])), rows = static_cast<std::size_t>(std::atoi(argv[3]));
    const auto passes = static_cast<std::uint64_t>(std::atoi(argv[4]));
    const std::string folder = argv[5];
    const bool fixed = spec.fixed_vectors();
    bool streamed = !fixed;
    for (int k = 6; k < argc; ++k) streamed |= std::string(argv[k]) == "CoefMode=0";
    const System system = system_for(spec, row, rows, streamed);
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
    const auto streams = streams_of(system, spec);
    for (const auto& stream : streams)
        for (const std::uint64_t x : stream) vectors << fmt::format("{:016x}\n", x);
    const RunReport report = session->run({passes});
    if (report.end != RunEnd::passes) return 1;
    dump(expected);
    const Scalars s = session->scalars();
    for (const double x : {s.rho, s.pq, s.qq, s.alpha, s.sigma, s.beta})
        expected << fmt::format("{:016x}\n", encode(spec.scalar, x));
    // The core with a specification's parameters and what the caller adds; its widths for the bench.
    std::ofstream parameters(folder + "/parameters.svh");
    sim::CoreParameters list = sim::core_parameters(spec);
    const auto set = [&](const std::string& name, int value) {
        std::erase_if(list, [&](const auto& p) { return p.first == name; });
        list.emplace_back(name, value);
    };
    set("CoefMode", 0);
    if (fixed)
        for (const auto& [name, value] : sim::matrix_parameters(spec, system)) set(name, value);
    for (int k = 6; k < argc; ++k) {
        const std::string word = argv[k];
        const std::size_t at = word.find('=');
        if (at == std::string::npos) return 2;
        set(word.substr(0, at), std::atoi(word.c_str() + at + 1));
    }
    for (std::size_t k = 0; k < list.size(); ++k)
        parameters << fmt::format("  .{}({}){}\n", list[k].first, list[k].second, k + 1 < list.size() ? "," : "");
    int coefficient = spec.coefficient.width(); // of a stream's word
    for (const auto& [name, value] : list)
        if (name == "CoefW") coefficient = value;
    defines << fmt::format("-DN={} -DROW={} -DPASSES={} -DLANES={} -DUW={} -DRW={} -DPW={} -DQW={} -DCW={} "
                           "-DCOEFS={}{}\n",
                           system.size(), row, passes, spec.lanes, spec.u.width(), spec.r.width(), spec.p.width(),
                           spec.q.width(), coefficient, streams.size(), fixed ? " -DFIXED" : "");
    return 0;
}
