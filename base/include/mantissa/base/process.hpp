// Running tools (compilers, Verilator, yosys) without a shell: argument vectors, output into a log file.
//
// Each tool runs in a process group of its own under a small supervisor. When this program ends, however it ends, the
// supervisor ends the whole group; so no compiler is left behind by a program that was killed. README.md says why this
// is not Boost.Process.
#pragma once

#include <string>
#include <vector>

namespace mantissa::base {

struct ProcessResult {
    bool ok = false;
    std::string why;        ///< when not ok: how it ended or why it could not start
    bool timed_out = false; ///< it was ended after the time that it was given
};

/// Runs words[0] (looked up on PATH) with the other words as arguments, in `folder` or where this program runs, and
/// waits for it. Standard output and error are appended to `log`; standard input is empty; TMPDIR is the folder of
/// `log`, which should be a temporary one. `label` says what the run is
/// for ("yosys, core s17e8 on xc2v"); running_steps() shows it, and a later run with the same label is expected to take
/// as long. Without one it is the program's name. Where the tool still runs after `seconds`, rounded up to a whole one
/// and none where that is 0, its group is ended, and `why` says so. Safe to call from several threads.
ProcessResult run_process(std::vector<std::string> words, const std::string& log, const std::string& folder = {},
                          const std::string& label = {}, double seconds = 0);

/// Why a tool failed: the first line of its log that names an error, else the last one; `result.why` where it said
/// nothing.
std::string why_failed(const ProcessResult& result, const std::string& log);

/// Where a tool failed since the disk of `log`'s folder was full: that, the folder, and `variable` (MANTISSA_CACHE,
/// TMPDIR), which may name another; by what the log says, or since next to nothing is free. Empty where that is not why.
std::string full_disk(const std::string& log, const std::string& variable);

/// The first line that a command prints on standard output; empty when it cannot be run or fails.
std::string first_line_of(std::vector<std::string> words);

/// Splits at white space: what an environment variable such as CXX="ccache g++" means, without a shell.
std::vector<std::string> split_words(const std::string& text);

} // namespace mantissa::base
