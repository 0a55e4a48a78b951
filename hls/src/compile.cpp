#include "compile.hpp"

#include <filesystem>

namespace mantissa::hls {

std::vector<std::string> compile_options() {
    return {"-std=c++20", "-O3", "-march=native", "-fPIC", "-fvisibility=hidden", "-shared", "-w"};
}

base::ProcessResult run_compiler(const std::string& compiler, const std::string& include, const std::string& source,
                                 const std::string& object, const std::string& log, const std::string& spec) {
    std::vector<std::string> words{compiler};
    for (std::string& option : compile_options()) words.push_back(std::move(option));
    words.insert(words.end(), {"-I" + include, source, "-o", object});
    std::error_code ignored;
    std::filesystem::remove(log, ignored);
    return base::run_process(std::move(words), log, {}, "compiling the kernel of " + spec);
}

} // namespace mantissa::hls
