#include "synthesis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clock_model.hpp"
#include "kept/kept_netlists.hpp"
#include "kept/synthesis_store.hpp"
#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/base/own_path.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/sparse_core.hpp"
#include "recipe.hpp"
#include "sources.hpp"
#include "store/database.hpp"
#include "work_folder.hpp"

namespace mantissa::synthesis {

namespace fs = std::filesystem;

namespace {

constexpr const char* kYosysKnown = "Yosys 0.23";

std::uint64_t number_behind(const std::string& text, std::string_view mark, const std::string& file) {
    const std::size_t at = text.find(mark);
    std::uint64_t value = 0;
    if (at == std::string::npos ||
        std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value).ec != std::errc{})
        throw ToolFailure(
            fmt::format("yosys's {}: no '{}' with a number; use {} (apt install yosys)", file, mark, kYosysKnown));
    return value;
}

/// A tool that ended well and left its answer empty: no area of nothing is taken from that.
[[noreturn]] void nothing_said(const char* file, const char* what) {
    throw ToolFailure(
        fmt::format("yosys's {}: no {} in it, though yosys ended well; look whether the disk of TMPDIR is "
                    "full and whether MANTISSA_YOSYS is {}; nothing was stored",
                    file, what, kYosysKnown));
}

SynthesisFigures read_figures(const SynthesisRequest& request, const WorkFolder& work) {
    SynthesisFigures f;
    const auto stat = nlohmann::json::parse(base::read_text(work.file("stat.json")), nullptr, false);
    if (stat.is_discarded() || !stat.is_object() || !stat.contains("design") ||
        !stat["design"].contains("num_cells_by_type") || stat["design"]["num_cells_by_type"].empty())
        nothing_said("stat.json", "count of cells");
    struct Counted {
        std::string_view prefix;
        std::uint64_t SynthesisFigures::*field;
        std::uint64_t weight;
    };
    static constexpr std::array kKinds = {
        Counted{"LUT", &SynthesisFigures::luts, 1},
        Counted{"INV", &SynthesisFigures::luts, 1},
        Counted{"FD", &SynthesisFigures::flip_flops, 1},
        Counted{"TRELLIS_FF", &SynthesisFigures::flip_flops, 1},
        Counted{"MUXCY", &SynthesisFigures::carries, 1},
        Counted{"CARRY", &SynthesisFigures::carries, 1},
        Counted{"CCU2C", &SynthesisFigures::carries, 1},
        Counted{"MULT18X18", &SynthesisFigures::multipliers, 1},
        Counted{"DSP48", &SynthesisFigures::multipliers, 1},
        Counted{"RAM16X1D", &SynthesisFigures::memory_luts, 2},
        Counted{"RAM32X1D", &SynthesisFigures::memory_luts, 2},
        Counted{"RAM64X1D", &SynthesisFigures::memory_luts, 2},
        Counted{"RAM32M", &SynthesisFigures::memory_luts, 4},
        Counted{"RAM64M", &SynthesisFigures::memory_luts, 4},
        Counted{"SRL", &SynthesisFigures::memory_luts, 1},
        Counted{"TRELLIS_DPR16X4", &SynthesisFigures::memory_luts, 4},
        Counted{"RAMB16", &SynthesisFigures::memory_bits, 18432},
        Counted{"RAMB18", &SynthesisFigures::memory_bits, 18432},
        Counted{"RAMB36", &SynthesisFigures::memory_bits, 36864},
        Counted{"DP16KD", &SynthesisFigures::memory_bits, 18432},
        Counted{"PDPW16KD", &SynthesisFigures::memory_bits, 18432},
    };
    for (const auto& [type, count] : stat.at("design").at("num_cells_by_type").items()) {
        // A CCU2C is two LUTs with their carry.
        if (type == "CCU2C") f.luts += 2 * count.get<std::uint64_t>();
        for (const Counted& kind : kKinds)
            if (type.starts_with(kind.prefix)) {
                f.*kind.field += kind.weight * count.get<std::uint64_t>();
                break;
            }
    }
    f.io_bits = io_bits(request, read_ports(base::read_text(work.file("ports.txt"))));
    if (f.io_bits == 0) nothing_said("ports.txt", "port");
    const std::string depth = base::read_text(work.file("depth.txt"));
    if (depth.empty()) nothing_said("depth.txt", "path");
    f.depth = depth.find("(length=") == std::string::npos ? 0 : number_behind(depth, "(length=", "depth.txt");
    const std::string paired = base::read_text(work.file("paired.txt"));
    if (std::from_chars(paired.data(), paired.data() + paired.size(), f.paired).ec != std::errc{})
        nothing_said("paired.txt", "count");
    if (f.luts + f.flip_flops + f.carries + f.multipliers + f.memory_luts == 0) nothing_said("stat.json", "known cell");
    f.paired = std::min(f.paired, f.flip_flops);
    const ModelledPath path = model_clock(base::read_text(work.file("netlist.json")));
    f.model_mhz = path.mhz();
    f.model_path = fmt::format("{} -> {}: {} LUTs, {} carry cells, {} multipliers", path.from, path.to, path.luts,
                               path.carries, path.multipliers);
    return f;
}

/// Why the RTL has no such operator, or the datapath does not use it: of the formats that the operator works in it
/// refuses what its core does.
std::string operator_refusal(const SynthesisRequest& request) {
    const DatapathSpec& s = request.spec;
    if (request.part == "fixed-accumulate" && !s.dot.fixed)
        return fmt::format("operator fixed-accumulate: dot products of {} are summed in no fixed window; give a spec "
                           "with one, as s17e8,dot=fixed[13:-50]",
                           to_string(s));
    if (s.r.is_fixed())
        return fmt::format("operator {}: it works on floating-point numbers, and r= is {}; give a floating format, as "
                           "s17e8",
                           request.part, to_string(s.r));
    DatapathSpec own{Format{}}; // (the rest of the datapath is no part of the operator)
    if (request.part == "accumulate") own.dot = s.dot;
    else own.r = s.r;
    const std::string why = sim::core_refusal(own);
    return why.empty() ? why : fmt::format("operator {}: {}", request.part, why);
}

} // namespace

std::string cached_syntheses() {
    const std::string file = (base::make_cache_folder(base::cache_root()) / "synthesis.sqlite").string();
    base::require_own("the store of synthesis runs", file,
                      "remove it, or set MANTISSA_CACHE to a folder that only this user can write");
    // (A run that was stopped while it made the file leaves an empty one, which the next fills.)
    if (std::error_code error; fs::exists(file, error) && (fs::file_size(file, error) > 0 || error)) {
        try {
            (void)results::Database(file, results::Access::read);
        } catch (const InvalidInput& fault) {
            throw InvalidInput(fmt::format(
                "{} (this one is the cache's own: remove it, and what it held is made again)", fault.what()));
        }
    }
    return file;
}

Synthesizer::Synthesizer(const std::string& store, Provenance provenance)
    : store_(store.empty() ? cached_syntheses() : store), provenance_(std::move(provenance)) {
    yosys_ = base::environment_or("MANTISSA_YOSYS", "yosys");
    source_ = sources_folder();
    const WorkFolder work;
    if (const auto told = base::run_process({yosys_, "-V"}, work.file("version")); !told.ok) {
        const bool missing = told.why == "No such file or directory" || told.why == "Permission denied";
        throw ToolFailure(fmt::format("{}: cannot be run ({}), and synthesis needs it; {}", yosys_, told.why,
                                      missing ? "apt install yosys, or set MANTISSA_YOSYS"
                                              : "look at the limits of processes, files and memory (ulimit -a) and at "
                                                "the space in TMPDIR, or set MANTISSA_YOSYS to another"));
    }
    tool_ = base::read_text(work.file("version"));
    while (!tool_.empty() && tool_.back() == '\n') tool_.pop_back();
    if (tool_.empty()) nothing_said("version", "word");
    if (!tool_.starts_with(kYosysKnown))
        throw ToolFailure(fmt::format("{}: it is '{}', and the recipe is for {}; install that (apt install yosys on "
                                      "Debian 12) or set MANTISSA_YOSYS",
                                      yosys_, tool_, kYosysKnown));
}

SynthesisKey Synthesizer::key_of(const SynthesisRequest& request) const {
    const std::lock_guard lock(hashing_);
    std::string& hash = hashes_[request.part + (request.spec.fixed_vectors() ? " of words" : "")];
    if (hash.empty()) hash = sources_hash(source_, request);
    return {subject_of(request),
            request.target,
            request.multiplier,
            request.part + (request.combinational ? " combinational" : ""),
            tool_,
            hash,
            request.constant_bands ? "constant" : "streamed"};
}

void Synthesizer::check(const SynthesisRequest& request) {
    const bool core = top_of(request).core;
    if (!request.cycle)
        if (std::string why = core ? sim::core_refusal(request.spec) : operator_refusal(request); !why.empty())
            throw InvalidInput(why);
    const bool resident = request.part == "inner" || request.part == "outer" || request.part == "resident" ||
                          request.part == "resident-checked";
    const DatapathSpec& s = request.spec;
    if (request.part == "sparse")
        if (std::string why = sim::sparse_core_refusal(s); !why.empty()) throw InvalidInput(why);
    if (resident && !(s.fixed_vectors() && s.r == s.p && s.r == s.q))
        throw InvalidInput(fmt::format("operator {}: r, p and q of {} must be fixed-point words of one format, as "
                                       "fx18.16",
                                       request.part, to_string(s)));
    if (is_core(request.part) && !request.constant_bands && holds_stencil(request.spec))
        throw InvalidInput(fmt::format("bands: the core of {} streams no coefficients, second differences hold their "
                                       "stencil; use bands=constant, or order=flux",
                                       to_string(request.spec)));
    if (request.constant_bands && !is_core(request.part))
        throw InvalidInput(fmt::format("bands: {} has none; leave bands=constant to cores", request.part));
    if (request.combinational && request.part != "add" && request.part != "mul")
        throw InvalidInput(
            fmt::format("combinational: {} has feedback through its registers; use it with add or mul", request.part));
}

void Synthesizer::run_recipe(const SynthesisRequest& request, const Top& top, bool place,
                             const std::string& folder) const {
    const std::string recipe = (fs::path(source_) / "experiments/synthesis/recipe.ys").string();
    copy_sources(source_, folder);
    base::write_file(folder + "/run.ys", fill_recipe(base::read_text(recipe), request, top, source_, place));
    const std::string log = folder + "/log";
    const base::ProcessResult result = base::run_process(
        {yosys_, "-q", "run.ys"}, log, folder,
        fmt::format("yosys, {} of {} on {}", request.part, subject_of(request), request.target), patience_);
    if (result.ok) return;
    if (result.timed_out)
        throw ToolFailure(fmt::format("yosys on {} for {} was {}", top.module, request.target, result.why));
    if (const std::string full = base::full_disk(log, "TMPDIR"); !full.empty())
        throw ToolFailure(
            fmt::format("yosys failed on {} for {}: {}; nothing was stored", top.module, request.target, full));
    throw ToolFailure(fmt::format("yosys failed on {} for {} ({}); mend the RTL or the recipe, nothing was stored",
                                  top.module, request.target, why_failed(result, log)));
}

std::optional<SynthesisFigures> Synthesizer::stored(const SynthesisRequest& request) const {
    return find_synthesis(store_, key_of(request));
}

SynthesisFigures Synthesizer::figures(const SynthesisRequest& request) {
    const SynthesisKey key = key_of(request);
    if (const auto known = find_synthesis(store_, key)) return *known;
    check(request);
    const WorkFolder work;
    run_recipe(request, top_of(request), false, work.text());
    const SynthesisFigures figures = read_figures(request, work);
    put_synthesis(store_, key, figures, provenance_);
    return figures;
}

bool Synthesizer::take_kept(const SynthesisRequest& request) {
    const SynthesisKey key = key_of(request);
    if (find_synthesis(store_, key)) return false;
    const auto kept = find_kept((fs::path(source_) / "experiments/synthesis/results/kept.json").string(), key);
    if (!kept) return false;
    put_synthesis(store_, key, kept->figures, kept->provenance);
    return true;
}

} // namespace mantissa::synthesis
