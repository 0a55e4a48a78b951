// One declaration of an option is all that it takes.
#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "../expect_invalid.hpp"
#include "command/options/declare.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"
#include "options/written.hpp"
#include "store/point_columns.hpp"
#include "store/result_json.hpp"
#include "sweep/sweep_file.hpp"

namespace {

using namespace mantissa;
using options::Option;
using options::Value;

/// The table with one option more, which sets the number of threads.
std::vector<Option> longer_table() {
    std::vector<Option> all(options::table().begin(), options::table().end());
    all.push_back({.name = "brush-width",
                   .type = options::Type::whole,
                   .group = options::Group::output,
                   .help = "of the painter",
                   .unit = "hairs",
                   .low = 2,
                   .high = 99,
                   .column = options::Column::later,
                   .set = [](options::Request& r,
                             const Value& v) { r.options.threads = static_cast<int>(std::get<std::uint64_t>(v)); },
                   .get =
                       [](const SolveOptions& o) {
                           return o.threads == 1 ? std::nullopt : std::optional<Value>(std::uint64_t(o.threads));
                       }});
    return all;
}

/// What a command line makes of these options.
SolveOptions parsed(const std::string& line, std::span<const Option> among = options::table()) {
    CLI::App app;
    cli::SolveFlags flags(among);
    for (const options::Group group : options::kGroups) flags.declare(app, group);
    flags.exclude(app);
    app.parse(line);
    return flags.options();
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Options, OneThatIsAddedIsEverywhere) {
    const std::vector<Option> all = longer_table();
    EXPECT_EQ(parsed("--brush-width 7", all).threads, 7);
    EXPECT_THROW(parsed("--brush-width 1", all), CLI::ValidationError);
    EXPECT_THROW(parsed("--brush-width 7"), CLI::ExtrasError);

    CLI::App app;
    cli::SolveFlags flags(all);
    for (const options::Group group : options::kGroups) flags.declare(app, group);
    const std::string help = app.help();
    const std::size_t group = help.find(options::title(options::Group::output));
    ASSERT_NE(group, std::string::npos);
    EXPECT_GT(help.find("--brush-width"), group);
    EXPECT_TRUE(has(help, "of the painter"));

    const std::string grid = "[[grid]]\nproblem = \"poisson2d:level=3\"\nbrush_width = ";
    EXPECT_EQ(sweeps::parse_sweep_of(grid + "7", "s.toml", 10, all).points.at(0).options.threads, 7);
    expect_invalid([&] { sweeps::parse_sweep_of(grid + "1", "s.toml", 10, all); }, "brush_width");
    expect_invalid([&] { parse_sweep(grid + "7", "s.toml"); }, "no key 'brush_width'");

    SolveOptions o;
    EXPECT_FALSE(results::options_to_json(o, all).contains("brush_width"));
    EXPECT_EQ(options::key_text(o, all), options::key_text(o)) << "keys of before stay";
    o.threads = 7;
    EXPECT_EQ(results::options_to_json(o, all).at("brush_width"), 7);
    EXPECT_EQ(options::key_text(o, all), options::key_text(o) + " brush-width=7");
    EXPECT_TRUE(has(results::points_schema(all), "brush_width INTEGER"));
    EXPECT_EQ(results::column_value(all.back(), o), Value(std::uint64_t{7}));
    EXPECT_TRUE(has(options::python_keywords(all), "    brush_width: Optional[int]\n"));
    EXPECT_TRUE(has(options::reference_page(all), "| `brush-width` | a whole number from 2 to 99 (hairs) |"));
}

TEST(Options, EveryOneIsDeclaredInFull) {
    std::set<std::string_view> names;
    for (const Option& option : options::table()) {
        SCOPED_TRACE(option.name);
        EXPECT_TRUE(names.insert(option.name).second);
        EXPECT_FALSE(option.help.empty());
        EXPECT_NE(option.set, nullptr);
        EXPECT_EQ(option.type == options::Type::choice, !option.choices.empty());
        EXPECT_TRUE(option.column == options::Column::none || option.get != nullptr);
        EXPECT_EQ(options::find(options::spelt(option)), &option);
        for (const std::string_view other : option.excludes)
            EXPECT_TRUE(std::ranges::any_of(options::table(), [&](const Option& o) { return o.name == other; }));
    }
}

TEST(Options, ThoseOfDenseSystemsAreDeclaredInFull) {
    using options::Dense;
    using options::dense;
    EXPECT_EQ(&dense(Dense::scale), &dense().back());
    std::set<std::string_view> names;
    for (const Option& option : dense()) {
        SCOPED_TRACE(option.name);
        EXPECT_TRUE(names.insert(option.name).second);
        EXPECT_TRUE(option.earlier.empty() || names.insert(option.earlier).second);
        EXPECT_FALSE(option.help.empty());
        EXPECT_NE(option.set_dense, nullptr);
        EXPECT_EQ(option.group, options::Group::dense);
        EXPECT_EQ(option.type == options::Type::choice, !option.choices.empty());
        EXPECT_EQ(options::find(options::spelt(option), dense()), &option);
        EXPECT_EQ(cli::declared_as(cli::flag_of(option)), &option);
    }
    EXPECT_EQ(cli::flag_of(dense(Dense::scale)), "--unscaled");
    EXPECT_EQ(options::find("krylov", dense()), &dense(Dense::gmres_steps));
}

TEST(Options, WhatCommandsHaveBesideIsDeclaredInFull) {
    using options::Common;
    using options::common;
    constexpr std::string_view kNames[] = {"problem",  "engine",    "check", "threads", "parts",    "cut",
                                           "exchange", "rank-wait", "gpus",  "devices", "dense",    "advise",
                                           "device",   "store",     "guess", "history", "solution", "json"};
    ASSERT_EQ(common().size(), std::size(kNames));
    EXPECT_EQ(&common(Common::json), &common().back());
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
        const Option& option = common()[i];
        EXPECT_EQ(option.name, kNames[i]);
        EXPECT_FALSE(option.help.empty()) << option.name;
        EXPECT_TRUE(has(options::reference_page(), "| `" + std::string(option.name) + "` | "));
        EXPECT_EQ(cli::declared_as("--" + std::string(option.name)), &option);
    }
    CLI::App app;
    int threads = 3;
    std::uint32_t parts = 0;
    bool json = false;
    cli::declare(app, Common::threads, threads);
    cli::declare(app, Common::parts, parts);
    cli::declare(app, Common::json, json, "print a JSON list");
    EXPECT_TRUE(has(app.help(), "print a JSON list"));
    app.parse("--parts 7 --json");
    EXPECT_EQ(parts, 7U);
    EXPECT_TRUE(json && cli::given(app, Common::parts) && !cli::given(app, Common::threads));
    EXPECT_THROW(app.parse("--parts 257"), CLI::ValidationError);
    const Point point{"poisson2d:level=3", "gpu", {}};
    EXPECT_EQ(results::to_json(point).at(std::string(common(Common::problem).name)), point.problem);
    EXPECT_EQ(results::to_json(point).at(std::string(common(Common::engine).name)), point.engine);
    for (const Common which : {Common::problem, Common::engine, Common::threads})
        EXPECT_TRUE(has(results::points_schema(), "\n  " + results::column_declaration(common(which)) + " NOT NULL,"));
}

/// As the program wrote them before there was a table.
TEST(Options, KeysAreThoseOfBefore) {
    Point p{"poisson2d:level=5", "emulated", {}};
    EXPECT_EQ(point_key(p), "poisson2d:level=5 engine=emulated scheme=residual-guided inner=10 spec=s17e8 "
                            "tolerance=1e-10");
    p.options.spec = parse_spec("fx18.16");
    p.options.outer = parse_format("fx64.54");
    p.options.resident = p.options.jacobi = true;
    p.options.headroom = -3;
    p.options.max_iterations = 99;
    EXPECT_EQ(point_key(p),
              "poisson2d:level=5 engine=emulated scheme=residual-guided inner=10 spec=" + to_string(p.options.spec) +
                  " tolerance=1e-10 outer=fx64.54 resident headroom=-3 max-iterations=99 jacobi");
    p.options = {};
    p.options.scheme = Scheme::defect_correction;
    p.options.digits = 2.5;
    p.options.recurrence = RecurrenceChoice::cg;
    p.options.middle = {parse_format("s36e11"), parse_format("s23e8")};
    p.options.couplings = parse_format("s5e8");
    p.options.tolerance = 1e-6;
    EXPECT_EQ(point_key(p), "poisson2d:level=5 engine=emulated scheme=defect-correction recurrence=cg "
                            "digits=2.5 middle=s36e11,s23e8 middle-digits=2 spec=s17e8 tolerance=1e-06 "
                            "couplings=s5e8");
    p.options.middle = {};
    p.options.couplings.reset();
    p.options.digits = 0;
    p.options.recurrence = RecurrenceChoice::chebyshev;
    p.options.bounds = SpectrumBounds{0.25, 4};
    EXPECT_EQ(point_key(p), "poisson2d:level=5 engine=emulated scheme=defect-correction "
                            "recurrence=chebyshev inner=10 bounds=0.25,4 spec=s17e8 tolerance=1e-06");
    p.options = {};
    p.options.schedule = {{1, parse_spec("s52e11")}, {2e-3, parse_spec("s23e8")}};
    p.options.spec = p.options.schedule.front().spec;
    EXPECT_EQ(point_key(p), "poisson2d:level=5 engine=emulated scheme=residual-guided inner=10 spec=s52e11 "
                            "tolerance=1e-10 schedule=1:s52e11;0.002:s23e8");
    p.options = {};
    p.options.scheme = Scheme::recurrence;
    p.options.recurrence = RecurrenceChoice::bicgstab;
    EXPECT_EQ(point_key(p), "poisson2d:level=5 engine=emulated scheme=bicgstab spec=s17e8 "
                            "tolerance=1e-10");
    p.options = {};
    p.options.scheme = Scheme::cg;
    EXPECT_EQ(point_key(p), "poisson2d:level=5 engine=emulated scheme=direct spec=s17e8 tolerance=1e-10");
}

TEST(Options, SchemesAreShortForAxes) {
    EXPECT_EQ(parsed("--recurrence cg --outer-loop none").scheme, Scheme::cg);
    EXPECT_EQ(parsed("--outer-loop none").scheme, Scheme::pipelined);
    EXPECT_EQ(scheme_name(parsed("--recurrence ghysels-vanroose --outer-loop none")), "ghysels-vanroose");
    EXPECT_EQ(parsed("--outer-loop residual-guided --preconditioner jacobi").scheme, Scheme::residual_guided);
    EXPECT_TRUE(parsed("--preconditioner jacobi").jacobi);
    // The usual cycle is the recurrence's to choose; one that is named is that.
    const auto cycle = [](const std::string& line) { return to_string(*parsed(line).preconditioner); };
    EXPECT_EQ(cycle("--preconditioner multilevel"), "v11,w=10");
    EXPECT_EQ(cycle("--preconditioner multilevel --recurrence 'gmres(30)'"), "v11,w=10");
    EXPECT_EQ(cycle("--preconditioner multilevel --recurrence bicgstab"), "v11,w=double");
    EXPECT_EQ(cycle("--preconditioner multilevel:v11,w=10 --recurrence bicgstab"), "v11,w=10");
    EXPECT_FALSE(parsed("--preconditioner none").jacobi);
    const SolveOptions plain = parsed("--recurrence cg --outer-loop flexible-pcg");
    EXPECT_EQ(plain.scheme, Scheme::inexact_pcg);
    EXPECT_EQ(plain.recurrence, RecurrenceChoice::cg);
    EXPECT_EQ(parsed("--scheme defect-correction --recurrence cg").recurrence, RecurrenceChoice::cg);
    // In whatever order: a sweep's keys come by the alphabet.
    EXPECT_EQ(parsed("--recurrence cg --scheme defect-correction").recurrence, RecurrenceChoice::cg);
    EXPECT_EQ(parsed("--recurrence 'gmres(7)' --scheme gmres").recurrence,
              (RecurrenceChoice{RecurrenceChoice::gmres, 7}));
    expect_invalid([] { (void)parsed("--scheme gmres --recurrence cg"); },
                   "recurrence cg: the scheme gmres is a recurrence itself; leave one of the two out");
    const SolveOptions chebyshev = parsed("--recurrence chebyshev --bounds 0.01,4.5");
    EXPECT_EQ(chebyshev.scheme, Scheme::defect_correction);
    EXPECT_EQ(chebyshev.recurrence, RecurrenceChoice::chebyshev);
    EXPECT_EQ(chebyshev.bounds, (SpectrumBounds{0.01, 4.5}));
    EXPECT_EQ(parsed("--recurrence chebyshev --outer-loop flexible-pcg").scheme, Scheme::inexact_pcg);
    expect_invalid([] { (void)parsed("--recurrence chebyshev --outer-loop none"); },
                   "recurrence chebyshev: it does not go with the outer loop none; give --outer-loop "
                   "defect-correction, flexible-pcg");
    const SolveOptions alone = parsed("--recurrence bicgstab");
    EXPECT_EQ(alone.scheme, Scheme::recurrence);
    EXPECT_EQ(alone.recurrence, RecurrenceChoice::bicgstab);
    const SolveOptions refined = parsed("--recurrence bicgstab --outer-loop defect-correction");
    EXPECT_EQ(refined.scheme, Scheme::defect_correction);
    EXPECT_EQ(refined.recurrence, RecurrenceChoice::bicgstab);
    EXPECT_TRUE(options::refusal(refined).empty());
    EXPECT_EQ(parsed("--recurrence cg").scheme, Scheme::cg);
    EXPECT_EQ(parsed("--recurrence pipelined").scheme, Scheme::residual_guided);
    EXPECT_EQ(options::refusal(parsed("--scheme direct --recurrence bicgstab")),
              "recurrence bicgstab: the scheme direct iterates cg; leave one of the two out");
    SolveOptions nameless;
    nameless.scheme = Scheme::recurrence;
    EXPECT_TRUE(options::refusal(nameless).starts_with("scheme recurrence: which one?"));
    expect_invalid([] { (void)parsed("--recurrence magic --outer-loop none"); },
                   "recurrence 'magic': write one of pipelined");
    EXPECT_THROW(parsed("--preconditioner none --jacobi"), CLI::ExcludesError);
    for (const options::SchemeAxes& s : options::schemes()) {
        EXPECT_EQ(parse_scheme(s.name), s.scheme);
        EXPECT_EQ(scheme_name(parsed("--scheme " + std::string(s.name))), s.name);
        EXPECT_EQ(refines(s.scheme), s.outer_loop != "none");
    }
}

TEST(Options, ValuesOutsideTheirRangeAreRefusedByName) {
    expect_invalid([] { (void)parsed("--tolerance 1"); }, "--tolerance 1: give a number between 0 and 1");
    expect_invalid([] { (void)parsed("--digits 0"); }, "--digits 0: give a number from 0.1 to 15");
    expect_invalid([] { (void)parsed("--headroom 41"); }, "--headroom 41: give a whole number from -20 to 40");
    expect_invalid([] { (void)parsed("--scheme magic"); }, "scheme 'magic': write one of direct, pipelined");
    expect_invalid([] { (void)parsed("--bounds 4"); }, "bounds '4': write the smallest and the largest eigenvalue");
    expect_invalid([] { (void)parsed("--bounds 4,1"); }, "bounds 4,1: give the smallest and the largest eigenvalue");
}

/// What was given counts, not what differs from the default.
TEST(Options, GivenForNothingIsRefused) {
    expect_invalid([] { (void)parsed("--inner 3 --scheme direct"); }, "inner: scheme direct has no inner solves");
    expect_invalid([] { (void)parsed("--inner 10 --scheme jacobi-pcg --format double"); }, "inner: scheme jacobi-pcg");
    expect_invalid([] { (void)parsed("--digits 2 --scheme pipelined"); }, "digits: scheme pipelined");
    expect_invalid([] { (void)parsed("--middle-digits 3"); }, "middle-digits: there are no middle loops");
    EXPECT_EQ(parsed("--middle-digits 3 --middle s36e11 --scheme defect-correction").middle_digits, 3);
    expect_invalid([] { (void)parsed("--middle s36e11, --scheme defect-correction"); }, "a comma at its end");
    for (const char* given : {"--format s17e8", "--spec s17e8", "--inner 10"})
        expect_invalid([&] { (void)parsed(std::string("--preconditioner multilevel ") + given); },
                       "a cycle is the inner solver itself and has words of its own");
    expect_invalid([] { (void)parsed("--preconditioner multilevel --recurrence flexible --inner 10"); },
                   "a recurrence on the whole problem has no inner loop");
    EXPECT_EQ(parsed("--preconditioner multilevel --recurrence flexible --format s17e8").scheme, Scheme::recurrence);

    const std::string grid = "[[grid]]\nproblem = \"poisson2d:level=3\"\n";
    const auto points = [&](const std::string& more, const std::string& before = {}) {
        return parse_sweep(before + grid + more, "s.toml").points;
    };
    const std::string direct = "scheme = \"direct\"\n", defaults = "[defaults]\n";
    expect_invalid([&] { points(direct + "inner = 3\n"); }, "s.toml:4: inner: scheme direct");
    expect_invalid([&] { points(direct + "stop = \"digits=2\"\n"); }, "digits: scheme direct");
    expect_invalid([&] { points("middle_digits = [2, 3]\n"); }, "middle-digits: there are no middle loops");
    expect_invalid([&] { points("preconditioner = \"multilevel\"\nformat = \"s17e8\"\n"); }, "a cycle is the inner");
    // A default is for the grids that have a use for it, and a list may hold a scheme that has none.
    EXPECT_EQ(points(direct, defaults + "inner = 3\n").size(), 1U);
    EXPECT_EQ(points("scheme = [\"direct\", \"residual-guided\"]\ninner = [3, 4]\n").size(), 3U);
}

TEST(Options, AStopIsGivenOnce) {
    const std::string grid = "[[grid]]\nproblem = \"poisson2d:level=3\"\n";
    const auto point = [&](const std::string& more, const std::string& before = {}) {
        return parse_sweep(before + grid + more, "s.toml").points.at(0).options;
    };
    expect_invalid([&] { point("stop = \"inner=3,digits=2\"\n"); }, "inner and digits exclude each other");
    expect_invalid([&] { point("stop = \"energy=1e-6,energy=1e-3\"\n"); }, "each stands once");
    expect_invalid([&] { point("stop = \"energy=1e-6,residual=1e-3\"\n"); }, "energy and residual exclude");
    expect_invalid([&] { point("stop = \"energy=1e-6\"\ntolerance = [1e-3, 1e-8]\n"); },
                   "tolerance excludes stop 'energy=1e-6'");
    EXPECT_EQ(point("stop = \"inner=3\"\ntolerance = 1e-3\n").tolerance, 1e-3);
    // A grid's own takes the place of a default.
    EXPECT_EQ(point("stop = \"residual=1e-4\"\n", "[defaults]\ntolerance = 1e-8\n").tolerance, 1e-4);
    const SolveOptions o = point("tolerance = 1e-8\n", "[defaults]\nstop = \"inner=3,energy=1e-6\"\n");
    EXPECT_EQ(o.tolerance, 1e-8);
    EXPECT_EQ(o.inner, 3U);
    EXPECT_FALSE(o.energy);
}

/// The library, a sweep and (bad_input_test.cpp) the command say the same.
TEST(Options, CombinationsAreRefusedAlikeEverywhere) {
    const std::string refused = "couplings: a floating format for";
    SolveOptions o = parsed("--couplings s5e8 --spec fx18.16");
    EXPECT_TRUE(options::refusal(o).starts_with(refused));
    const Problem problem = make_problem("poisson2d:level=3");
    expect_invalid([&] { solve(problem, *make_engine("emulated"), o); }, options::refusal(o));
    const Sweep s =
        parse_sweep("[[grid]]\nproblem = \"poisson2d:level=3\"\nspec = \"fx18.16\"\ncouplings = \"s5e8\"\n", "s.toml");
    solve_points(s.points, 1,
                 [&](std::size_t, const PointOutcome& outcome) { EXPECT_EQ(outcome.refused, options::refusal(o)); });
    EXPECT_EQ(options::refusal({}), "");
}

} // namespace
