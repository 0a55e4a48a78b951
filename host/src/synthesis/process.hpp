// Running another program without a shell. Internal to host/.
#pragma once

#include <string>
#include <vector>

namespace mantissa::detail {

struct ProcessOutcome {
    bool started = false; ///< false: there is no such program
    int code = -1;        ///< exit code; 128 + signal when killed
};

/// Runs argv[0] (looked up in PATH) in `folder` with both outputs into the file `log`, and waits for it.
ProcessOutcome run_process(const std::vector<std::string>& argv, const std::string& folder, const std::string& log);

} // namespace mantissa::detail
