#include "mantissa/sim/model_cache.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/base/process.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/sim/sparse_core.hpp"
#include "upsets/member_table.hpp"

namespace mantissa::sim {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

// Without merging of conditions: it turns choices between operands into branches that data makes unpredictable.
constexpr const char* kVerilatorFlags = "--cc -O3 -fno-merge-cond-motion --x-assign fast --x-initial fast --noassert "
                                        "-Wno-fatal --unroll-count 256 --unroll-stmts 100000";
constexpr const char* kOptimised = "-O3 -funroll-loops"; // where MANTISSA_MODEL_FLAGS says nothing
constexpr const char* kCompilerFlags = "-fno-strict-aliasing -ffunction-sections";

fs::path source_folder(const ModelCacheOptions& options) {
    fs::path folder = options.source;
    if (folder.empty()) folder = base::environment("MANTISSA_SOURCE");
    if (folder.empty()) folder = MANTISSA_SOURCE_FOLDER;
    std::error_code error;
    for (const char* part : {"rtl/operators", "rtl/core", "sim/model"})
        if (!fs::is_directory(folder / part, error))
            throw InvalidInput(fmt::format("{}: there is no folder {} in it; set MANTISSA_SOURCE to the folder that "
                                           "holds rtl and sim",
                                           folder.string(), part));
    return folder;
}

/// Of models (".so") and of Verilator's own sources (".o").
base::HashedCache cache_of(const ModelCacheOptions& options, const char* extension) {
    return {(options.folder.empty() ? base::cache_root() : fs::path(options.folder)) / "rtl", extension};
}

/// A command and its fixed arguments, from the environment or by default.
Words command_from(const char* variable, const char* usual) {
    const Words named = base::split_words(base::environment(variable));
    return named.empty() ? Words{usual} : named;
}

Words verilator_command() {
    return command_from("VERILATOR", "verilator");
}

Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

const std::string& verilator_version() {
    static const std::string version = base::first_line_of(verilator_command() + Words{"--version"});
    return version;
}

Words compiler() {
    return command_from("CXX", "g++");
}

/// What a model and Verilator's sources are compiled with.
Words compiler_flags() {
    const Words chosen = base::split_words(base::environment("MANTISSA_MODEL_FLAGS"));
    return (chosen.empty() ? base::split_words(kOptimised) : chosen) + base::split_words(kCompilerFlags);
}

/// Flags for a linker that keeps one copy of equal functions (model.vlt says why); without one, models are slower.
struct FoldingLinker {
    std::string version;
    Words flags;
};

const FoldingLinker& folding_linker() {
    static const FoldingLinker found = [] {
        for (const char* name : {"gold", "lld"})
            if (const std::string version = base::first_line_of({fmt::format("ld.{}", name), "--version"});
                !version.empty())
                return FoldingLinker{version, {fmt::format("-fuse-ld={}", name), "-Wl,--icf=safe"}};
        return FoldingLinker{};
    }();
    return found;
}

/// What a core's model is made of besides rtl/operators, rtl/core and rtl/check. Paths start at the source folder.
struct CoreKind {
    const char* label; ///< in front of its lanes
    const char* top;
    const char* source; ///< of the top
    const char* harness;
    Words files;   ///< the harness and what it includes or needs
    Words folders; ///< of RTL
};

const CoreKind& kind_of(const CoreParameters& parameters) {
    static const char* const flags = "sim/model/model.vlt";
    static const char* const streams = "sim/model/model.cpp";
    static const char* const top = "sim/model/model_top.sv";
    static const char *const upset_abi = "sim/model/upset_abi.h", *const upsets = "sim/model/upsets.hpp",
                             *const waveform = "sim/model/waveform.hpp";
    static const Words streamed = {
        top, streams, "sim/model/model_abi.h", "sim/model/streams.hpp", upset_abi, upsets, waveform, flags};
    static const CoreKind floating{"", "model_top", top, streams, streamed, {}};
    static const CoreKind integer{"integers, ", "model_top", top, streams, streamed, {"rtl/fixed"}};
    static const CoreKind sparse{"sparse, ",
                                 "sp_core",
                                 "rtl/sparse/sp_core.sv",
                                 "sim/model/sparse_model.cpp",
                                 {"sim/model/sparse_model.cpp", "sim/model/sparse_abi.h", "sim/model/model_abi.h",
                                  upset_abi, upsets, waveform, flags},
                                 {"rtl/fixed", "rtl/fixed/resident", "rtl/sparse"}};
    static const CoreKind resident{"resident, ",
                                   "fx_resident",
                                   "rtl/fixed/resident/fx_resident.sv",
                                   "sim/model/resident_model.cpp",
                                   {"sim/model/resident_model.cpp", "sim/model/resident_abi.h",
                                    "sim/model/clocked_core.hpp", upset_abi, upsets, flags},
                                   {"rtl/fixed", "rtl/fixed/resident"}};
    static const CoreKind cycle{
        "cycles, ",
        "fx_cycle",
        "rtl/cycle/fx_cycle.sv",
        "sim/model/cycle_model.cpp",
        {"sim/model/cycle_model.cpp", "sim/model/cycle_abi.h", "sim/model/clocked_core.hpp", upset_abi, upsets, flags},
        {"rtl/fixed", "rtl/fixed/resident", "rtl/cycle"}};
    static const CoreKind cycles{"several, cycles, ", "fx_cycles", "rtl/cycle/fx_cycles.sv",
                                 cycle.harness,       cycle.files, cycle.folders};
    static const CoreKind residents{"several, resident, ", "fx_residents", "rtl/fixed/resident/fx_residents.sv",
                                    resident.harness,      resident.files, resident.folders};
    const bool several = std::ranges::any_of(parameters, [](const auto& p) { return p.first == "Cores"; });
    if (is_cycle_core(parameters)) return several ? cycles : cycle;
    if (is_sparse_core(parameters)) return sparse;
    if (is_resident_core(parameters)) return several ? residents : resident;
    return is_integer_core(parameters) ? integer : floating;
}

/// Folders of the RTL that a core is made of.
Words rtl_folders(const ModelRequest& request) {
    return Words{"rtl/operators", "rtl/core", "rtl/check"} + kind_of(request.parameters).folders;
}

std::vector<fs::path> model_sources(const ModelRequest& request, const fs::path& source) {
    const CoreKind& kind = kind_of(request.parameters);
    std::vector<fs::path> files;
    const auto append = [&](const std::string& folder, const char* suffix) {
        for (fs::path& file : base::files_in(source / folder, suffix)) files.push_back(std::move(file));
    };
    for (const std::string& folder : rtl_folders(request)) append(folder, ".sv");
    append("rtl", ".svh");
    if (is_cycle_core(request.parameters)) append("rtl/cycle", ".svh");
    for (const std::string& name : kind.files) files.push_back(source / name);
    return files;
}

int value_of(const ModelRequest& request, const std::string& wanted) {
    for (const auto& [name, value] : request.parameters)
        if (name == wanted) return value;
    throw std::logic_error("simulation model: parameter " + wanted + " is not given");
}

/// Bits of an element of u, r, p, q and of a coefficient, as C++ writes a list.
std::string widths_of(const ModelRequest& request) {
    const bool integer = is_integer_core(request.parameters);
    std::string text;
    for (const std::string name : {"U", "R", "P", "Q", "Coef"})
        text += fmt::format("{}{}", text.empty() ? "" : ",",
                            integer ? value_of(request, name + "W")
                                    : value_of(request, name + "ExpW") + value_of(request, name + "FracW") + 1);
    return text;
}

/// One file that includes the harness and all that Verilator made: its many files are small, and each would read the
/// same large headers.
fs::path one_source(const fs::path& work, const fs::path& harness) {
    std::string text = fmt::format("#include \"{}\"\n", harness.string());
    for (const fs::path& file : base::files_in(work, ".cpp"))
        text += fmt::format("#include \"{}\"\n", file.filename().string());
    fs::path all = work / "all.cpp";
    base::write_file(all.string(), text);
    return all;
}

/// The tool's log, `work`/log, goes to `kept` when it fails.
void run_step(const Words& command, const fs::path& work, const fs::path& kept, const char* what,
              const std::string& label) {
    const fs::path log = work / "log";
    const base::ProcessResult result = base::run_process(command, log.string(), {}, label);
    if (result.ok) return;
    std::error_code ignored;
    fs::copy_file(log, kept, fs::copy_options::overwrite_existing, ignored);
    if (const std::string full = base::full_disk(log.string(), "MANTISSA_CACHE"); !full.empty())
        throw ToolFailure(fmt::format("simulation model: {} failed: {}", what, full));
    throw ToolFailure(fmt::format("simulation model: {} failed ({}); the log is {}", what,
                                  base::shortened(base::why_failed(result, log.string()), 300), kept.string()));
}

base::HashName name_of(const ModelRequest& request, const ModelCacheOptions& options) {
    base::HashName name;
    for (const fs::path& file : model_sources(request, source_folder(options)))
        name.add(file.filename().string())
            .add(base::read_text(file.string(), "set MANTISSA_SOURCE to the folder that holds rtl and sim"));
    name.add(verilator_version()).add(base::first_line_of(compiler() + Words{"--version"}));
    name.add(kVerilatorFlags).add(folding_linker().version);
    for (const std::string& word : compiler_flags()) name.add(word);
    CoreParameters sorted = request.parameters;
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [parameter, value] : sorted) name.add(fmt::format("{}={}", parameter, value));
    name.add(fmt::format("{} core(s)", request.cores));
    if (request.upsets) name.add(kUpsetTable);
    return name.add(request.trace ? "trace" : "plain").add(request.rules ? "rules" : "no rules");
}

/// Elements a beat of the streams.
int lanes_of(const ModelRequest& request) {
    return value_of(request, is_cycle_core(request.parameters) ? "BusWords" : "Lanes");
}

std::string label_of(const ModelRequest& request) {
    return fmt::format("{}{}{} lane(s){}", kind_of(request.parameters).label,
                       request.cores > 1 ? fmt::format("{} cores, ", request.cores) : "", value_of(request, "Lanes"),
                       request.trace    ? ", with trace"
                       : request.upsets ? ", for upsets"
                                        : "");
}

/// Turns the core into C++ in `work`.
void verilate(const ModelRequest& request, const fs::path& source, const fs::path& work, const fs::path& log) {
    const CoreKind& kind = kind_of(request.parameters);
    Words words =
        verilator_command() + base::split_words(kVerilatorFlags) +
        Words{"--Mdir", work, "--prefix", "Vmodel", "--top-module", kind.top, "-I" + (source / "rtl").string()};
    for (const std::string& folder : rtl_folders(request)) words = words + Words{"-y", source / folder};
    words.push_back(source / kind.source);
    if (is_integer_core(request.parameters)) words.push_back("-DMANTISSA_FIXED");
    if (request.cores > 1) words.push_back(fmt::format("-DMANTISSA_CORES={}", request.cores));
    if (request.rules) words = words + Words{"--assert", "-DMANTISSA_RULES"};
    if (request.trace) words = words + Words{"--trace-fst", "--trace-structs"};
    else if (!request.upsets) words.push_back(source / "sim/model/model.vlt"); // (upsets want one flat class)
    for (const auto& [name, value] : request.parameters) words.push_back(fmt::format("-G{}={}", name, value));
    run_step(words, work, log, "verilator", "verilating the core, " + label_of(request));
    if (request.upsets)
        base::write_file((work / "upset_members.hpp").string(),
                         upset_member_table(base::read_text((work / "Vmodel___024root.h").string(),
                                                            "Verilator writes it; take Verilator 5.006")));
}

/// What Verilator's headers are read and its sources are compiled with.
Words common_flags(const ModelRequest& request, const fs::path& include) {
    return Words{"-std=c++20",
                 "-fPIC",
                 "-fvisibility=hidden",
                 "-w",
                 "-DVL_TIME_CONTEXT",
                 "-I" + include.string(),
                 "-I" + (include / "vltstd").string()} +
           (request.trace ? Words{"-DVM_TRACE=1", "-DVM_TRACE_FST=1"} : Words{"-DVM_TRACE=0"}) +
           (request.rules ? Words{"-DVL_USER_STOP"} : Words{});
}

/// Verilator's own sources, compiled once for all models of the same flags: they take half of a small model's time.
fs::path runtime_object(const ModelRequest& request, const ModelCacheOptions& options, const fs::path& include) {
    const base::HashedCache cache = cache_of(options, ".o");
    const Words words =
        compiler() + Words{"-c"} + (request.trace ? Words{"-O1"} : compiler_flags()) + common_flags(request, include);
    base::HashName name;
    name.add("Verilator's sources").add(verilator_version());
    name.add(base::first_line_of(compiler() + Words{"--version"}));
    for (const std::string& word : words) name.add(word);
    return cache.get(name, [&](const fs::path& work, const fs::path& fresh) {
        std::string text = "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n";
        if (request.trace) text += "#include \"verilated_fst_c.cpp\"\n";
        base::write_file((work / "runtime.cpp").string(), text);
        run_step(words + Words{work / "runtime.cpp", "-o", fresh}, work, cache.beside(name, ".log"), "the C++ compiler",
                 "compiling Verilator's own sources");
    });
}

/// Compiles what verilate() has made, and the harness, into `fresh`.
void compile(const ModelRequest& request, const ModelCacheOptions& options, const fs::path& source,
             const fs::path& work, const fs::path& log, const fs::path& fresh) {
    const std::string root = base::first_line_of(verilator_command() + Words{"--getenv", "VERILATOR_ROOT"});
    const fs::path include = fs::path(root) / "include";
    Words words =
        compiler() + Words{"-shared"} + common_flags(request, include) +
        (request.trace    ? Words{"-O1"}
         : request.upsets ? Words{"-O1", "-fno-strict-aliasing"} // (solves are short, and a flat class compiles slowly)
                          : compiler_flags() + folding_linker().flags) +
        (is_cycle_core(request.parameters) ? Words{} : Words{"-DMANTISSA_WIDTHS=" + widths_of(request)}) +
        Words{fmt::format("-DMANTISSA_LANES={}", lanes_of(request)),
              fmt::format("-DMANTISSA_CORES={}", request.cores)} +
        (request.trace ? Words{"-DMANTISSA_TRACE"} : Words{}) + (request.rules ? Words{"-DMANTISSA_RULES"} : Words{}) +
        (request.upsets ? Words{"-DMANTISSA_UPSETS"} : Words{}) +
        Words{"-I" + work.string(),
              "-I" + (source / "sim/model").string(),
              "-o",
              fresh,
              runtime_object(request, options, include),
              one_source(work, source / kind_of(request.parameters).harness)};
    words.push_back("-pthread");
    if (request.trace) words.push_back("-lz");
    run_step(words, work, log, "the C++ compiler", "compiling the core's model, " + label_of(request));
}

} // namespace

BuildProgress terminal_progress() {
    if (::isatty(2) == 0) return {};
    return [](const std::string& line, double seconds) {
        fmt::print(stderr, "\r\033[Krtl: {} ({:.0f} s)\n", line, seconds);
    };
}

std::string why_no_models() {
    if (verilator_version().empty())
        return "verilator cannot be run, and the rtl engine needs it to build its models; install Verilator 5.006 or "
               "later (apt install verilator) or set VERILATOR";
    if (base::first_line_of(compiler() + Words{"--version"}).empty())
        return fmt::format("{} cannot be run, and the rtl engine needs a C++ compiler to build its models; install one "
                           "(apt install g++) or set CXX",
                           compiler().front());
    return {};
}

void require_sources(const ModelCacheOptions& options) {
    (void)source_folder(options);
}

std::string model_key(const ModelRequest& request, const ModelCacheOptions& options) {
    return name_of(request, options).text();
}

std::string build_model(const ModelRequest& request, const ModelCacheOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const auto report = [&](const std::string& line) {
        if (!options.progress) return;
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        options.progress(line, seconds.count());
    };
    if (const std::string why = why_no_models(); !why.empty()) throw ToolFailure(why);
    const base::HashedCache cache = cache_of(options, ".so");
    const base::HashName name = name_of(request, options);
    return cache.get(name, [&](const fs::path& work, const fs::path& fresh) {
        const fs::path source = source_folder(options), log = cache.beside(name, ".log");
        fs::remove(log);
        report("verilating the core (model " + name.text() + ")");
        verilate(request, source, work, log);
        report("compiling the model");
        compile(request, options, source, work, log, fresh);
        report("model ready");
    });
}

} // namespace mantissa::sim
