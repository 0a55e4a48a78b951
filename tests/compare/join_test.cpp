// The join of made-up figures: rows, the stored document, section 5.5, gaps.
#include <gtest/gtest.h>

#include <set>

#include "compare/join.hpp"
#include "mantissa/format.hpp"
#include "written.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

const Provenance kHere{"0", "commit", "machine", "date", "command"};
constexpr const char* kProblem = "poisson2d:level=5";

Comparison comparison() {
    Comparison c = parse_comparison(R"(
problem = "poisson2d:level=5"
device = ["xc2v8000", "alveo-u280"]
[[design]]
spec = ["s52e11", "s23e8", "s17e8"]
[section55]
)",
                                    "c.toml", "");
    return c;
}

/// Wide: 100 iterations, 10,000 slices; narrow: 150 iterations, 5,000 slices, placed clocks of 60 and 90 MHz.
Gathered gathered(const Comparison& c) {
    Gathered g;
    g.problems[kProblem] = {1089, 33, "stencil"};
    g.host_step[kProblem] = {1e-4, g.origins.add({"measured", "step", kHere})};
    g.reference[kProblem] = {100, g.origins.add({"measured", "direct", kHere})};
    const std::uint64_t iterations[] = {100, 150, 170}, slices[] = {10'000, 5'000, 4'000};
    const double mhz[] = {60, 90, 90};
    for (std::size_t i = 0; i < c.designs.size(); ++i) {
        const std::string spec = to_string(c.designs[i].spec);
        SolveResult r;
        r.status = Status::converged;
        r.inner_iterations = iterations[i];
        r.outer_iterations = 10;
        g.solves[{kProblem, spec}] = {{{"emulated", 10, r}, g.origins.add({"measured", "solve " + spec, kHere})}};
        g.cycles.insert_or_assign(ProblemSpec{kProblem, spec},
                                  Sourced<CycleFigures>{CycleFigures{1400, 0, "rtl", 4},
                                                        g.origins.add({"measured", "clocks " + spec, kHere})});
        for (const char* target : {"xc2v", "xcup"}) {
            const CoreKey key{spec, target, "block"};
            const AreaFigures area{2 * slices[i], 0, 0, slices[i], 40, 1000, 500, 60, 120, "a -> b"};
            g.areas.insert_or_assign(
                key, Sourced<AreaFigures>{area, g.origins.add({"measured", "cells " + spec + target, kHere})});
            if (target == std::string("xc2v"))
                g.clocks[key] = {{mhz[i], "measured"}, g.origins.add({"measured", "placed " + spec, kHere})};
        }
    }
    return g;
}

TEST(Join, EveryOriginResolvesAndEveryFieldIsThere) {
    const Comparison c = comparison();
    Gathered g = gathered(c);
    const auto rows = join(c, g, kHere);
    const results::Json d = written(comparison_document(c, g, rows, join_constant(c, g, kHere), kHere));
    for (const char* key : {"name", "tolerance", "scheme", "inner", "assumptions", "devices", "designs", "cores",
                            "rows", "peers", "section55", "best", "stages", "gaps", "findings", "origins"})
        EXPECT_TRUE(d.contains(key)) << key;
    ASSERT_FALSE(d["rows"].empty());
    std::set<std::string> devices;
    for (const results::Json& row : d["rows"]) {
        devices.insert(row["device"]);
        for (const char* key : {"problem",
                                "device",
                                "spec",
                                "multiplier",
                                "lanes",
                                "cores",
                                "bound",
                                "clock_hz",
                                "clock_kind",
                                "cycles_per_iteration",
                                "bytes_per_iteration",
                                "seconds_inner",
                                "seconds_outer",
                                "seconds",
                                "seconds_kind",
                                "slices",
                                "blocks",
                                "area_share",
                                "area_time",
                                "energy_joules",
                                "pareto",
                                "modelled",
                                "origins"})
            EXPECT_TRUE(row.contains(key)) << key;
        EXPECT_GE(row["origins"].size(), 6U);
        for (const results::Json& id : row["origins"]) EXPECT_TRUE(d["origins"].contains(id.get<std::string>())) << id;
        for (const results::Json& field : row["modelled"]) EXPECT_TRUE(row.contains(field.get<std::string>())) << field;
        // A modelled clock is marked, here and in its origin.
        const auto modelled = row["modelled"].get<std::set<std::string>>();
        EXPECT_EQ(modelled.contains("clock_hz"), row["clock_kind"] == "modelled");
        EXPECT_TRUE(modelled.contains("seconds"));
        EXPECT_EQ(modelled.contains("cycles_per_iteration"), row["cores"] > 1);
        EXPECT_EQ(row["energy_joules"].is_null(), row["device"] == "xc2v8000");
    }
    EXPECT_EQ(devices.size(), 2U);
    std::set<std::string> named;
    for (const char* list : {"designs", "cores", "best"})
        for (const results::Json& item : d[list])
            for (const char* key : {"origin", "iterations_origin", "cycles_origin", "mhz_origin"}) {
                if (!item.contains(key)) continue;
                EXPECT_TRUE(d["origins"].contains(item[key].get<std::string>()));
                named.insert(std::string(list) + "." + key);
            }
    EXPECT_GE(named.size(), 3U);
    for (const auto& [id, origin] : d["origins"].items()) {
        EXPECT_TRUE(origin["kind"] == "measured" || origin["kind"] == "modelled" || origin["kind"] == "given");
        for (const char* key : {"command", "commit", "machine", "date", "what"})
            EXPECT_FALSE(origin[key].get<std::string>().empty()) << id << key;
    }
    EXPECT_EQ(results::Json::parse(d.dump()), d) << "nothing in it that JSON does not hold";
}

TEST(Join, RowsAreTheModelsFigures) {
    const Comparison c = comparison();
    Gathered g = gathered(c);
    const auto rows = join(c, g, kHere);
    const Row& row = rows.front(); // s52e11, one core of the xc2v8000
    EXPECT_EQ(row.spec, "s52e11");
    EXPECT_EQ(row.estimate.cores, 1U);
    EXPECT_EQ(row.clock_hz, 60e6);
    // 1089 bits of stream on 1108 pins: no waiting.
    EXPECT_DOUBLE_EQ(row.estimate.seconds_inner, 100 * 1400 / 60e6);
    EXPECT_DOUBLE_EQ(row.estimate.seconds_host, 10 * 1e-4);
    EXPECT_DOUBLE_EQ(row.estimate.area_share, 40.0 / 168);
    for (const Row& r : rows) EXPECT_LE(r.estimate.area_share, 1.0);
    for (const Row& r : rows) {
        const bool dominated = std::any_of(rows.begin(), rows.end(), [&](const Row& o) {
            return o.device == r.device && o.estimate.seconds < r.estimate.seconds &&
                   o.estimate.area_share < r.estimate.area_share;
        });
        EXPECT_FALSE(r.pareto && dominated);
    }
    const Row* best = best_row(rows, kProblem, 0, comparison::By::time);
    ASSERT_NE(best, nullptr);
    EXPECT_TRUE(best->pareto);
    for (const Row& r : rows) EXPECT_TRUE(r.device != 0 || best->estimate.seconds <= r.estimate.seconds);
    EXPECT_EQ(best_row(rows, "other", 0, comparison::By::time), nullptr);
}

TEST(Join, TheDevicesGreatestClockHolds) {
    Comparison c = comparison();
    c.devices[1].max_mhz = 1;
    Gathered g = gathered(c);
    std::size_t held = 0;
    for (const Row& row : join(c, g, kHere))
        if (row.device == 1) {
            EXPECT_EQ(row.clock_hz, 1e6);
            EXPECT_EQ(row.clock_kind, "given");
            ++held;
        }
    EXPECT_GT(held, 0U);
    c.devices[1].max_mhz = 200; // 120 MHz with the delays of an ECP5, of which the family's are taken to be half
    g = gathered(c);
    for (const Row& row : join(c, g, kHere)) {
        EXPECT_EQ(row.device == 1, row.clock_hz == 200e6);
        EXPECT_TRUE(row.device == 1 || row.clock_kind == "measured");
    }
    c.devices[1].max_mhz.reset();
    for (const Row& row : join(c, g, kHere)) EXPECT_EQ(row.device == 1, row.clock_hz == 240e6);
    c.designs[0].clock_mhz = 33;
    c.devices[1].max_mhz.reset();
    for (const Row& row : join(c, g, kHere)) EXPECT_EQ(row.clock_hz == 33e6, row.spec == "s52e11");
}

TEST(Join, AConstantStencilHeldInRegistersMovesLess) {
    Comparison c = comparison();
    Gathered g = gathered(c);
    const auto rows = join(c, g, kHere), held = join_constant(c, g, kHere);
    ASSERT_FALSE(held.empty());
    EXPECT_DOUBLE_EQ(held.front().estimate.pass_bytes, rows.front().estimate.pass_bytes * 8 / 17);
    for (const Row& row : held) EXPECT_EQ(to_string(row.design->spec), row.spec);
    EXPECT_LE(best_row(held, kProblem, 0, comparison::By::time)->estimate.seconds,
              best_row(rows, kProblem, 0, comparison::By::time)->estimate.seconds);
    g.problems.at(kProblem).kind = "bands";
    EXPECT_TRUE(join_constant(c, g, kHere).empty());
    g.problems.at(kProblem).kind = "stencil";
    c.constant_bands = true;
    EXPECT_TRUE(join_constant(c, g, kHere).empty());
    c.constant_bands = false;
    for (Design& d : c.designs) d.constant_bands = true;
    EXPECT_TRUE(join_constant(c, g, kHere).empty()) << "cores that hold theirs already";
}

TEST(Join, Section55CountsAsThePaperDoes) {
    const Comparison c = comparison();
    Gathered g = gathered(c);
    const auto s = section55(c, g, kHere);
    ASSERT_TRUE(s);
    EXPECT_DOUBLE_EQ(s->ours.iterations_ratio, 1.6); // (150 + 10) / 100
    EXPECT_DOUBLE_EQ(s->ours.area_ratio, 2.0);
    EXPECT_DOUBLE_EQ(s->ours.clock_ratio, 1.5);
    EXPECT_DOUBLE_EQ(s->ours.slowdown, 1.6 / 1.5);
    EXPECT_DOUBLE_EQ(s->ours.speedup, 2.0 * 1.5 / 1.6);
    EXPECT_EQ(s->kinds.clock_ratio, comparison::Kind::measured);
    EXPECT_EQ(s->paper.iterations_ratio, 1.80);
    g.clocks.clear();
    EXPECT_EQ(section55(c, g, kHere)->kinds.clock_ratio, comparison::Kind::modelled);
    g.areas.clear();
    EXPECT_FALSE(section55(c, g, kHere));
    EXPECT_EQ(g.gaps.back().what, "section 5.5");
}

TEST(Join, WhatDoesNotFitOrConvergeIsAGap) {
    Comparison c = comparison();
    Gathered g = gathered(c);
    g.solves.at({kProblem, "s17e8"}).front().value.result.status = Status::stagnated;
    c.devices[0].slices = 5900; // 85 % of it: one narrow core, no wide one
    const auto rows = join(c, g, kHere);
    std::string all;
    for (const Gap& gap : g.gaps) all += gap.what + ": " + gap.why + "; " + gap.mend + "\n";
    EXPECT_NE(all.find("s17e8 on poisson2d:level=5: its solve ended: stagnated"), std::string::npos) << all;
    EXPECT_NE(all.find("cores: s52e11, block multipliers: one core does not fit"), std::string::npos) << all;
    for (const Row& row : rows) {
        EXPECT_NE(row.spec, "s17e8");
        EXPECT_FALSE(row.device == 0 && row.spec == "s52e11");
    }
}

TEST(Join, EnginesThatDisagreeAreReported) {
    const Comparison c = comparison();
    Gathered g = gathered(c);
    auto& solves = g.solves.at({kProblem, "s23e8"});
    solves.push_back(solves.front());
    solves.back().value.engine = "rtl";
    solves.back().value.result.inner_iterations += 1;
    join(c, g, kHere);
    ASSERT_EQ(g.gaps.size(), 1U);
    EXPECT_EQ(g.gaps[0].why, "engines disagree: 150 iterations on emulated, 151 on rtl");
}

TEST(Join, EachRowTakesTheInnerThatIsFastestForIt) {
    Comparison c = comparison();
    c.inner = {10, 50};
    Gathered g = gathered(c);
    auto& solves = g.solves.at({kProblem, "s23e8"});
    solves.push_back(solves.front()); // more iterations, fewer outer steps
    solves.back().value.inner = 50;
    solves.back().value.result.inner_iterations = 160;
    solves.back().value.result.outer_iterations = 3;
    solves.back().origin = g.origins.add({"measured", "solve with 50", kHere});
    const auto taken = [&](double host) {
        g.host_step.at(kProblem).value = host;
        const auto rows = join(c, g, kHere);
        const auto row = std::find_if(rows.begin(), rows.end(), [](const Row& r) { return r.spec == "s23e8"; });
        EXPECT_EQ(std::find(row->origins.begin(), row->origins.end(), solves.back().origin) != row->origins.end(),
                  row->solve.inner == 50);
        return row->solve.inner;
    };
    EXPECT_EQ(taken(1e-9), 10U);
    EXPECT_EQ(taken(1), 50U);
    EXPECT_EQ(solve_of(g, kProblem, "s23e8")->value.inner, 10U);
    EXPECT_TRUE(g.gaps.empty()) << "other inners are no disagreement";
}

TEST(Join, CoresAndRowsHaveOneClock) {
    Comparison c = comparison();
    for (Device& device : c.devices) device.max_mhz.reset();
    Gathered g = gathered(c);
    g.clocks.clear(); // all modelled
    const results::Json d = written(comparison_document(c, g, join(c, g, kHere), {}, kHere));
    std::size_t compared = 0;
    for (const results::Json& row : d["rows"])
        for (const results::Json& core : d["cores"])
            if (core["spec"] == row["spec"] && core["target"] == (row["device"] == "xc2v8000" ? "xc2v" : "xcup")) {
                EXPECT_EQ(row["clock_hz"].get<double>(), 1e6 * core["mhz"].get<double>());
                EXPECT_EQ(core["mhz"].get<double>(), core["target"] == "xc2v" ? 120 / 1.5 : 120 / 0.5);
                ++compared;
            }
    EXPECT_GE(compared, 6U);
}

TEST(Join, FindingsCarryFiguresAndMarks) {
    const Comparison c = comparison();
    Gathered g = gathered(c);
    const auto rows = join(c, g, kHere);
    const results::Json d = written(comparison_document(c, g, rows, join_constant(c, g, kHere), kHere));
    ASSERT_GE(d["findings"].size(), 3U);
    EXPECT_NE(d["findings"][0].get<std::string>().find("100 of CG in double"), std::string::npos);
    EXPECT_NE(d["findings"][1].get<std::string>().find("(modelled)"), std::string::npos);
    const std::string text = comparison_text(comparison::document_from_json(d));
    EXPECT_NE(text.find("s17e8"), std::string::npos);
    EXPECT_NE(text.find("modelled"), std::string::npos);
}

} // namespace
