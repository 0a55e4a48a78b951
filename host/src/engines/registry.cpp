#include "mantissa/host/registry.hpp"

#include <chrono>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

// The build defines MANTISSA_ENGINE_* for each engine library that it links; each library defines its factory.
#ifdef MANTISSA_ENGINE_HLS
std::unique_ptr<Engine> make_hls_engine();
#endif
#ifdef MANTISSA_ENGINE_SYSTEMC
std::unique_ptr<Engine> make_systemc_engine();
#endif
#ifdef MANTISSA_ENGINE_RTL
std::unique_ptr<Engine> make_rtl_engine();
#endif
#ifdef MANTISSA_ENGINE_GPU
std::unique_ptr<Engine> make_gpu_engine();
std::function<LuFactors(const LuSpec&, const DenseMatrix&)> make_gpu_lu_factor(double* seconds);
MakeNativeLu make_gpu_native_lu();
#endif

namespace {

struct Known {
    std::string_view name;
    std::string_view description; ///< for an engine that is not here
    std::string_view missing;     ///< why this build may lack it, and the mend
    std::unique_ptr<Engine> (*make)();
};

#ifdef MANTISSA_ENGINE_HLS
constexpr auto kMakeHls = make_hls_engine;
#else
constexpr std::unique_ptr<Engine> (*kMakeHls)() = nullptr;
#endif
#ifdef MANTISSA_ENGINE_SYSTEMC
constexpr auto kMakeSystemc = make_systemc_engine;
#else
constexpr std::unique_ptr<Engine> (*kMakeSystemc)() = nullptr;
#endif
#ifdef MANTISSA_ENGINE_RTL
constexpr auto kMakeRtl = make_rtl_engine;
#else
constexpr std::unique_ptr<Engine> (*kMakeRtl)() = nullptr;
#endif
#ifdef MANTISSA_ENGINE_GPU
constexpr auto kMakeGpu = make_gpu_engine;
#else
constexpr std::unique_ptr<Engine> (*kMakeGpu)() = nullptr;
#endif

// What mends it: the Python package leaves two engines to the program, and the kernels to who builds it with them.
#ifdef MANTISSA_OF_PYTHON
constexpr const char *kNoHls = "the Python package has none: the program mantissa has it", *kNoSystemc = kNoHls,
                     *kNoGpu =
                         "this Python package was built without CUDA: build it with MANTISSA_CUDA=ON, or take the "
                         "program mantissa";
#else
constexpr const char *kNoHls = "this build has no hls library: build a source tree with the hls folder",
                     *kNoSystemc = "built without SystemC: install libsystemc-dev and build again",
                     *kNoGpu = "built without CUDA: install the CUDA toolkit and build again";
#endif

constexpr Known kKnown[] = {
    {"emulated", "vectorised C++ emulation on this processor", "", [] { return make_emulated_engine(); }},
    {"hls", "the HLS-style C++ datapath", kNoHls, kMakeHls},
    {"systemc", "the HLS datapath as timed SystemC processes", kNoSystemc, kMakeSystemc},
    {"rtl", "the SystemVerilog core under Verilator", "built without Verilator: install verilator and build again",
     kMakeRtl},
    {"gpu", "CUDA emulation on a graphics processor", kNoGpu, kMakeGpu},
};

} // namespace

std::vector<EngineEntry> list_engines() {
    std::vector<EngineEntry> entries;
    for (const Known& known : kKnown) {
        EngineEntry entry{std::string(known.name), std::string(known.description), std::string(known.missing)};
        if (known.make != nullptr) {
            try {
                entry.description = known.make()->description();
                entry.missing.clear();
            } catch (const std::runtime_error& fault) { // built, but its device (InvalidInput) or tool is not here
                entry.missing = fault.what();
            }
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::unique_ptr<Engine> make_engine(std::string_view name) {
    std::string names;
    for (const Known& known : kKnown) {
        if (known.name == name) {
            if (known.make == nullptr)
                throw InvalidInput(fmt::format("engine '{}': {}; or use engine 'emulated'", name, known.missing));
            return known.make();
        }
        names += names.empty() ? "" : ", ";
        names += known.name;
    }
    throw InvalidInput(fmt::format("engine {}: no such engine; the engines are {}", base::quoted(name), names));
}

LuFactor make_lu_factor(std::string_view engine, int threads, double* seconds) {
    if (engine == "emulated")
        return [threads, seconds](const LuSpec& spec, const DenseMatrix& a) {
            const auto start = std::chrono::steady_clock::now();
            LuFactors factors = factor(spec, a, threads);
            if (seconds != nullptr)
                *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            return factors;
        };
    for (const Known& known : kKnown) {
        if (known.name != engine) continue;
        if (engine != "gpu")
            throw InvalidInput(fmt::format("engine '{}': it has no dense systems; use engine emulated or gpu", engine));
#ifdef MANTISSA_ENGINE_GPU
        return make_gpu_lu_factor(seconds);
#else
        throw InvalidInput(fmt::format("engine 'gpu': {}; or use engine 'emulated'", known.missing));
#endif
    }
    throw InvalidInput(
        fmt::format("engine {}: no such engine; dense systems have emulated and gpu", base::quoted(engine)));
}

MakeNativeLu make_native_lu(std::string_view engine) {
#ifdef MANTISSA_ENGINE_GPU
    if (engine == "gpu") return make_gpu_native_lu();
#endif
    static_cast<void>(make_lu_factor(engine)); // (throws where there is no such engine)
    return {};
}

} // namespace mantissa
