// Build tool: writes the sources of the built-in kernels.
//     hls_generate kernel SYMBOL NAME FILE            one kernel
//     hls_generate table FILE ISA... -- NAME...       the table over all, kernel k of instruction set I being
//                                                     mantissa_hls_I_k
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "mantissa/hls/kernel.hpp"

namespace {

/// When a processor runs an instruction set's build. MANTISSA_ISA can ask for less, as for the emulated engine.
std::string condition(const std::string& isa) {
    const std::string avx2 = "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && "
                             "__builtin_cpu_supports(\"bmi2\")";
    if (isa == "avx512")
        return "wanted != \"baseline\" && wanted != \"avx2\" && " + avx2 +
               " && __builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512cd\") && "
               "__builtin_cpu_supports(\"avx512bw\") && __builtin_cpu_supports(\"avx512dq\") && "
               "__builtin_cpu_supports(\"avx512vl\")";
    if (isa == "avx2") return "wanted != \"baseline\" && " + avx2;
    return "true";
}

void table(std::ofstream& out, const std::vector<std::string>& isas, const std::vector<std::string>& names) {
    out << "#include <cstdlib>\n#include \"builtin.hpp\"\n#include \"mantissa/hls/kernel.hpp\"\n";
    for (const std::string& isa : isas)
        for (std::size_t k = 0; k < names.size(); ++k)
            out << "extern \"C\" const mantissa_hls::Kernel* mantissa_hls_" << isa << "_" << k << "();\n";
    out << "namespace mantissa::hls {\nconst mantissa_hls::Kernel* builtin_kernel(const std::string& name) {\n";
    out << "    const char* set = std::getenv(\"MANTISSA_ISA\");\n"
           "    [[maybe_unused]] const std::string wanted = set != nullptr ? set : \"\";\n";
    for (const std::string& isa : isas) { // the widest first
        out << "    if (" << condition(isa) << ") {\n";
        for (std::size_t k = 0; k < names.size(); ++k)
            out << "        if (name == \"" << names[k] << "\") return mantissa_hls_" << isa << "_" << k << "();\n";
        out << "        return nullptr;\n    }\n";
    }
    out << "    return nullptr;\n}\nstd::vector<std::string> builtin_kernels() {\n    return {";
    for (const std::string& name : names) out << "\n        \"" << name << "\",";
    out << "};\n}\n} // namespace mantissa::hls\n";
}

} // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    try {
        if (arguments.size() == 4 && arguments[0] == "kernel") {
            const auto [spec, kind, recurrence] = mantissa::hls::parse_kernel_name(arguments[2]);
            std::ofstream(arguments[3]) << mantissa::hls::kernel_source(spec, kind, recurrence, arguments[1]);
            return 0;
        }
        if (arguments.size() > 3 && arguments[0] == "table") {
            std::vector<std::string> isas, names;
            bool after_dashes = false;
            for (std::size_t k = 2; k < arguments.size(); ++k) {
                if (arguments[k] == "--") after_dashes = true;
                else if (!after_dashes) isas.push_back(arguments[k]);
                else {
                    const auto [spec, kind, recurrence] = mantissa::hls::parse_kernel_name(arguments[k]);
                    names.push_back(mantissa::hls::kernel_name(spec, kind, recurrence));
                }
            }
            std::ofstream out(arguments[1]);
            table(out, isas, names);
            return 0;
        }
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "hls_generate: %s\n", fault.what());
        return 2;
    }
    std::fprintf(stderr, "usage: hls_generate kernel SYMBOL NAME FILE | table FILE ISA... -- NAME...\n");
    return 2;
}
