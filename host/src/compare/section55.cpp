// Section 5.5 of the paper: what a narrow core gives against a double one, with our figures.
#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"

namespace mantissa::compare {

namespace {

using comparison::Kind;
using comparison::Multiplier;

/// Nothing where there is none of b.
std::optional<double> ratio(std::uint64_t a, std::uint64_t b) {
    if (b == 0) return std::nullopt;
    return static_cast<double>(a) / static_cast<double>(b);
}

/// Against the wide design, for one style of multipliers; nothing where something is missing.
std::optional<comparison::CoreRatios> ratios(Gathered& g, const Section55Request& request, const DatapathSpec& narrow,
                                             Multiplier multiplier, const Provenance& here) {
    const std::string style(text_of(multiplier));
    const CoreKey wide_key{to_string(request.wide), request.target, style},
        narrow_key{to_string(narrow), request.target, style};
    const auto wide = g.areas.find(wide_key), thin = g.areas.find(narrow_key);
    if (wide == g.areas.end() || thin == g.areas.end()) return std::nullopt;
    const Sourced<ClockFigures> wide_clock = clock_of(g, wide_key, here), thin_clock = clock_of(g, narrow_key, here);
    const bool modelled = wide_clock.value.kind == "modelled" || thin_clock.value.kind == "modelled";
    const AreaFigures &w = wide->second.value, &n = thin->second.value;
    return comparison::CoreRatios{
        .area_ratio = ratio(w.slices, n.slices),
        .blocks_ratio = ratio(w.blocks, n.blocks),
        .io_ratio = ratio(n.io_bits, w.io_bits),
        .clock_ratio = thin_clock.value.mhz / wide_clock.value.mhz,
        .clock_kind = modelled ? Kind::modelled : Kind::measured,
        .origins = {wide->second.origin, thin->second.origin, wide_clock.origin, thin_clock.origin}};
}

} // namespace

std::optional<comparison::Section55> section55(const Comparison& c, Gathered& g, const Provenance& here) {
    if (!c.section55) return std::nullopt;
    const Section55Request& request = *c.section55;
    const auto missing = [&](const std::string& why, const std::string& mend) {
        g.gaps.push_back({"section 5.5", why, mend});
        return std::nullopt;
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
    comparison::Section55 s;
    s.narrow = to_string(request.narrow);
    s.wide = to_string(request.wide);
    s.problem = request.problem;
    s.target = request.target;
    s.paper = {1.80, 2.5, 1.44, 0.55, 1.80 / 1.44, 2.5 * 1.44 / 1.80};
    auto& [logic, block] = s.by_multiplier;
    logic = ratios(g, request, request.narrow, Multiplier::logic, here);
    block = ratios(g, request, request.narrow, Multiplier::block, here);
    if (!logic && !block)
        return missing(fmt::format("{} and {} are not both synthesised for {}", s.narrow, s.wide, request.target),
                       "see the gaps above, or give both designs this device and the same multipliers");
    // The paper takes the area from its cores in logic and the clock from those on hard multipliers.
    const comparison::CoreRatios &area = logic ? *logic : *block, &clock = block ? *block : *logic;
    const double area_ratio = area.area_ratio.value(), clock_ratio = clock.clock_ratio;
    s.ours = {iterations,
              area_ratio,
              clock_ratio,
              area.io_ratio,
              iterations / clock_ratio,
              area_ratio * clock_ratio / iterations};
    s.kinds = {Kind::measured, Kind::modelled, clock.clock_kind, Kind::measured, clock.clock_kind, Kind::modelled};
    s.area_multiplier = logic ? Multiplier::logic : Multiplier::block;
    s.clock_multiplier = block ? Multiplier::block : Multiplier::logic;
    // Every other design against the wide one, on the multipliers that most of them have.
    for (const Design& design : c.designs) {
        const auto* other = solve_of(g, request.problem, design.key());
        if (other == nullptr || design.spec == request.wide) continue;
        for (const Multiplier multiplier : {Multiplier::block, Multiplier::logic}) {
            auto r = ratios(g, request, design.spec, multiplier, here);
            if (!r) continue;
            const double more = ratio_of(other->value.result);
            r->origins.push_back(other->origin);
            const double speedup = r->area_ratio.value() * r->clock_ratio / more;
            s.designs.push_back({to_string(design.spec), multiplier, more, std::move(*r), speedup});
        }
    }
    s.origins = {solve->origin, reference->second.origin};
    for (const comparison::CoreRatios* part : {&area, &clock})
        s.origins.insert(s.origins.end(), part->origins.begin(), part->origins.end());
    s.text = fmt::format(
        "{} against {} at {}: {:.2f} times the iterations (paper 1.80), {:.2f} times less logic (paper 2.5; ours "
        "estimated slices, {} multipliers), {:.2f} times the clock (paper 1.44; ours {}): one core is {:.2f} times as "
        "fast as one in double, and the same silicon holds {:.2f} times as much work a second (paper 0.80 and 2.0).",
        s.narrow, s.wide, request.problem, iterations, area_ratio, logic ? "logic" : "hard", clock_ratio,
        text_of(clock.clock_kind), clock_ratio / iterations, area_ratio * clock_ratio / iterations);
    return s;
}

} // namespace mantissa::compare
