// Kernels by spec: built in, or a shared object compiled once per spec and kept.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>

#include "builtin.hpp"
#include "compile.hpp"
#include "mantissa/base/temporary_folder.hpp"
#include "mantissa/hls/kernel.hpp"

namespace mantissa::hls {

namespace {

namespace fs = std::filesystem;
using mantissa_hls::Kernel;
using KernelFunction = const Kernel* (*)();
constexpr const char* kSymbol = "mantissa_hls_kernel";

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

/// The folder that holds mantissa_hls/.
fs::path kernel_folder() {
    if (const char* set = environment("MANTISSA_HLS_KERNEL")) return set;
    return MANTISSA_HLS_KERNEL_FOLDER;
}

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// FNV-1a, 64 bits: names a cache entry, no more.
std::uint64_t hash(std::string_view text, std::uint64_t h = 0xCBF29CE484222325) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return h;
}

/// The kernel's sources, the compiler and the processor, as one number.
std::uint64_t environment_hash(const fs::path& folder, const std::string& compiler) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / "mantissa_hls"))
        if (entry.path().extension() == ".hpp") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::uint64_t h = hash(compiler);
    for (const fs::path& f : files) h = hash(read(f), h);
    for (const std::string& option : compile_options()) h = hash(option, h);
    std::ifstream cpu("/proc/cpuinfo"); // the options say "this processor"
    for (std::string line; std::getline(cpu, line);)
        if (line.starts_with("flags") || line.starts_with("Features")) return hash(line, h);
    return h;
}

const Kernel* open(const fs::path& file, const std::string& spec) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto function = reinterpret_cast<KernelFunction>(dlsym(library, kSymbol));
    const Kernel* kernel = function != nullptr ? function() : nullptr;
    if (kernel == nullptr || kernel->abi != mantissa_hls::kAbi || spec != kernel->spec) {
        dlclose(library);
        return nullptr;
    }
    return kernel;
}

const Kernel& compile(const DatapathSpec& spec, const std::string& text) {
    const fs::path folder = kernel_folder();
    if (!fs::exists(folder / "mantissa_hls" / "instantiate.hpp"))
        throw InvalidInput(
            fmt::format("engine 'hls': the kernel's sources are not in {}; set MANTISSA_HLS_KERNEL to the "
                        "folder hls/kernel, or use a built-in datapath such as {}",
                        folder.string(), builtin_specs().front()));
    const std::string compiler = environment("CXX") ? environment("CXX") : MANTISSA_HLS_COMPILER;
    const fs::path cache = base::cache_root() / "hls";
    const std::string name = fmt::format("{:016x}", hash(text, environment_hash(folder, compiler)));
    const fs::path object = cache / (name + ".so");
    if (const Kernel* kernel = open(object, text)) return *kernel;

    base::make_cache_folder(cache);
    // In a folder of this process's own first: another may be compiling the same kernel.
    const base::TemporaryFolder work(cache, "compiling", "set MANTISSA_CACHE to a folder that can be written");
    const fs::path source = work.path() / (name + ".cpp"), made = work.path() / (name + ".so"),
                   log = work.path() / "log";
    std::ofstream(source) << kernel_source(spec, kSymbol);
    const CompileResult result =
        run_compiler(compiler, folder.string(), source.string(), made.string(), log.string(), text);
    if (!result.ok) {
        const std::string first_line = read(log).substr(0, 300);
        throw InvalidInput(fmt::format(
            "engine 'hls': compiling the kernel of '{}' with {} failed ({}): {}; set CXX to a "
            "C++20 compiler, or use a built-in datapath such as {}",
            text, compiler, result.why, first_line.substr(0, first_line.find('\n')), builtin_specs().front()));
    }
    fs::rename(made, object);
    const Kernel* kernel = open(object, text);
    if (kernel == nullptr)
        throw InvalidInput(
            fmt::format("engine 'hls': the kernel {} cannot be loaded; remove it and try again", object.string()));
    return *kernel;
}

} // namespace

const Kernel& kernel_for(const DatapathSpec& spec) {
    static std::mutex mutex;
    static std::map<std::string, const Kernel*> known;
    const std::lock_guard lock(mutex);
    const std::string text = to_string(spec);
    const Kernel*& kernel = known[text];
    if (kernel == nullptr) kernel = builtin_kernel(text);
    if (kernel == nullptr) kernel = &compile(spec, text);
    return *kernel;
}

} // namespace mantissa::hls
