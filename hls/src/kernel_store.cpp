// Kernels by name: built in, or a shared object compiled once for each and kept.
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
#include "mantissa/base/quoted.hpp"
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

/// All that a kernel is made from: its name and the kernel's sources, the compiler, its options and the processor.
base::HashName name_of(const std::string& kernel, const fs::path& folder, const std::string& compiler) {
    base::HashName name;
    name.add(kernel).add(compiler);
    for (const fs::path& sources : {folder / "mantissa_hls", folder / "mantissa_hls" / "sparse"})
        for (const fs::path& file : base::files_in(sources, ".hpp"))
            name.add(file.filename().string()).add(base::read_text(file.string()));
    for (const std::string& option : compile_options()) name.add(option);
    std::ifstream cpu("/proc/cpuinfo"); // the options say "this processor"
    for (std::string line; std::getline(cpu, line);)
        if (line.starts_with("flags") || line.starts_with("Features")) return name.add(line);
    return name;
}

const Kernel* open(const fs::path& file, const std::string& name) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto function = reinterpret_cast<KernelFunction>(dlsym(library, kSymbol));
    const Kernel* kernel = function != nullptr ? function() : nullptr;
    if (kernel == nullptr || kernel->abi != mantissa_hls::kAbi || name != kernel->name) {
        dlclose(library);
        return nullptr;
    }
    return kernel;
}

const Kernel& compile(const DatapathSpec& spec, System::Kind kind, Recurrence recurrence, const std::string& name) {
    const fs::path folder = kernel_folder();
    if (!fs::exists(folder / "mantissa_hls" / "instantiate.hpp"))
        throw InvalidInput(
            fmt::format("engine 'hls': the kernel's sources are not in {}; set MANTISSA_HLS_KERNEL to the "
                        "folder hls/kernel, or use a built-in datapath such as {}",
                        folder.string(), builtin_kernels().front()));
    const std::string compiler = base::environment_or("CXX", MANTISSA_HLS_COMPILER);
    const base::HashedCache cache(base::cache_root() / "hls", ".so");
    const fs::path object = cache.get(name_of(name, folder, compiler), [&](const fs::path& work,
                                                                           const fs::path& fresh) {
        const fs::path source = work / "kernel.cpp", log = work / "log";
        base::write_file(source.string(), kernel_source(spec, kind, recurrence, kSymbol));
        const base::ProcessResult result =
            run_compiler(compiler, folder.string(), source.string(), fresh.string(), log.string(), name);
        if (result.ok) return;
        if (const std::string full = base::full_disk(log.string(), "MANTISSA_CACHE"); !full.empty())
            throw ToolFailure(fmt::format("engine 'hls': compiling the kernel of '{}' failed: {}", name, full));
        throw ToolFailure(fmt::format("engine 'hls': compiling the kernel of '{}' with {} failed ({}); set CXX to a "
                                      "C++20 compiler, or use a built-in datapath such as {}",
                                      name, compiler, base::shortened(base::why_failed(result, log.string()), 300),
                                      builtin_kernels().front()));
    });
    const Kernel* kernel = open(object, name);
    if (kernel == nullptr)
        throw ToolFailure(
            fmt::format("engine 'hls': the kernel {} cannot be loaded; remove it and try again", object.string()));
    return *kernel;
}

} // namespace

const Kernel& kernel_for(const DatapathSpec& spec, System::Kind kind, Recurrence recurrence) {
    static std::mutex mutex;
    static std::map<std::string, const Kernel*> known;
    const std::lock_guard lock(mutex);
    const std::string name = kernel_name(spec, kind, recurrence);
    const Kernel*& kernel = known[name];
    if (kernel == nullptr) kernel = builtin_kernel(name);
    if (kernel == nullptr) kernel = &compile(spec, kind, recurrence, name);
    return *kernel;
}

} // namespace mantissa::hls
