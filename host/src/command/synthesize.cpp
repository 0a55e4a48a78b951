// mantissa synthesize: area, depth and clock of datapaths, or operators of them, on device families.
#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/jobs.hpp"
#include "mantissa/host/provenance.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/synthesis.hpp"
#include "text/json_text.hpp"
#include "text/whole_range.hpp"

namespace mantissa::cli {

namespace {

using synthesis::SynthesisFigures;
using synthesis::SynthesisRequest;

struct SynthesizeFlags {
    std::vector<std::string> specs{"s23e8"}, targets{"xc2v"}, multipliers{"block"}, parts{"core"};
    std::vector<std::string> cycles{"b2,w=10"};
    std::string store;
    std::vector<std::string> bands; ///< empty: what the core has, streams if it may
    int seeds = 5, jobs = 1, level = 10;
    std::optional<int> stored_level;
    std::vector<int> lanes{1}, cores{1};
    bool combinational = false, place = false, json = false;
};

struct SynthesisOutcome {
    SynthesisRequest request;
    SynthesisFigures figures;
    std::vector<synthesis::Placement> placements; // all that are stored, slowest first
    std::exception_ptr fault;
    std::string why_not;
    [[nodiscard]] synthesis::CoreClock clock() const {
        return synthesis::core_clock(request.target, figures.model_mhz, figures.model_path, placements);
    }
};

std::vector<bool> constant_bands_of(const SynthesizeFlags& flags, const DatapathSpec& spec, const std::string& part) {
    if (flags.bands.empty()) return {synthesis::is_core(part) && synthesis::holds_stencil(spec)};
    std::vector<bool> constant;
    for (const std::string& bands : flags.bands) constant.push_back(bands == "constant");
    return constant;
}

constexpr int kUsualStored = 5; ///< level of the memories of a cycle core: they are counted apart

bool of_cycles(std::string_view part) {
    return part == "cycle" || part == "cycle-checked";
}

/// The cycle cores that are asked for.
void append_cycles(std::vector<SynthesisOutcome>& all, const SynthesizeFlags& flags, const std::string& part) {
    for (const std::string& cycle : flags.cycles)
        for (const std::string& target : flags.targets)
            for (const int lanes : flags.lanes)
                for (const int cores : flags.cores) {
                    SynthesisOutcome o;
                    o.request.target = target;
                    o.request.part = part;
                    o.request.combinational = flags.combinational;
                    o.request.cycle = {parse_cycle_spec(cycle), flags.level,
                                       flags.stored_level.value_or(std::min(kUsualStored, flags.level)), lanes, cores};
                    all.push_back(std::move(o));
                }
}

std::vector<SynthesisOutcome> requests_of(const SynthesizeFlags& flags) {
    std::vector<SynthesisOutcome> all;
    for (const std::string& part : flags.parts) {
        if (of_cycles(part)) {
            append_cycles(all, flags, part);
            continue;
        }
        for (const std::string& spec : flags.specs)
            for (const std::string& target : flags.targets)
                for (const std::string& multiplier : flags.multipliers)
                    for (const bool constant : constant_bands_of(flags, parse_spec(spec), part))
                        all.push_back({{parse_spec(spec), target, multiplier, part, flags.combinational, constant},
                                       {},
                                       {},
                                       {},
                                       {}});
    }
    return all;
}

/// Are its products made in logic or on blocks as --multiplier says?
bool has_multipliers(std::string_view part) {
    constexpr std::string_view kWithout[] = {"add", "div", "mul-serial", "accumulate", "fixed-accumulate"};
    return !of_cycles(part) && std::ranges::find(kWithout, part) == std::end(kWithout);
}

/// An option that only some parts have a use for, and what to say where none of them is asked for.
struct PartOption {
    const char* name;
    bool (*used)(std::string_view part);
    const char* why;
};
constexpr PartOption kPartOptions[] = {
    {"spec", [](std::string_view part) { return !of_cycles(part); }, "the words of a cycle core are those of --cycle"},
    {"multiplier", has_multipliers, "the operator is the same with either kind"},
    {"bands", synthesis::is_core, "only whole cores that stream a grid have bands"},
    {"cycle", of_cycles, "it is of --operator cycle"},
    {"level", of_cycles, "it is of --operator cycle"},
    {"stored-level", of_cycles, "it is of --operator cycle"},
    {"lanes", of_cycles,
     "it is of --operator cycle, and the lanes of other cores stand in their spec, as s17e8,lanes=2"},
    {"cores", of_cycles, "it is of --operator cycle"},
};

/// What is of another option, or of an operator that is not asked for.
void check_given(const CLI::App& app, const SynthesizeFlags& flags) {
    for (const PartOption& option : kPartOptions)
        if (given(app, option.name) && std::ranges::none_of(flags.parts, option.used))
            throw InvalidInput(fmt::format("--{}: {}; leave it out", option.name, option.why));
    if (given(app, "seeds") && !flags.place)
        throw InvalidInput("--seeds: it is of place and route; give --place too, or leave it out");
}

/// Runs every request, `jobs` at a time; a lone request has its seeds run side by side instead. Whatever is finished is
/// stored at once, so a killed command goes on where it stood.
void run_all(std::vector<SynthesisOutcome>& all, synthesis::Synthesizer& synthesizer, const SynthesizeFlags& flags) {
    const std::size_t seeds = flags.place ? static_cast<std::size_t>(std::max(0, flags.seeds)) : 0;
    const std::size_t items = all.size() * (1 + seeds);
    running::ItemProgress line(flags.place ? "syntheses and placements" : "syntheses", items,
                               static_cast<double>(items));
    const int inner = all.size() == 1 ? flags.jobs : 1;
    base::run_jobs(all.size(), flags.jobs, [&](std::size_t i) {
        SynthesisOutcome& o = all[i];
        try {
            o.figures = synthesizer.figures(o.request);
            line.done(1);
            if (flags.place) (void)synthesizer.place(o.request, flags.seeds, inner, o.why_not, [&] { line.done(1); });
            o.placements = synthesizer.stored_placements(o.request);
        } catch (...) { // the others go on
            o.fault = std::current_exception();
        }
    });
}

const char* bands_of(const SynthesisRequest& request) {
    return request.constant_bands ? "constant" : "streamed";
}

results::Json to_json(const SynthesisOutcome& o, const std::string& tool) {
    const SynthesisFigures& f = o.figures;
    const synthesis::CoreClock model = synthesis::modelled_clock(o.request.target, f.model_mhz, f.model_path);
    results::Json j = {{"spec", subject_of(o.request)},
                       {"target", o.request.target},
                       {"multiplier", o.request.multiplier},
                       {"part", o.request.part},
                       {"bands", bands_of(o.request)},
                       {"combinational", o.request.combinational},
                       {"tool", tool},
                       {"luts", f.luts},
                       {"memory_luts", f.memory_luts},
                       {"flip_flops", f.flip_flops},
                       {"carries", f.carries},
                       {"multipliers", f.multipliers},
                       {"memory_bits", f.memory_bits},
                       {"memory_blocks", f.memory_blocks()},
                       {"io_bits", f.io_bits},
                       {"slices_estimate", f.slices(o.request.target)},
                       {"depth", f.depth}};
    // (Without registers there is no clock.)
    const bool clocked = !o.request.combinational;
    j["model_mhz"] = clocked ? results::Json(model.mhz) : results::Json();
    j["model_path"] = clocked ? results::Json(f.model_path) : results::Json();
    j["clock_mhz"] = clocked ? results::Json(o.clock().mhz) : results::Json();
    j["clock_kind"] = clocked ? results::Json(o.clock().kind) : results::Json();
    j["clock_from"] = clocked ? results::Json(o.clock().derivation) : results::Json();
    for (const synthesis::Placement& p : o.placements)
        j["placements"].push_back({{"seed", p.seed}, {"mhz", p.mhz}, {"critical", p.critical}});
    return j;
}

void print(const SynthesisOutcome& o, const std::string& tool) {
    const SynthesisFigures& f = o.figures;
    fmt::print("{} of {} on {}{}{}{} ({})\n", o.request.part, subject_of(o.request), o.request.target,
               has_multipliers(o.request.part) ? fmt::format(", {} multipliers", o.request.multiplier) : "",
               o.request.constant_bands ? ", a constant stencil" : "",
               o.request.combinational ? ", registers left out" : "", tool);
    fmt::print("  LUTs {}, as memory {}, flip-flops {}, carry cells {}, hard multipliers {}\n", f.luts, f.memory_luts,
               f.flip_flops, f.carries, f.multipliers);
    fmt::print("  block memory {} blocks of 18 Kbit ({} bits), I/O {} bits, depth {} cells\n", f.memory_blocks(),
               f.memory_bits, f.io_bits, f.depth);
    const std::string& target = o.request.target;
    if (target == "xc7" || target == "xcup")
        fmt::print("  {}, at least, of its LUTs, flip-flops, memories and carries: {}\n",
                   target == "xc7" ? "slices" : "CLBs", f.slices(target));
    else
        fmt::print("  slices, estimated from LUTs and the {} flip-flops that share none's place: {}\n",
                   f.flip_flops - f.paired, f.slices(target));
    if (o.request.combinational) return;
    const synthesis::CoreClock clock = o.clock(),
                               model = synthesis::modelled_clock(o.request.target, f.model_mhz, f.model_path);
    if (o.placements.empty()) {
        fmt::print("  clock by a model, not by place and route: {:.0f} MHz ({})\n", clock.mhz, clock.derivation);
        return;
    }
    fmt::print("  clock by place and route: {:.1f} MHz ({})\n", clock.mhz, clock.derivation);
    fmt::print("  best seed {:.1f} MHz; the model says {:.0f} MHz ({})\n", o.placements.back().mhz, model.mhz,
               model.derivation);
    fmt::print("  critical path of the median: {}\n", synthesis::median_placement(o.placements).critical);
}

/// What a core refuses names the core; of several specs this says which.
void check_request(const SynthesisOutcome& o, const SynthesizeFlags& flags) {
    try {
        synthesis::Synthesizer::check(o.request);
    } catch (const InvalidInput& fault) {
        const std::string what = fault.what();
        throw InvalidInput(what.starts_with("the ") ? fmt::format("spec {}: {}", subject_of(o.request), what) : what);
    }
    if (flags.place) synthesis::Synthesizer::check_place(o.request, flags.seeds);
}

int synthesize_command(const CLI::App& app, const SynthesizeFlags& flags, const std::string& typed) {
    text::WholeRange{1, kMostJobs}.require("--jobs", flags.jobs);
    text::WholeRange{1, 99}.require("--seeds", flags.seeds);
    if (!flags.store.empty()) base::check_store_path(flag_of(Common::store), flags.store);
    std::vector<SynthesisOutcome> all = requests_of(flags);
    with_option_names(
        {"bands", "combinational", "cores", "lanes", "level", "operator", "place", "seeds", "spec", "stored-level"},
        [&] {
            for (const SynthesisOutcome& o : all) check_request(o, flags); // all of them, before any tool runs
        });
    check_given(app, flags);
    synthesis::Synthesizer synthesizer(flags.store, current_provenance(typed));
    run_all(all, synthesizer, flags);
    std::exception_ptr fault;
    results::Json list = results::Json::array();
    for (const SynthesisOutcome& o : all) {
        if (o.fault) {
            if (!fault) fault = o.fault;
            continue;
        }
        if (!o.why_not.empty()) fmt::print(stderr, "mantissa: {}\n", o.why_not);
        if (flags.json) list.push_back(to_json(o, synthesizer.tool()));
        else print(o, synthesizer.tool());
    }
    if (flags.json && !list.empty()) fmt::print("{}\n", json_text((all.size() == 1 ? list[0] : list)));
    if (fault) std::rethrow_exception(fault);
    return kDone;
}

Run setup_synthesize(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<SynthesizeFlags>();
    std::string parts;
    for (const auto& [name, text] : synthesis::synthesis_parts())
        if (name != "core") parts += fmt::format("{}{}: {}", parts.empty() ? "" : "; ", name, text);
    app.add_option("--spec", flags->specs, "datapath, as s17e8 or s14e8,u=s23e8,dot=fixed[13:-50]; may be repeated")
        ->capture_default_str();
    app.add_option("--target", flags->targets, "device family; may be repeated")
        ->check(CLI::IsMember({"xc2v", "xc7", "xcup", "ecp5"}))
        ->capture_default_str();
    app.add_option("--multiplier", flags->multipliers, "products in logic or on hard blocks; may be repeated")
        ->check(CLI::IsMember({"logic", "block"}))
        ->capture_default_str();
    app.add_option("--bands", flags->bands,
                   "a core that streams its coefficients (the default, where it has such streams), or holds a stencil; "
                   "may be repeated")
        ->check(CLI::IsMember({"streamed", "constant"}));
    app.add_option("--operator", flags->parts, "one operator instead of the core; may be repeated. " + parts);
    app.add_option("--cycle", flags->cycles, "of --operator cycle: the cycle, as v11,w=10; may be repeated")
        ->capture_default_str();
    app.add_option("--level", flags->level, "of --operator cycle: rows and counters for 2^LEVEL + 1 nodes a side")
        ->capture_default_str();
    app.add_option("--stored-level", flags->stored_level, "of --operator cycle: and memory for grids up to this level")
        ->default_str(std::to_string(kUsualStored));
    app.add_option("--lanes", flags->lanes, "of --operator cycle: nodes a clock, a power of two; may be repeated")
        ->capture_default_str();
    app.add_option("--cores", flags->cores, "of --operator cycle: cores that share the grid; may be repeated")
        ->capture_default_str();
    app.add_flag("--combinational", flags->combinational, "an adder or multiplier without its registers");
    app.add_flag("--place", flags->place, "place and route too (ecp5; nextpnr from PyPI)");
    app.add_option("--seeds", flags->seeds, "of --place: runs of place and route")->capture_default_str();
    app.add_option("--jobs", flags->jobs, "tools at work side by side, each about a gigabyte for a core")
        ->capture_default_str();
    declare(app, Common::store, flags->store, "results file; default: synthesis.sqlite in the cache folder");
    declare(app, Common::json, flags->json, "print a JSON object, or an array of several");
    return [flags, typed, &app] { return synthesize_command(app, *flags, typed); };
}

} // namespace

const Command kSynthesize{"synthesize", "Area and clock of a datapath or operator on a device family (yosys)",
                          setup_synthesize};

} // namespace mantissa::cli
