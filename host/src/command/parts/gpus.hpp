// mantissa solve --gpus and --devices: one solve over several GPUs of this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/parts/parts.hpp"
#include "mantissa/partition/cuts.hpp"

namespace mantissa::cli {

void add_gpu_options(CLI::App& app, GpuFlags& flags);

/// The numbers of --devices; empty where none was given. Throws InvalidInput where they are none, are more than eight
/// or do not go with --gpus.
[[nodiscard]] std::vector<int> devices_of(const GpuFlags& flags);
/// Is the solve to go over GPUs?
[[nodiscard]] bool on_gpus(const GpuFlags& flags);
/// The engine gpu over them; with --gpus alone over one of them where that is faster, which `note` tells. Throws
/// InvalidInput where the options do not fit together, where this build has no CUDA and where a device is not there.
std::unique_ptr<Engine> make_gpus_engine(const std::string& name, const GpuFlags& flags, CutMethod method,
                                         const std::shared_ptr<PickNote>& note);
/// "2 parts on GPUs, cut in strips: a part sends ...", and where devices are named, whether one GPU alone would be
/// faster.
std::string gpus_in_words(const GpuFlags& flags, const System& system, const SolveOptions& options, CutMethod method);

} // namespace mantissa::cli
