#include "cycle_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core_table.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "text/key_values.hpp"

namespace mantissa::tuning {

namespace {

int bits(const CycleSpec& c) {
    return CycleSpec::of(c.w, 0);
}

/// A core has what is there once; in each lane the steps before and after, whose sums grow with the words.
Features slice_features(const CycleSpec& c, int lanes) {
    const double n = lanes, word = bits(c), found = CycleSpec::of(c.f, 0);
    return {1, n, n * c.before, n * c.after, n * (c.after > 0 ? 1 : 0), n * word, n * found};
}

/// (A few lanes lengthen the longest path, further ones do not.)
Features clock_features(const CycleSpec& c, int lanes) {
    return {1, 1.0 / lanes / lanes, c.after > 0 ? 1.0 : 0.0};
}

/// Bits of a word of e inside a level, of Poisson's stencil, which the table's netlists are of. All cycles have the
/// same.
int bits_of_e() {
    static const int kBits =
        multilevel::grid_plan(*multilevel::grid_words(make_problem("poisson2d:level=4").system), CycleSpec{}).most + 1;
    return kBits;
}

/// Hard multipliers: in each lane a square for the verdict (rtl/cycle/cy_squares.sv), and what moves e by less than 16
/// places (cy_correct.sv), 17 bits a block; the cycle has none.
int cycle_blocks(int lanes) {
    constexpr int kLow = 17;
    return lanes * (1 + (bits_of_e() > kLow ? 2 : 1));
}

/// "b2,w=10,level=10,stored=5,lanes=4", as a store has it.
std::pair<CycleSpec, int> taken_apart(const std::string& text) {
    const std::size_t level = text.find(",level="), lanes = text.find(",lanes=");
    int n = 1;
    if (lanes != std::string::npos) text::read_number(std::string_view(text).substr(lanes + 7), n);
    return {parse_cycle_spec(std::string_view(text).substr(0, level)), n};
}

constexpr std::size_t kFewestCycles = 9; ///< netlists of a family
constexpr double kMostMedian = 0.05, kMostError = 0.15;

} // namespace

CycleModel::Kind CycleModel::fitted(std::vector<CycleNetlist> cores) {
    Kind kind;
    std::vector<Sample> slices, mhz;
    kind.least_bits = kind.most_bits = bits(cores.front().cycle);
    for (const CycleNetlist& n : cores) {
        slices.push_back({slice_features(n.cycle, n.lanes), n.slices});
        mhz.push_back({clock_features(n.cycle, n.lanes), n.mhz});
        kind.least_bits = std::min(kind.least_bits, bits(n.cycle));
        kind.most_bits = std::max(kind.most_bits, bits(n.cycle));
        kind.most_lanes = std::max(kind.most_lanes, n.lanes);
    }
    const auto errors = [](const std::vector<Sample>& samples) {
        std::vector<double> off;
        for (std::size_t k = 0; k < samples.size(); ++k)
            off.push_back(std::abs(weighted(fit(samples, k), samples[k].features) / samples[k].truth - 1));
        return error_of(std::move(off));
    };
    kind.slices = fit(slices, slices.size());
    kind.mhz = fit(mhz, mhz.size());
    std::vector<double> off;
    off.reserve(cores.size());
    for (const CycleNetlist& n : cores) off.push_back(std::abs(cycle_blocks(n.lanes) / n.blocks - 1));
    kind.errors = {{Part::slices, errors(slices)}, {Part::blocks, error_of(std::move(off))}, {Part::mhz, errors(mhz)}};
    kind.cores = std::move(cores);
    return kind;
}

CycleModel::CycleModel(const std::string& file) {
    std::map<std::string, std::vector<CycleNetlist>> lists;
    each_core(file, [&](const nlohmann::json& entry) {
        if (entry.at("bands") != "cycle") return;
        const std::string target = entry.at("target");
        auto [cycle, lanes] = taken_apart(entry.at("spec"));
        lists[target].push_back({std::move(cycle), lanes, entry.at("sources"),
                                 static_cast<double>(figures_of(entry).slices(target)),
                                 entry.at("multipliers").get<double>(), entry.at("model_mhz").get<double>()});
    });
    for (auto& [target, list] : lists) kinds_[target] = fitted(std::move(list));
}

std::string CycleModel::refusal(const CycleSpec& cycle, int lanes, const std::string& target) const {
    const auto it = kinds_.find(target);
    if (it == kinds_.end() || it->second.cores.size() < kFewestCycles)
        return fmt::format("no areas of cycle cores on {} are modelled", target);
    const Kind& kind = it->second;
    if (const ModelError& e = kind.errors.at(Part::slices); e.median > kMostMedian || e.largest > kMostError)
        return fmt::format("the area model of cycle cores on {} is off by {:.0f} % in the median and {:.0f} % at most, "
                           "too much to choose by",
                           target, 100 * e.median, 100 * e.largest);
    if (bits(cycle) < kind.least_bits || bits(cycle) > kind.most_bits)
        return fmt::format("the area model has cycles in words of {} to {} bits", kind.least_bits, kind.most_bits);
    if (lanes > kind.most_lanes)
        return fmt::format("the area model has cycle cores of up to {} lanes", kind.most_lanes);
    return {};
}

ModelledCore CycleModel::at(const CycleSpec& cycle, int lanes, const std::string& target) const {
    const Kind& kind = kinds_.at(target);
    ModelledCore core;
    core.area.slices =
        static_cast<std::uint64_t>(std::max(0.0, std::round(weighted(kind.slices, slice_features(cycle, lanes)))));
    core.area.blocks = static_cast<std::uint64_t>(cycle_blocks(lanes));
    core.model_mhz = weighted(kind.mhz, clock_features(cycle, lanes));
    return core;
}

std::map<Part, ModelError> CycleModel::errors(const std::string& target) const {
    const auto it = kinds_.find(target);
    return it == kinds_.end() ? std::map<Part, ModelError>{} : it->second.errors;
}

bool CycleModel::made_of(const std::string& sources, const std::string& target) const {
    const auto it = kinds_.find(target);
    return it != kinds_.end() && std::all_of(it->second.cores.begin(), it->second.cores.end(),
                                             [&](const CycleNetlist& n) { return n.sources == sources; });
}

} // namespace mantissa::tuning
