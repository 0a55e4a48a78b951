// Running the C++ compiler without a shell.
#pragma once

#include <string>
#include <vector>

#include "mantissa/base/process.hpp"

namespace mantissa::hls {

/// The options that every kernel is compiled with.
std::vector<std::string> compile_options();

/// Compiles `source` into the shared object `object`; the compiler's messages go to `log`.
base::ProcessResult run_compiler(const std::string& compiler, const std::string& include, const std::string& source,
                                 const std::string& object, const std::string& log, const std::string& spec);

} // namespace mantissa::hls
