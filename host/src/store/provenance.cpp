#include "mantissa/host/provenance.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#include <sys/utsname.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "mantissa_commit.hpp"

namespace mantissa {

namespace {

std::string machine_name() {
    struct utsname names {};
    ::uname(&names);
    std::string processor = names.machine;
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) {
            const auto colon = line.find(": ");
            if (colon != std::string::npos) processor = line.substr(colon + 2);
            break;
        }
    return fmt::format("{}, {}, {} threads", names.nodename, processor, std::thread::hardware_concurrency());
}

} // namespace

Provenance current_provenance(const std::string& command) {
    static const std::string machine = machine_name();
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return {MANTISSA_VERSION, MANTISSA_COMMIT, machine, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)),
            command};
}

} // namespace mantissa
