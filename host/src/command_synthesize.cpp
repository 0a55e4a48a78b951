// mantissa synthesize: area and depth of a datapath, or one operator of it, on a device family.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mantissa/host/provenance.hpp"
#include "progress.hpp"
#include "result_json.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::cli {

namespace {

using detail::SynthesisFigures;
using detail::SynthesisRequest;

struct Flags {
    std::string spec = "s23e8", target = "xc2v", multiplier = "block", part = "core", store;
    int seeds = 5;
    bool combinational = false, place = false, json = false;
};

int synthesize_command(const Flags& flags, const std::string& typed) {
    const SynthesisRequest request{parse_spec(flags.spec), flags.target, flags.multiplier, flags.part,
                                   flags.combinational};
    detail::Synthesizer synthesizer(flags.store, current_provenance(typed));
    SynthesisFigures f;
    std::vector<detail::Placement> placements; // slowest first
    std::string why_not;
    {
        detail::ItemProgress line("syntheses", 1, 1);
        f = synthesizer.figures(request);
        if (flags.place) placements = synthesizer.place(request, flags.seeds, why_not);
    }
    if (!why_not.empty()) fmt::print(stderr, "mantissa: {}\n", why_not);
    if (flags.json) {
        detail::Json j = {{"spec", to_string(request.spec)},
                          {"target", request.target},
                          {"multiplier", request.multiplier},
                          {"part", request.part},
                          {"combinational", request.combinational},
                          {"tool", synthesizer.tool()},
                          {"luts", f.luts},
                          {"memory_luts", f.memory_luts},
                          {"flip_flops", f.flip_flops},
                          {"carries", f.carries},
                          {"multipliers", f.multipliers},
                          {"memory_bits", f.memory_bits},
                          {"io_bits", f.io_bits},
                          {"slices_estimate", f.slices(request.target)},
                          {"depth", f.depth}};
        for (const detail::Placement& p : placements)
            j["placements"].push_back({{"seed", p.seed}, {"mhz", p.mhz}, {"critical", p.critical}});
        fmt::print("{}\n", j.dump(2));
        return kDone;
    }
    fmt::print("{} of {} on {}, {} multipliers{} ({})\n", request.part, to_string(request.spec), request.target,
               request.multiplier, request.combinational ? ", registers left out" : "", synthesizer.tool());
    fmt::print("  LUTs {}, as memory {}, flip-flops {}, carry cells {}, hard multipliers {}\n", f.luts, f.memory_luts,
               f.flip_flops, f.carries, f.multipliers);
    fmt::print("  block memory {} bits, I/O {} bits, depth {} cells\n", f.memory_bits, f.io_bits, f.depth);
    fmt::print("  slices, estimated from LUTs and the {} flip-flops that share none's place: {}\n",
               f.flip_flops - f.paired, f.slices(request.target));
    if (!placements.empty()) {
        const detail::Placement &median = placements[placements.size() / 2], &best = placements.back();
        fmt::print("  placed and routed on LFE5U-85F, speed grade 8, {} seeds: median {:.1f} MHz, best {:.1f} MHz\n",
                   placements.size(), median.mhz, best.mhz);
        fmt::print("  critical path of the median: {}\n", median.critical);
    }
    return kDone;
}

Run setup(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<Flags>();
    std::string parts;
    for (const auto& [name, text] : detail::synthesis_parts())
        if (name != "core") parts += fmt::format("{}{}: {}", parts.empty() ? "" : "; ", name, text);
    app.add_option("--spec", flags->spec, "datapath, as s17e8 or s14e8,u=s23e8,dot=fixed[13:-50]")
        ->capture_default_str();
    app.add_option("--target", flags->target, "device family")
        ->check(CLI::IsMember({"xc2v", "xc7", "xcup", "ecp5"}))
        ->capture_default_str();
    app.add_option("--multiplier", flags->multiplier, "products in logic or on hard blocks")
        ->check(CLI::IsMember({"logic", "block"}))
        ->capture_default_str();
    app.add_option("--operator", flags->part, "one operator instead of the core. " + parts);
    app.add_flag("--combinational", flags->combinational, "an adder or multiplier without its registers");
    app.add_flag("--place", flags->place, "place and route too (ecp5; nextpnr from PyPI)");
    app.add_option("--seeds", flags->seeds, "runs of place and route")->capture_default_str();
    app.add_option("--store", flags->store, "results file; default: synthesis.sqlite in the cache folder");
    app.add_flag("--json", flags->json, "print a JSON object");
    return [flags, typed] { return synthesize_command(*flags, typed); };
}

} // namespace

const Command kSynthesize{"synthesize", "Area and depth of a datapath or operator on a device family (yosys)", setup};

} // namespace mantissa::cli
