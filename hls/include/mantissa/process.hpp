// Running tools (compilers, Verilator, yosys) without a shell: argument vectors, output into a log file.
#pragma once

#include <string>
#include <vector>

namespace mantissa {

struct ProcessResult {
    bool ok = false;
    std::string why; ///< when not ok: how it ended or why it could not start
};

/// Runs words[0] (looked up on PATH) with the other words as arguments, in `folder` or where this program runs, and
/// waits for it. Standard output and error are appended to `log`; standard input is empty.
ProcessResult run_process(std::vector<std::string> words, const std::string& log, const std::string& folder = {});

/// The first line that a command prints on standard output; empty when it cannot be run or fails.
std::string first_line_of(std::vector<std::string> words);

/// Splits at white space: what an environment variable such as CXX="ccache g++" means, without a shell.
std::vector<std::string> split_words(const std::string& text);

} // namespace mantissa
