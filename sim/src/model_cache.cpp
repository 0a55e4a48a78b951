#include "mantissa/sim/model_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/base/process.hpp"
#include "mantissa/base/temporary_folder.hpp"

namespace mantissa::sim {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

// Without merging of conditions: it turns choices between operands into branches that data makes unpredictable.
constexpr const char* kVerilatorFlags = "--cc -O3 -fno-merge-cond-motion --x-assign fast --x-initial fast --noassert "
                                        "-Wno-fatal --unroll-count 256 --unroll-stmts 100000";
constexpr const char* kCompilerFlags = "-O3 -funroll-loops -fno-strict-aliasing -ffunction-sections";

/// FNV-1a, 64 bits: a name for a file, not a defence.
class Hash {
public:
    void operator()(const std::string& bytes) {
        for (const char c : bytes) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
        state_ = (state_ ^ 0xFF) * 0x100000001B3ULL; // an end mark
    }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}", state_); }

private:
    std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

std::string slurp(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw InvalidInput(fmt::format("{}: cannot be read; set MANTISSA_SOURCE to the folder that holds "
                                       "rtl and sim",
                                       path.string()));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

fs::path source_folder(const ModelCacheOptions& options) {
    fs::path folder = options.source;
    if (folder.empty()) folder = environment("MANTISSA_SOURCE");
    if (folder.empty()) folder = MANTISSA_SOURCE_FOLDER;
    std::error_code error;
    for (const char* part : {"rtl/operators", "rtl/core", "sim/model"})
        if (!fs::is_directory(folder / part, error))
            throw InvalidInput(fmt::format("{}: there is no folder {} in it; set MANTISSA_SOURCE to the folder that "
                                           "holds rtl and sim",
                                           folder.string(), part));
    return folder;
}

fs::path cache_folder(const ModelCacheOptions& options) {
    return (options.folder.empty() ? base::cache_root() : fs::path(options.folder)) / "rtl";
}

/// A command and its fixed arguments, from the environment or by default.
Words command_from(const char* variable, const char* usual) {
    const Words named = base::split_words(environment(variable));
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

std::vector<fs::path> model_sources(const fs::path& source) {
    std::vector<fs::path> files;
    for (const char* folder : {"rtl/operators", "rtl/core", "rtl/check"})
        for (const auto& entry : fs::directory_iterator(source / folder))
            if (entry.path().extension() == ".sv") files.push_back(entry.path());
    for (const auto& entry : fs::directory_iterator(source / "rtl"))
        if (entry.path().extension() == ".svh") files.push_back(entry.path());
    for (const char* name : {"sim/model/model_top.sv", "sim/model/model.cpp", "sim/model/model_abi.h",
                             "sim/model/streams.hpp", "sim/model/model.vlt"})
        files.push_back(source / name);
    std::sort(files.begin(), files.end());
    return files;
}

int lanes_of(const ModelRequest& request) {
    for (const auto& [name, value] : request.parameters)
        if (name == "Lanes") return value;
    return 1;
}

/// Holds an exclusive lock on a file for as long as it lives.
class FileLock {
public:
    explicit FileLock(const fs::path& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (file_ < 0 || ::flock(file_, LOCK_EX) != 0)
            throw InvalidInput(
                fmt::format("{}: cannot be locked; check that the folder can be written", path.string()));
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock() {
        if (file_ >= 0) ::close(file_);
    }

private:
    int file_;
};

/// One file that includes all that Verilator made: its many files are small, and each would read the same large
/// headers.
fs::path one_source(const fs::path& work) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(work))
        if (entry.path().extension() == ".cpp") names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    fs::path all = work / "all.cpp";
    std::ofstream out(all);
    for (const std::string& name : names) out << fmt::format("#include \"{}\"\n", name);
    out.close();
    if (!out) throw InvalidInput(fmt::format("{}: cannot be written; free space there", all.string()));
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
    throw InvalidInput(fmt::format("simulation model: {} failed ({}); the log is {}", what, result.why, kept.string()));
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

std::string model_key(const ModelRequest& request, const ModelCacheOptions& options) {
    Hash hash;
    const fs::path source = source_folder(options);
    for (const fs::path& file : model_sources(source)) {
        hash(file.filename().string());
        hash(slurp(file));
    }
    hash(verilator_version());
    hash(base::first_line_of(compiler() + Words{"--version"}));
    hash(kVerilatorFlags);
    hash(kCompilerFlags);
    hash(folding_linker().version);
    CoreParameters sorted = request.parameters;
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [name, value] : sorted) hash(fmt::format("{}={}", name, value));
    hash(request.trace ? "trace" : "plain");
    if (request.rules) hash("rules");
    return hash.text();
}

std::string build_model(const ModelRequest& request, const ModelCacheOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const auto report = [&](const std::string& line) {
        if (!options.progress) return;
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        options.progress(line, seconds.count());
    };
    if (const std::string why = why_no_models(); !why.empty()) throw InvalidInput(why);
    const fs::path folder = cache_folder(options);
    const std::string key = model_key(request, options);
    const fs::path model = folder / (key + ".so");
    if (fs::exists(model)) return model;
    base::make_cache_folder(folder);
    const FileLock lock(folder / (key + ".lock"));
    if (fs::exists(model)) return model; // another process was first

    const fs::path source = source_folder(options);
    const base::TemporaryFolder build(folder / (key + ".build"), "set MANTISSA_CACHE to a folder that can be written");
    const fs::path& work = build.path();
    const fs::path log = folder / (key + ".log");
    fs::remove(log);
    const std::string kind = fmt::format("{} lane(s){}", lanes_of(request), request.trace ? ", with trace" : "");

    Words verilate = verilator_command() + base::split_words(kVerilatorFlags) +
                     Words{"--Mdir",
                           work,
                           "--prefix",
                           "Vmodel",
                           "--top-module",
                           "model_top",
                           "-I" + (source / "rtl").string(),
                           "-y",
                           source / "rtl/operators",
                           "-y",
                           source / "rtl/core",
                           "-y",
                           source / "rtl/check",
                           source / "sim/model/model_top.sv"};
    if (request.rules) verilate = verilate + Words{"--assert", "-DMANTISSA_RULES"};
    if (request.trace) verilate = verilate + Words{"--trace-fst", "--trace-structs"};
    else verilate.push_back(source / "sim/model/model.vlt");
    for (const auto& [name, value] : request.parameters) verilate.push_back(fmt::format("-G{}={}", name, value));
    report("verilating the core (model " + key + ")");
    run_step(verilate, work, log, "verilator", "verilating the core, " + kind);

    const std::string root = base::first_line_of(verilator_command() + Words{"--getenv", "VERILATOR_ROOT"});
    const fs::path include = fs::path(root) / "include";
    const fs::path fresh = work / "model.so";
    Words compile =
        compiler() + Words{"-shared", "-std=c++20", "-fPIC", "-fvisibility=hidden", "-w"} +
        (request.trace ? Words{"-O1"} : base::split_words(kCompilerFlags) + folding_linker().flags) +
        Words{fmt::format("-DMANTISSA_LANES={}", lanes_of(request)), "-DVL_TIME_CONTEXT"} +
        (request.trace ? Words{"-DMANTISSA_TRACE", "-DVM_TRACE=1", "-DVM_TRACE_FST=1"} : Words{"-DVM_TRACE=0"}) +
        (request.rules ? Words{"-DMANTISSA_RULES", "-DVL_USER_STOP"} : Words{}) +
        Words{"-I" + work.string(),
              "-I" + include.string(),
              "-I" + (include / "vltstd").string(),
              "-I" + (source / "sim/model").string(),
              "-o",
              fresh,
              source / "sim/model/model.cpp",
              include / "verilated.cpp",
              include / "verilated_threads.cpp"};
    if (request.trace) compile.push_back(include / "verilated_fst_c.cpp");
    compile.push_back(one_source(work));
    compile.push_back("-pthread");
    if (request.trace) compile.push_back("-lz");
    report("compiling the model");
    run_step(compile, work, log, "the C++ compiler", "compiling the core's model, " + kind);
    fs::rename(fresh, model);
    report("model ready");
    return model;
}

} // namespace mantissa::sim
