#include "dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "text/counted.hpp"
#include "text/key_values.hpp"

namespace mantissa::findings {

namespace {

constexpr std::size_t kLeastSizes = 3; ///< a law through fewer would be none
/// A factor this far off has nothing in common with its matrix any more: its error no longer grows with the rounding.
constexpr double kSaturated = 0.1;

std::string refinement_text(const std::string& refinement) {
    return refinement == "ir" ? "classical refinement" : refinement == "gmres-ir" ? "GMRES refinement" : refinement;
}

const FactorLaw* law_of(std::span<const FactorLaw> laws, DenseSums sums) {
    const auto it = std::find_if(laws.begin(), laws.end(), [&](const FactorLaw& law) { return law.sums == sums; });
    return it == laws.end() ? nullptr : &*it;
}

std::string law_sentence(std::span<const FactorLaw> laws) {
    const FactorLaw* truncated = law_of(laws, DenseSums::truncated);
    if (truncated == nullptr) return {};
    const auto n = static_cast<double>(truncated->most_n);
    std::string text = fmt::format(
        "Truncating at every step of a factorisation costs {:.2f} n units of the last fraction bit, {:.0f} at n = {} "
        "or {:.1f} bits (fitted: {:.2f} n^{:.2f}, from {} of random matrices, n = {} to {})",
        truncated->per_row, truncated->at(n), truncated->most_n, std::log2(truncated->at(n)), truncated->factor,
        truncated->exponent, text::counted(truncated->solves, "solve"), truncated->least_n, truncated->most_n);
    for (const DenseSums sums : {DenseSums::nearest, DenseSums::wider, DenseSums::window})
        if (const FactorLaw* law = law_of(laws, sums))
            text += fmt::format("; {} {:.2f} n^{:.2f}, {:.1f} there", to_string(sums), law->factor, law->exponent,
                                law->at(n));
    return text + ".";
}

/// Random matrices of the greatest size: what each kind of sums needs.
std::string size_sentence(std::span<const Sufficient> list) {
    std::uint64_t n = 0;
    for (const Sufficient& s : list)
        if (s.kind == "uniform" && s.formats > 1) n = std::max(n, s.n);
    std::vector<std::string> parts;
    for (const Sufficient& s : list) {
        if (s.kind != "uniform" || s.n != n || s.formats < 2) continue;
        parts.push_back(s.shortest ? fmt::format("{} with {} and {} ({:.0f} {})", mantissa::to_string(*s.shortest),
                                                 to_string(s.sums), refinement_text(s.refinement), s.steps,
                                                 s.refinement == "gmres-ir" ? "GMRES steps" : "steps")
                                   : fmt::format("none of {} with {} and {}", s.formats, to_string(s.sums),
                                                 refinement_text(s.refinement)));
    }
    if (parts.empty()) return {};
    return fmt::format("Random matrices of n = {} reach double accuracy from these formats on, the shortest of those "
                       "tried: {}.",
                       n, text::listed(parts, 8));
}

/// For each format, up to which condition it suffices with sums in a window and GMRES.
std::string condition_sentence(std::span<const DenseSolve> solves) {
    struct Reach {
        double up_to = 0, tried = 0;
    };
    std::map<std::pair<int, std::string>, Reach> reach;
    std::map<std::pair<int, std::string>, std::map<double, bool>> all;
    std::uint64_t n = 0;
    for (const DenseSolve& s : solves)
        if (s.kind == "randsvd") n = std::max(n, s.n);
    for (const DenseSolve& s : solves) {
        if (s.kind != "randsvd" || s.n != n || s.refinement != "gmres-ir" || sums_of(s.spec) != DenseSums::window)
            continue;
        const auto [it, fresh] =
            all[{s.spec.u.fraction_bits, mantissa::to_string(s.spec.u)}].emplace(s.kappa, s.converged);
        if (!fresh) it->second = it->second && s.converged;
    }
    std::vector<std::string> parts;
    for (const auto& [format, by_kappa] : all) {
        double up_to = 0;
        for (const auto& [kappa, good] : by_kappa) {
            if (!good) break;
            up_to = kappa;
        }
        const bool whole = up_to == by_kappa.rbegin()->first;
        parts.push_back(up_to == 0
                            ? fmt::format("{} not even to {:g}", format.second, by_kappa.begin()->first)
                            : fmt::format("{} to {:g}{}", format.second, up_to, whole ? " (the most tried)" : ""));
    }
    if (parts.empty()) return {};
    return fmt::format(
        "With sums in a window and GMRES refinement, matrices of n = {} are solved to double accuracy up "
        "to these conditions: {}.",
        n, text::listed(parts, 9));
}

} // namespace

std::string_view to_string(DenseSums sums) {
    static constexpr std::array kNames{"each step truncated", "each step rounded to nearest", "wider sums",
                                       "sums in a window"};
    return kNames.at(static_cast<std::size_t>(sums));
}

std::optional<DenseSolve> dense_solve(std::string_view problem, std::uint64_t unknowns, std::string_view spec) {
    DenseSolve s;
    try {
        s.spec = parse_lu_spec(spec);
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
    s.n = unknowns;
    s.kind = "file";
    s.problem = problem;
    if (problem.starts_with("file=")) return s;
    s.problem.clear();
    for (std::string_view rest = problem; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        if (part.starts_with("kind=")) s.kind = part.substr(5);
        if (part.starts_with("kappa=") && !text::read_number(part.substr(6), s.kappa)) return std::nullopt;
        if (!part.starts_with("seed=")) s.problem += (s.problem.empty() ? "" : ",") + std::string(part);
    }
    return s;
}

std::optional<DenseSums> sums_of(const LuSpec& spec) {
    if (!(spec.a == spec.u) || !(spec.l == spec.u) || spec.pivot != LuPivot::partial ||
        spec.division != LuDivision::exact)
        return std::nullopt;
    if (spec.fixed) return DenseSums::window; // whatever the order
    if (spec.order == LuOrder::blocked || spec.exact_product || !(spec.product == spec.accumulator))
        return std::nullopt;
    if (spec.accumulator == spec.u)
        return spec.u.rounding == Rounding::toward_zero    ? std::optional(DenseSums::truncated)
               : spec.u.rounding == Rounding::nearest_even ? std::optional(DenseSums::nearest)
                                                           : std::nullopt;
    return spec.accumulator.fraction_bits > spec.u.fraction_bits ? std::optional(DenseSums::wider) : std::nullopt;
}

std::optional<double> error_units(const DenseSolve& solve) {
    if (!solve.factor_error || !(*solve.factor_error > 0)) return std::nullopt;
    return std::ldexp(*solve.factor_error, solve.spec.u.fraction_bits);
}

double FactorLaw::at(double n) const {
    return factor * std::pow(n, exponent);
}

std::vector<FactorLaw> factor_laws(std::span<const DenseSolve> solves) {
    struct Sample {
        double n, units;
    };
    // A factor is formed once for all refinements: each counts once.
    std::map<DenseSums, std::map<std::tuple<std::uint64_t, std::string, double>, Sample>> by_sums;
    for (const DenseSolve& s : solves) {
        const auto sums = sums_of(s.spec);
        const auto units = error_units(s);
        if (s.kind != "uniform" || !sums || !units || s.n < 16 || *s.factor_error > kSaturated) continue;
        by_sums[*sums].try_emplace({s.n, mantissa::to_string(s.spec), *units},
                                   Sample{static_cast<double>(s.n), *units});
    }
    std::vector<FactorLaw> laws;
    for (const auto& [sums, samples] : by_sums) {
        std::set<double> sizes;
        double x = 0, y = 0, xx = 0, xy = 0, ratio = 0;
        for (const auto& [key, sample] : samples) {
            const double u = std::log(sample.n), v = std::log(sample.units);
            sizes.insert(sample.n);
            x += u;
            y += v;
            xx += u * u;
            xy += u * v;
            ratio += sample.units / sample.n;
        }
        if (sizes.size() < kLeastSizes) continue;
        const auto count = static_cast<double>(samples.size());
        FactorLaw law;
        law.sums = sums;
        law.exponent = (count * xy - x * y) / (count * xx - x * x);
        law.factor = std::exp((y - law.exponent * x) / count);
        law.per_row = ratio / count;
        law.solves = samples.size();
        law.least_n = static_cast<std::uint64_t>(*sizes.begin());
        law.most_n = static_cast<std::uint64_t>(*sizes.rbegin());
        laws.push_back(law);
    }
    return laws;
}

std::vector<Sufficient> sufficient_formats(std::span<const DenseSolve> solves) {
    struct Tried {
        bool all = true;
        double steps = 0;
        std::size_t solves = 0;
    };
    struct Group {
        Sufficient setting;
        std::map<std::pair<int, std::string>, std::pair<Format, Tried>> formats; ///< shortest first
    };
    std::map<std::tuple<std::string, std::uint64_t, double, std::string, DenseSums, std::string>, Group> groups;
    for (const DenseSolve& s : solves) {
        const auto sums = sums_of(s.spec);
        if (!sums || s.refinement == "none") continue;
        Group& g = groups[{s.kind, s.n, s.kappa, s.problem, *sums, s.refinement}];
        g.setting = {s.problem, s.kind, s.n, s.kappa, *sums, s.refinement, std::nullopt, 0, 0};
        auto& [format, tried] = g.formats[{s.spec.u.fraction_bits, mantissa::to_string(s.spec.u)}];
        format = s.spec.u;
        tried.all = tried.all && s.converged;
        tried.steps += static_cast<double>(s.refinement == "gmres-ir" ? s.krylov_steps : s.steps);
        ++tried.solves;
    }
    std::vector<Sufficient> list;
    for (auto& [key, g] : groups) {
        g.setting.formats = g.formats.size();
        for (const auto& [bits, entry] : g.formats) {
            if (!entry.second.all) continue;
            g.setting.shortest = entry.first;
            g.setting.steps = entry.second.steps / static_cast<double>(entry.second.solves);
            break;
        }
        list.push_back(std::move(g.setting));
    }
    return list;
}

std::vector<std::string> dense_sentences(std::span<const DenseSolve> solves) {
    std::vector<std::string> sentences;
    for (std::string& text : std::vector{law_sentence(factor_laws(solves)), size_sentence(sufficient_formats(solves)),
                                         condition_sentence(solves)})
        if (!text.empty()) sentences.push_back(std::move(text));
    return sentences;
}

} // namespace mantissa::findings
