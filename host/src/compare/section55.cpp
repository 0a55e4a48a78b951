// Section 5.5 of the paper: what a narrow core gives against a double one, with our figures.
#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"

namespace mantissa::compare {

namespace {

/// Against the wide design, for one style of multipliers; null where something is missing.
results::Json ratios(Gathered& g, const Section55Request& request, const DatapathSpec& narrow,
                     const std::string& multiplier, const Provenance& here) {
    const CoreKey wide_key{to_string(request.wide), request.target, multiplier},
        narrow_key{to_string(narrow), request.target, multiplier};
    const auto wide = g.areas.find(wide_key), thin = g.areas.find(narrow_key);
    if (wide == g.areas.end() || thin == g.areas.end()) return nullptr;
    const auto ratio = [](auto a, auto b) -> results::Json {
        if (b == 0) return nullptr;
        return static_cast<double>(a) / static_cast<double>(b);
    };
    const Sourced<ClockFigures> wide_clock = clock_of(g, wide_key, here), thin_clock = clock_of(g, narrow_key, here);
    const bool modelled = wide_clock.value.kind == "modelled" || thin_clock.value.kind == "modelled";
    const AreaFigures &w = wide->second.value, &n = thin->second.value;
    return {{"area_ratio", ratio(w.slices, n.slices)},
            {"blocks_ratio", ratio(w.blocks, n.blocks)},
            {"io_ratio", ratio(n.io_bits, w.io_bits)},
            {"clock_ratio", thin_clock.value.mhz / wide_clock.value.mhz},
            {"clock_kind", modelled ? "modelled" : "measured"},
            {"origins", {wide->second.origin, thin->second.origin, wide_clock.origin, thin_clock.origin}}};
}

} // namespace

results::Json section55(const Comparison& c, Gathered& g, const Provenance& here) {
    if (!c.section55) return nullptr;
    const Section55Request& request = *c.section55;
    const auto missing = [&](const std::string& why, const std::string& mend) {
        g.gaps.push_back({"section 5.5", why, mend});
        return results::Json(nullptr);
    };
    const auto reference = g.reference.find(request.problem);
    const auto* solve = solve_of(g, request.problem, to_string(request.narrow));
    if (reference == g.reference.end() || solve == nullptr)
        return missing(
            fmt::format("no iterations of {} and of CG in double on {}", to_string(request.narrow), request.problem),
            "see the gaps above");
    // As the paper counts them: inner iterations and outer steps against those of CG in double.
    const auto ratio_of = [&](const SolveResult& r) {
        return static_cast<double>(r.inner_iterations + r.outer_iterations) /
               static_cast<double>(reference->second.value);
    };
    const double iterations = ratio_of(solve->value.result);
    results::Json j;
    j["narrow"] = to_string(request.narrow);
    j["wide"] = to_string(request.wide);
    j["problem"] = request.problem;
    j["target"] = request.target;
    j["paper"] = {{"iterations_ratio", 1.80}, {"area_ratio", 2.5},       {"clock_ratio", 1.44},
                  {"io_ratio", 0.55},         {"slowdown", 1.80 / 1.44}, {"speedup", 2.5 * 1.44 / 1.80}};
    results::Json origins = {solve->origin, reference->second.origin};
    results::Json by_multiplier = results::Json::object();
    for (const char* multiplier : {"logic", "block"}) {
        results::Json r = ratios(g, request, request.narrow, multiplier, here);
        if (!r.is_null()) by_multiplier[multiplier] = std::move(r);
    }
    if (by_multiplier.empty())
        return missing(fmt::format("{} and {} are not both synthesised for {}", to_string(request.narrow),
                                   to_string(request.wide), request.target),
                       "see the gaps above, or give both designs this device and the same multipliers");
    // The paper takes the area from its cores in logic and the clock from those on hard multipliers.
    const results::Json& area = by_multiplier.contains("logic") ? by_multiplier["logic"] : by_multiplier["block"];
    const results::Json& clock = by_multiplier.contains("block") ? by_multiplier["block"] : by_multiplier["logic"];
    const double area_ratio = area["area_ratio"], clock_ratio = clock["clock_ratio"];
    for (const results::Json* part : {&area, &clock})
        for (const results::Json& id : (*part)["origins"]) origins.push_back(id);
    j["ours"] = {{"iterations_ratio", iterations},       {"area_ratio", area_ratio},
                 {"clock_ratio", clock_ratio},           {"io_ratio", area["io_ratio"]},
                 {"slowdown", iterations / clock_ratio}, {"speedup", area_ratio * clock_ratio / iterations}};
    j["kinds"] = {{"iterations_ratio", "measured"},     {"area_ratio", "modelled"},
                  {"clock_ratio", clock["clock_kind"]}, {"io_ratio", "measured"},
                  {"slowdown", clock["clock_kind"]},    {"speedup", "modelled"}};
    j["area_multiplier"] = by_multiplier.contains("logic") ? "logic" : "block";
    j["clock_multiplier"] = by_multiplier.contains("block") ? "block" : "logic";
    j["by_multiplier"] = by_multiplier;
    // Every other design against the wide one, on the multipliers that most of them have.
    results::Json designs = results::Json::array();
    for (const Design& design : c.designs) {
        const auto* other = solve_of(g, request.problem, design.key());
        if (other == nullptr || design.spec == request.wide) continue;
        for (const char* multiplier : {"block", "logic"}) {
            results::Json r = ratios(g, request, design.spec, multiplier, here);
            if (r.is_null()) continue;
            const double ratio = ratio_of(other->value.result);
            results::Json entry = {
                {"spec", to_string(design.spec)}, {"multiplier", multiplier}, {"iterations_ratio", ratio}};
            entry.update(r);
            entry["speedup"] = entry["area_ratio"].get<double>() * entry["clock_ratio"].get<double>() / ratio;
            entry["origins"].push_back(other->origin);
            designs.push_back(std::move(entry));
        }
    }
    j["designs"] = std::move(designs);
    j["origins"] = std::move(origins);
    j["text"] = fmt::format(
        "{} against {} at {}: {:.2f} times the iterations (paper 1.80), {:.2f} times less logic (paper 2.5; ours "
        "estimated slices, {} multipliers), {:.2f} times the clock (paper 1.44; ours {}): one core is {:.2f} times as "
        "fast as one in double, and the same silicon holds {:.2f} times as much work a second (paper 0.80 and 2.0).",
        to_string(request.narrow), to_string(request.wide), request.problem, iterations, area_ratio,
        j["area_multiplier"].get<std::string>() == "logic" ? "logic" : "hard", clock_ratio,
        clock["clock_kind"].get<std::string>(), clock_ratio / iterations, area_ratio * clock_ratio / iterations);
    return j;
}

} // namespace mantissa::compare
