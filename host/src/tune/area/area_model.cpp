#include "area_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core_table.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"

namespace mantissa::tuning {

namespace {

/// What a core reads its rows from: its own stencil, streams of bands, or a stream of entries.
enum class Rows : std::uint8_t { constant, streamed, sparse };

/// Are hard multipliers wider than 18 bits, and products left to yosys?
bool wide_blocks(const std::string& target) {
    return target == "xc7" || target == "xcup";
}

/// Hard multipliers of a product of `a` by `b` bits, two's complement. With blocks of 18 x 18 bits rtl/fixed/fx_mul.sv
/// cuts it into parts of 17 bits, and yosys leaves parts whose product has fewer than nine bits to logic; of a square
/// the parts (i, j) and (j, i) are one. Where blocks are wider yosys cuts it.
int blocks_of(int a, int b, const std::string& target, bool square) {
    if (wide_blocks(target)) {
        const int wide = target == "xcup" ? 27 : 25, narrow = 18;
        const auto pieces = [](int bits, int block) { return bits <= block ? 1 : 1 + (bits - 2) / (block - 1); };
        return pieces(std::max(a, b), wide) * pieces(std::min(a, b), narrow);
    }
    const int na = (a + 15) / 17, nb = (b + 15) / 17;
    int count = 0;
    for (int i = 0; i < na; ++i)
        for (int j = square ? i : 0; j < nb; ++j) {
            const int wa = i == na - 1 ? a - 17 * i : 17, wb = j == nb - 1 ? b - 17 * j : 17;
            if (target == "ecp5" || (std::min(wa, wb) >= 2 && wa + wb >= 9)) ++count;
        }
    return count;
}

/// Three updates of a vector, three dot products, in each lane; the scalar unit; rows of streamed couplings, or a
/// product of a sparse row. (A coefficient of these is two bits longer: its diagonal is 1.)
int integer_blocks(const DatapathSpec& s, const std::string& target, Rows rows) {
    const int factor = s.operand.fraction_bits + 2, p = s.p.word_bits, q = s.q.word_bits, r = s.r.word_bits;
    const auto of = [&](int a, int b) { return blocks_of(a, b, target, false); };
    int lane =
        2 * of(factor, p) + of(factor, q) + of(p, q) + blocks_of(r, r, target, true) + blocks_of(q, q, target, true);
    if (rows == Rows::streamed) lane += 4 * of(p + 1, s.coefficient.word_bits) + of(p, s.coefficient.word_bits);
    if (rows == Rows::sparse) lane += of(p, s.coefficient.word_bits + 2);
    return s.lanes * lane + (s.scalar.fraction_bits > 16 ? 2 : 1);
}

/// 18-Kbit memories of the two rows of 1,025 words that an integer core holds: side by side with one lane, each its own
/// with several; of four lanes a row is short enough for memories of 36 bits.
int integer_memories(const DatapathSpec& s) {
    const int word = s.r.word_bits;
    return s.lanes == 1   ? (2 * word + 17) / 18
           : s.lanes == 2 ? 2 * ((2 * word + 17) / 18)
                          : 2 * ((s.lanes * word + 35) / 36);
}

int bits_of(const DatapathSpec& spec) {
    return spec.fixed_vectors() ? spec.r.word_bits : spec.r.fraction_bits;
}

/// What an integer core's cells grow with: lanes, and in each the words and the products.
Features integer_features(const DatapathSpec& s, Part part, Rows rows, const std::string& target) {
    const double lanes = s.lanes, word = s.r.word_bits, u = s.u.word_bits - word, scalar = s.scalar.fraction_bits;
    const double factor = s.operand.fraction_bits, coef = rows == Rows::streamed ? s.coefficient.word_bits : 0;
    const double several = s.r.word_bits > 18 ? 1 : 0; // products of several blocks
    switch (part) {
    case Part::slices: {
        // Where blocks are wide, products of several are added within them. Of sparse rows the shape of a product
        // changes with the coefficient, and with it what stands around its blocks.
        const bool summed = rows == Rows::sparse || wide_blocks(target);
        Features f = summed ? Features{1, lanes, lanes * (4 * word + u + 2 * factor), scalar}
                            : Features{1, lanes, lanes * word, lanes * u, lanes * factor, scalar, lanes * several};
        if (rows == Rows::sparse) f.push_back(integer_blocks(s, target, rows));
        if (rows == Rows::streamed) f.push_back(coef);
        return f;
    }
    case Part::blocks:
        return {}; // integer_blocks() counts them
    case Part::memory_bits:
        return {}; // (as above)
    case Part::mhz:
        return {1, word, scalar, std::log2(lanes)};
    case Part::clocks:
        return {1, scalar, several, std::log2(lanes)};
    }
    return {};
}

/// The same of a floating core: its adders grow with the bits, its multipliers with their square.
Features floating_features(const DatapathSpec& s, Part part) {
    const double bits = s.r.fraction_bits, exponent = s.r.exponent_bits, u = s.u.fraction_bits - bits;
    const double row = s.row.fraction_bits - bits, window = s.dot.fixed ? 1 : 0, scalar = s.scalar.fraction_bits;
    const double flux = s.order == RowOrder::flux ? 1 : 0, second = s.order == RowOrder::second_difference ? 1 : 0;
    const double tile = std::ceil(bits / 17.0 - 0.06);
    switch (part) {
    case Part::slices:
        return {1, bits, bits * bits / 30, exponent, second, second * bits, flux, window, scalar, u, row};
    case Part::blocks:
        return {1, tile * tile, second * tile * tile, second, flux};
    case Part::memory_bits:
        return {1, bits, second, flux, window};
    case Part::mhz:
        return {1, bits};
    case Part::clocks:
        return {1, second, flux, window};
    }
    return {};
}

Features features_of(const DatapathSpec& spec, const std::string& target, Part part, Rows rows) {
    return spec.fixed_vectors() ? integer_features(spec, part, rows, target) : floating_features(spec, part);
}

double truth(const Netlist& n, Part part) {
    switch (part) {
    case Part::slices:
        return static_cast<double>(n.slices);
    case Part::blocks:
        return static_cast<double>(n.blocks);
    case Part::memory_bits:
        return static_cast<double>(n.memory_bits);
    case Part::mhz:
        return n.model_mhz;
    case Part::clocks:
        return n.fixed_clocks.value_or(0);
    }
    return 0;
}

bool counted(Part part) {
    return part == Part::slices || part == Part::blocks || part == Part::memory_bits;
}

/// The cores' features and figures of a part.
std::vector<Sample> samples_of(const std::vector<Netlist>& cores, Part part, Rows rows) {
    std::vector<Sample> samples;
    for (const Netlist& n : cores) samples.push_back({features_of(n.spec, n.target, part, rows), truth(n, part)});
    return samples;
}

double apply(const std::vector<double>& weights, const Features& features, Part part) {
    const double sum = weighted(weights, features);
    return counted(part) ? std::max(0.0, std::round(sum)) : sum;
}

/// One figure of a core: by its rule, or with fitted weights.
double figure(const DatapathSpec& spec, const std::string& target, Part part, Rows rows,
              const std::vector<double>& weights) {
    if (part == Part::blocks && spec.fixed_vectors()) return integer_blocks(spec, target, rows);
    if (part == Part::memory_bits && rows == Rows::sparse) return 0; // vectors only, of any length: Cores counts them
    if (part == Part::memory_bits && spec.fixed_vectors())
        return integer_memories(spec) * static_cast<double>(synthesis::SynthesisFigures::kBlockBits);
    return apply(weights, features_of(spec, target, part, rows), part);
}

/// On cores that are for judging alone, with the weights of the others.
ModelError apart_error(const std::vector<Netlist>& judges, Part part, Rows rows, const std::vector<double>& weights) {
    std::vector<double> off;
    for (const Netlist& n : judges)
        if (const double y = truth(n, part); y != 0)
            off.push_back(std::abs(figure(n.spec, n.target, part, rows, weights) - y) / y);
    return error_of(std::move(off), true);
}

/// Each core modelled from the others.
ModelError left_out_error(const std::vector<Netlist>& cores, Part part, Rows rows) {
    const std::vector<Sample> samples = samples_of(cores, part, rows);
    std::vector<double> off;
    for (std::size_t k = 0; k < cores.size(); ++k) {
        const double y = samples[k].truth;
        if (y == 0) continue;
        const double guess = figure(cores[k].spec, cores[k].target, part, rows, fit(samples, k));
        off.push_back(std::abs(guess - y) / y);
    }
    return error_of(std::move(off));
}

Rows rows_of(std::string_view bands) {
    return bands == "sparse" ? Rows::sparse : bands == "streamed" ? Rows::streamed : Rows::constant;
}

std::string kind_of(const DatapathSpec& spec, const std::string& target, const std::string& multiplier,
                    const std::string& bands) {
    return fmt::format("{} {} {} {}", spec.fixed_vectors() ? "integers" : "floating",
                       spec.fixed_vectors() ? bands : "any", target, multiplier);
}

Netlist read(const nlohmann::json& entry) {
    Netlist n;
    n.spec = parse_spec(entry.at("spec").get<std::string>());
    n.sources = entry.at("sources");
    n.target = entry.at("target");
    n.multiplier = entry.at("multiplier");
    n.bands = entry.at("bands");
    n.slices = figures_of(entry).slices(n.target);
    n.blocks = entry.at("multipliers");
    n.memory_bits = n.bands == "sparse" ? 0 : entry.at("memory_bits").get<std::uint64_t>();
    n.model_mhz = entry.at("model_mhz");
    if (entry.contains("fixed_clocks")) n.fixed_clocks = entry.at("fixed_clocks").get<double>();
    return n;
}

/// A kind of core with fewer netlists, or with larger errors, is not modelled.
constexpr std::size_t kFewestCores = 7;
constexpr double kMostMedian = 0.05, kMostError = 0.15;

} // namespace

const char* to_string(Part part) {
    static constexpr std::array kNames{"slices", "multipliers", "block memory", "clock", "fixed clocks of a pass"};
    return kNames.at(static_cast<std::size_t>(part));
}

AreaModel::AreaModel(const std::string& file) {
    each_core(file, [&](const nlohmann::json& entry) {
        if (entry.at("bands") == "cycle") return; // (CycleModel's)
        Netlist n = read(entry);
        Kind& kind = kinds_[kind_of(n.spec, n.target, n.multiplier, n.bands)];
        (entry.value("judge", false) ? kind.judges : kind.cores).push_back(std::move(n));
    });
    std::erase_if(kinds_, [](const auto& kind) { return kind.second.cores.empty(); });
    for (auto& [name, kind] : kinds_) {
        const Rows rows = rows_of(kind.cores.front().bands);
        kind.least_bits = kind.most_bits = bits_of(kind.cores.front().spec);
        for (const Netlist& n : kind.cores) {
            kind.least_bits = std::min(kind.least_bits, bits_of(n.spec));
            kind.most_bits = std::max(kind.most_bits, bits_of(n.spec));
            kind.most_lanes = std::max(kind.most_lanes, n.spec.lanes);
        }
        for (const Part part : kParts) {
            kind.weights[part] = fit(samples_of(kind.cores, part, rows), kind.cores.size());
            kind.errors[part] = kind.judges.empty() ? left_out_error(kind.cores, part, rows)
                                                    : apart_error(kind.judges, part, rows, kind.weights[part]);
        }
    }
}

const AreaModel::Kind* AreaModel::find(const DatapathSpec& spec, const std::string& target,
                                       const std::string& multiplier, const std::string& bands) const {
    const auto it = kinds_.find(kind_of(spec, target, multiplier, bands));
    return it == kinds_.end() || it->second.cores.size() < kFewestCores ? nullptr : &it->second;
}

std::string AreaModel::refusal(const DatapathSpec& spec, const std::string& target, const std::string& multiplier,
                               const std::string& bands) const {
    const Kind* kind = find(spec, target, multiplier, bands);
    const std::string cores =
        spec.fixed_vectors() ? fmt::format("integer cores, {} {}", bands, bands == "sparse" ? "rows" : "coefficients")
                             : "floating cores";
    if (kind == nullptr)
        return fmt::format("no areas of {}, {} multipliers on {} are modelled", cores, multiplier, target);
    if (const ModelError& e = kind->errors.at(Part::slices); e.median > kMostMedian || e.largest > kMostError)
        return fmt::format("the area model of {} on {} is off by {:.0f} % in the median and {:.0f} % at most, too much "
                           "to choose by",
                           cores, target, 100 * e.median, 100 * e.largest);
    if (bits_of(spec) < kind->least_bits || bits_of(spec) > kind->most_bits)
        return fmt::format("the area model has words of {} to {} bits", kind->least_bits, kind->most_bits);
    if (spec.lanes > kind->most_lanes)
        return fmt::format("the area model has cores of up to {} lanes", kind->most_lanes);
    return {};
}

ModelledCore AreaModel::at(const DatapathSpec& spec, const std::string& target, const std::string& multiplier,
                           const std::string& bands) const {
    const Kind* kind = find(spec, target, multiplier, bands);
    const auto of = [&](Part part) { return figure(spec, target, part, rows_of(bands), kind->weights.at(part)); };
    ModelledCore core;
    core.area = {static_cast<std::uint64_t>(of(Part::slices)), static_cast<std::uint64_t>(of(Part::blocks)),
                 static_cast<std::uint64_t>(of(Part::memory_bits))};
    core.model_mhz = of(Part::mhz);
    core.fixed_clocks = of(Part::clocks);
    return core;
}

std::map<Part, ModelError> AreaModel::errors(const DatapathSpec& spec, const std::string& target,
                                             const std::string& multiplier, const std::string& bands) const {
    const Kind* kind = find(spec, target, multiplier, bands);
    return kind == nullptr ? std::map<Part, ModelError>{} : kind->errors;
}

bool AreaModel::made_of(const std::string& sources, const DatapathSpec& spec, const std::string& target,
                        const std::string& multiplier, const std::string& bands) const {
    const Kind* kind = find(spec, target, multiplier, bands);
    return kind != nullptr &&
           std::all_of(kind->cores.begin(), kind->cores.end(), [&](const Netlist& n) { return n.sources == sources; });
}

} // namespace mantissa::tuning
