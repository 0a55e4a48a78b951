// The measurements for the figures of Galoppo, Govindaraju, Henson and Manocha (SC 2005), on this device and its
// host's processor, in one run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mantissa::gpu {

struct LuFiguresRequest {
    std::vector<std::uint64_t> sizes = {256,  512,  1024, 1500, 2048,
                                        3000, 3500, 4096, 8192};                        ///< of the paper's algorithms
    std::vector<std::uint64_t> full_sizes = {512, 1024, 2048, 3000, 3500, 8192, 16384}; ///< of today's full pivoting
    std::vector<std::uint64_t> multiprocessor_sizes = {1024, 2048, 4096}; ///< of runs on some multiprocessors
    std::uint64_t counted_to = 4096;                                      ///< traffic is counted for sizes up to here
    std::uint64_t processor_full_to = 2048;                               ///< LAPACK's getc2 for sizes up to here
    int repeats = 5;                                                      ///< of every time; the median counts
};

/// One JSON object; gpu/results/README.md has its shape. `say` gets one line for each step. Throws DeviceError.
std::string run_lu_figures(const LuFiguresRequest& request, const std::string& commit, const std::string& date,
                           const std::function<void(const std::string&)>& say = {});

} // namespace mantissa::gpu
