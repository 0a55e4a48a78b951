// Writes vectors.hex, expected.hex and defines.txt for core_icarus_tb.sv: a random nine-band system, a start, and what
// the emulated engine makes of it. usage: icarus_vectors SPEC ROW ROWS PASSES FOLDER
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
    if (argc != 6) return 2;
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
    const int rne = spec.r.rounding == Rounding::nearest_even ? 1 : 0; // one rounding for all here
    const Format& product = spec.dot.exact_product ? spec.r : spec.dot.product;
    const Format& sum = spec.dot.fixed ? spec.r : spec.dot.accumulator;
    defines << fmt::format(
        "-DN={} -DROW={} -DPASSES={} -DLANES={} -DUE={} -DUM={} -DRE={} -DRM={} -DPE={} -DPM={} -DQE={} -DQM={} "
        "-DCE={} "
        "-DCM={} -DOE={} -DOM={} -DWE={} -DWM={} -DTREE={} -DFIXED={} -DEXACT={} -DDE={} -DDM={} -DAE={} -DAM={} "
        "-DDEPTH={} -DMSB={} -DLSB={} -DSE={} -DSM={} -DRNE={}\n",
        system.size(), row, passes, spec.lanes, spec.u.exponent_bits, spec.u.fraction_bits, spec.r.exponent_bits,
        spec.r.fraction_bits, spec.p.exponent_bits, spec.p.fraction_bits, spec.q.exponent_bits, spec.q.fraction_bits,
        spec.coefficient.exponent_bits, spec.coefficient.fraction_bits, spec.operand.exponent_bits,
        spec.operand.fraction_bits, spec.row.exponent_bits, spec.row.fraction_bits,
        spec.order == RowOrder::tree ? 1 : 0, spec.dot.fixed ? 1 : 0, spec.dot.exact_product ? 1 : 0,
        product.exponent_bits, product.fraction_bits, sum.exponent_bits, sum.fraction_bits,
        spec.dot.fixed ? 16 : spec.dot.depth, spec.dot.fixed ? spec.dot.window.msb : 1,
        spec.dot.fixed ? spec.dot.window.lsb : 0, spec.scalar.exponent_bits, spec.scalar.fraction_bits, rne);
    return 0;
}
