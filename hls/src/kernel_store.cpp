// Kernels by spec: built in, or a shared object compiled once per spec and kept.
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include <dlfcn.h>
#include <fmt/format.h>

#include "builtin.hpp"
#include "compile.hpp"
#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/hls/kernel.hpp"

namespace mantissa::hls {

namespace {

namespace fs = std::filesystem;
using mantissa_hls::Kernel;
using KernelFunction = const Kernel* (*)();
constexpr const char* kSymbol = "mantissa_hls_kernel";

/// The folder that holds mantissa_hls/.
fs::path kernel_folder() {
    return base::environment_or("MANTISSA_HLS_KERNEL", MANTISSA_HLS_KERNEL_FOLDER);
}

/// All that a kernel is made from: its spec and the kernel's sources, the compiler, its options and the processor.
base::HashName name_of(const std::string& spec, const fs::path& folder, const std::string& compiler) {
    base::HashName name;
    name.add(spec).add(compiler);
    for (const fs::path& file : base::files_in(folder / "mantissa_hls", ".hpp"))
        name.add(file.filename().string()).add(base::read_text(file.string()));
    for (const std::string& option : compile_options()) name.add(option);
    std::ifstream cpu("/proc/cpuinfo"); // the options say "this processor"
    for (std::string line; std::getline(cpu, line);)
        if (line.starts_with("flags") || line.starts_with("Features")) return name.add(line);
    return name;
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
    const std::string compiler = base::environment_or("CXX", MANTISSA_HLS_COMPILER);
    const base::HashedCache cache(base::cache_root() / "hls", ".so");
    const fs::path object =
        cache.get(name_of(text, folder, compiler), [&](const fs::path& work, const fs::path& fresh) {
            const fs::path source = work / "kernel.cpp", log = work / "log";
            base::write_file(source.string(), kernel_source(spec, kSymbol));
            const CompileResult result =
                run_compiler(compiler, folder.string(), source.string(), fresh.string(), log.string(), text);
            if (result.ok) return;
            const std::string said = fs::exists(log) ? base::read_text(log.string()).substr(0, 300) : "";
            throw ToolFailure(
                fmt::format("engine 'hls': compiling the kernel of '{}' with {} failed ({}): {}; set CXX to a "
                            "C++20 compiler, or use a built-in datapath such as {}",
                            text, compiler, result.why, said.substr(0, said.find('\n')), builtin_specs().front()));
        });
    const Kernel* kernel = open(object, text);
    if (kernel == nullptr)
        throw ToolFailure(
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
