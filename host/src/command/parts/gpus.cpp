#include "command/parts/gpus.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/registry.hpp"
#ifdef MANTISSA_GPU
#include "command/options/declare.hpp"
#include "mantissa/gpu/engine.hpp"
#endif

namespace mantissa::cli {

namespace {

std::uint32_t count_of(const GpuFlags& flags) {
    const std::vector<int> devices = devices_of(flags);
    return devices.empty() ? flags.count : static_cast<std::uint32_t>(devices.size());
}

} // namespace

std::vector<int> devices_of(const GpuFlags& flags) {
    std::vector<int> devices;
    for (std::size_t at = 0; !flags.devices.empty();) {
        const std::size_t end = std::min(flags.devices.find(',', at), flags.devices.size());
        const std::string word = flags.devices.substr(at, end - at);
        if (word.empty() || word.size() > 4 || word.find_first_not_of("0123456789") != std::string::npos)
            throw InvalidInput(fmt::format("--devices {}: give numbers of GPUs with commas between them, as 0,1; the "
                                           "same one may stand there several times",
                                           flags.devices));
        devices.push_back(std::stoi(word));
        if (end == flags.devices.size()) break;
        at = end + 1;
    }
    if (const double most = options::common(Common::gpus).high; static_cast<double>(devices.size()) > most)
        throw InvalidInput(fmt::format("--devices {}: {} parts; give at most {}", flags.devices, devices.size(), most));
    if (flags.count != 0 && !devices.empty() && devices.size() != flags.count)
        throw InvalidInput(fmt::format("--gpus {} --devices {}: the list names {}; leave --gpus out, or name as many",
                                       flags.count, flags.devices, devices.size()));
    return devices;
}

void add_gpu_options(CLI::App& app, GpuFlags& flags) {
    declare(app, Common::gpus, flags.count);
    declare(app, Common::devices, flags.devices);
}

bool on_gpus(const GpuFlags& flags) {
    return flags.count != 0 || !flags.devices.empty();
}

std::unique_ptr<Engine> make_gpus_engine(const std::string& name, const GpuFlags& flags, CutMethod method,
                                         const std::shared_ptr<PickNote>& note) {
    if (name != "gpu")
        throw InvalidInput(fmt::format("--engine {}: --gpus and --devices are of the engine gpu; give --engine gpu or "
                                       "leave them out",
                                       name));
    const std::vector<int> devices = devices_of(flags);
    if (flags.count == 1 && devices.empty()) return make_engine(name); // a whole system on the one device
#ifdef MANTISSA_GPU
    if (!devices.empty()) return make_parted_gpu_engine(devices, method);
    const std::vector<int> spread = spread_devices(static_cast<int>(flags.count));
    const std::set<int> distinct(spread.begin(), spread.end());
    if (distinct.size() < spread.size())
        throw InvalidInput(
            fmt::format("--gpus {}: there {} {} here; give fewer, or several parts to a GPU by --devices, "
                        "as 0,0",
                        flags.count, distinct.size() == 1 ? "is" : "are", distinct.size()));
    return make_picked_engine(make_engine(name), make_parted_gpu_engine(spread, method), one_chip_holds,
                              fmt::format("{} GPUs", flags.count), note);
#else
    static_cast<void>(method);
    static_cast<void>(note);
    return make_engine(name); // which says what is missing
#endif
}

std::string gpus_in_words(const GpuFlags& flags, const System& system, const SolveOptions& options, CutMethod method) {
    const std::uint32_t parts = count_of(flags);
    const std::string where = flags.devices.empty() ? std::string() : fmt::format(" (devices {})", flags.devices);
    if (flags.count == 1 && flags.devices.empty()) return "one GPU";
    if (options.preconditioner) // (a cycle's levels each have a volume of their own)
        return fmt::format("{} on GPUs{}, cut in strips", parts == 1 ? "1 part" : fmt::format("{} parts", parts),
                           where);
    if (const auto* const rows = std::get_if<CompressedRows>(&system.matrix())) {
        const PartitionVolume v = volume(cut(*rows, parts, method));
        return fmt::format("{} parts on GPUs{}, cut by {}: a part sends {} elements of p a pass at most, receives {}, "
                           "and has {:.1f} % more entries than the mean",
                           parts, where, to_string(method), v.most_sent, v.most_received, 100 * v.nonzero_imbalance);
    }
    const std::size_t edge = system.row_length() + 1;
    std::string faster;
#ifdef MANTISSA_GPU
    if (!flags.devices.empty() && one_chip_holds(system, options.spec))
        faster = "; one GPU holds all of it on its chip and is faster, without --devices";
#else
    static_cast<void>(options);
#endif
    return fmt::format("{} parts on GPUs{}, cut in strips: a part sends {} elements of p a pass at most{}", parts,
                       where,
                       parts > 2   ? 2 * edge
                       : parts > 1 ? edge
                                   : 0,
                       faster);
}

} // namespace mantissa::cli
