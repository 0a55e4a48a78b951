#include "mantissa/sim/model_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace mantissa::sim {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVerilatorFlags = "--cc -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal "
                                        "--unroll-count 256 --unroll-stmts 100000";
constexpr const char* kCompilerFlags = "-O3 -fno-strict-aliasing";

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
        throw std::runtime_error(fmt::format("{}: cannot be read; set MANTISSA_SOURCE to the folder that holds "
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
    if (!options.source.empty()) return options.source;
    if (const std::string named = environment("MANTISSA_SOURCE"); !named.empty()) return named;
    return MANTISSA_SOURCE_FOLDER;
}

fs::path cache_folder(const ModelCacheOptions& options) {
    fs::path root = options.folder;
    if (root.empty()) root = environment("MANTISSA_CACHE");
    if (root.empty() && !environment("XDG_CACHE_HOME").empty())
        root = fs::path(environment("XDG_CACHE_HOME")) / "mantissa";
    if (root.empty() && !environment("HOME").empty()) root = fs::path(environment("HOME")) / ".cache" / "mantissa";
    if (root.empty()) throw std::runtime_error("no folder for simulation models: set MANTISSA_CACHE");
    return root / "rtl";
}

/// The first line that a command prints; empty when it cannot be run.
std::string first_line(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return {};
    char buffer[256] = "";
    std::string line = std::fgets(buffer, sizeof buffer, pipe) != nullptr ? buffer : "";
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    }
    const int status = ::pclose(pipe);
    if (status != 0) return {};
    if (!line.empty() && line.back() == '\n') line.pop_back();
    return line;
}

std::string verilator_command() {
    const std::string named = environment("VERILATOR");
    return named.empty() ? "verilator" : named;
}

const std::string& verilator_version() {
    static const std::string version = first_line(verilator_command() + " --version");
    return version;
}

std::string compiler() {
    const std::string named = environment("CXX");
    return named.empty() ? "g++" : named;
}

std::vector<fs::path> model_sources(const fs::path& source) {
    std::vector<fs::path> files;
    for (const char* folder : {"rtl/operators", "rtl/core"})
        for (const auto& entry : fs::directory_iterator(source / folder))
            if (entry.path().extension() == ".sv") files.push_back(entry.path());
    files.push_back(source / "rtl/mantissa.svh");
    for (const char* name : {"sim/model/model_top.sv", "sim/model/model.cpp", "sim/model/model_abi.h"})
        files.push_back(source / name);
    std::sort(files.begin(), files.end());
    return files;
}

std::string quoted(const fs::path& path) {
    return "'" + path.string() + "'";
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
            throw std::runtime_error(
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

void run_step(const std::string& command, const fs::path& log, const char* what) {
    const int status = std::system(fmt::format("( {} ) >> {} 2>&1", command, quoted(log)).c_str());
    if (status != 0)
        throw std::runtime_error(fmt::format("simulation model: {} failed; the log is {}", what, log.string()));
}

} // namespace

BuildProgress terminal_progress() {
    if (::isatty(2) == 0) return {};
    return [](const std::string& line, double seconds) { fmt::print(stderr, "rtl: {} ({:.0f} s)\n", line, seconds); };
}

std::string model_key(const ModelRequest& request, const ModelCacheOptions& options) {
    Hash hash;
    const fs::path source = source_folder(options);
    for (const fs::path& file : model_sources(source)) {
        hash(file.filename().string());
        hash(slurp(file));
    }
    hash(verilator_version());
    hash(first_line(compiler() + " --version"));
    hash(kVerilatorFlags);
    hash(kCompilerFlags);
    CoreParameters sorted = request.parameters;
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [name, value] : sorted) hash(fmt::format("{}={}", name, value));
    hash(request.trace ? "trace" : "plain");
    return hash.text();
}

std::string build_model(const ModelRequest& request, const ModelCacheOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const auto report = [&](const std::string& line) {
        if (!options.progress) return;
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        options.progress(line, seconds.count());
    };
    if (verilator_version().empty())
        throw InvalidInput("verilator cannot be run, and the rtl engine needs it to build its models; install "
                           "Verilator 5.006 or later (apt install verilator) or set VERILATOR");
    const fs::path folder = cache_folder(options);
    const std::string key = model_key(request, options);
    const fs::path model = folder / (key + ".so");
    if (fs::exists(model)) return model;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw std::runtime_error(
            fmt::format("{}: cannot be made ({}); set MANTISSA_CACHE", folder.string(), error.message()));
    const FileLock lock(folder / (key + ".lock"));
    if (fs::exists(model)) return model; // another process was first

    const fs::path source = source_folder(options);
    const fs::path work = folder / (key + ".build");
    fs::remove_all(work);
    fs::create_directories(work);
    const fs::path log = folder / (key + ".log");
    fs::remove(log);

    std::string verilate =
        fmt::format("{} {} --Mdir {} --prefix Vmodel --top-module model_top -I{} -y {} -y {} {}", verilator_command(),
                    kVerilatorFlags, quoted(work), quoted(source / "rtl"), quoted(source / "rtl/operators"),
                    quoted(source / "rtl/core"), quoted(source / "sim/model/model_top.sv"));
    if (request.trace) verilate += " --trace-fst --trace-structs";
    for (const auto& [name, value] : request.parameters) verilate += fmt::format(" -G{}={}", name, value);
    report("verilating the core (model " + key + ")");
    run_step(verilate, log, "verilator");

    const std::string root = first_line(verilator_command() + " --getenv VERILATOR_ROOT");
    const fs::path include = fs::path(root) / "include";
    std::string sources = quoted(source / "sim/model/model.cpp") + " " + quoted(include / "verilated.cpp") + " " +
                          quoted(include / "verilated_threads.cpp");
    if (request.trace) sources += " " + quoted(include / "verilated_fst_c.cpp");
    for (const auto& entry : fs::directory_iterator(work))
        if (entry.path().extension() == ".cpp") sources += " " + quoted(entry.path());
    const std::string flags = fmt::format(
        "-std=c++20 -fPIC -fvisibility=hidden -w {} -DMANTISSA_LANES={} {} -DVL_TIME_CONTEXT -I{} -I{} -I{} -I{}",
        request.trace ? "-O1" : kCompilerFlags, lanes_of(request),
        request.trace ? "-DMANTISSA_TRACE -DVM_TRACE=1 -DVM_TRACE_FST=1" : "-DVM_TRACE=0", quoted(work),
        quoted(include), quoted(include / "vltstd"), quoted(source / "sim/model"));
    report("compiling the model");
    const fs::path fresh = folder / (key + ".new");
    run_step(fmt::format("{} -shared {} -o {} {} -pthread {}", compiler(), flags, quoted(fresh), sources,
                         request.trace ? "-lz" : ""),
             log, "the C++ compiler");
    fs::rename(fresh, model);
    fs::remove_all(work);
    fs::remove(log);
    report("model ready");
    return model;
}

} // namespace mantissa::sim
