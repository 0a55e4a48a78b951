#include "command/parts/rank_gpus.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mantissa/errors.hpp"
#ifdef MANTISSA_GPU
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/rank_cg.hpp"
#endif

namespace mantissa::cli {

namespace {

/// Do ranks of one machine see other GPUs each (as where a launcher sets CUDA_VISIBLE_DEVICES)?
bool each_sees_its_own(const std::vector<RankGpus>& ranks, const std::vector<std::size_t>& here) {
    std::vector<std::string> seen;
    for (const std::size_t rank : here) seen.insert(seen.end(), ranks[rank].device.begin(), ranks[rank].device.end());
    std::sort(seen.begin(), seen.end());
    return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The GPUs of one machine's ranks.
void place_here(const std::vector<RankGpus>& ranks, const std::vector<std::size_t>& here,
                const std::vector<int>& devices, std::vector<int>& device) {
    const RankGpus& first = ranks[here.front()];
    if (devices.empty() && here.size() > 1 && each_sees_its_own(ranks, here)) {
        for (const std::size_t rank : here) device[rank] = 0;
        return;
    }
    if (devices.empty() && here.size() > first.device.size())
        throw InvalidInput(
            fmt::format("--engine gpu: {} on machine {}, which has {}; start fewer there, or give several "
                        "ranks a GPU, as --devices 0,0 (they exchange by MPI)",
                        counted(here.size(), "rank"), first.name, counted(first.device.size(), "GPU")));
    if (!devices.empty() && devices.size() < here.size())
        throw InvalidInput(fmt::format("--devices: it names {}, and machine {} has {}; name one for each",
                                       counted(devices.size(), "GPU"), first.name, counted(here.size(), "rank")));
    for (std::size_t k = 0; k < here.size(); ++k) {
        const RankGpus& rank = ranks[here[k]];
        const int number = devices.empty() ? static_cast<int>(k) : devices[k];
        if (static_cast<std::size_t>(number) >= rank.device.size())
            throw InvalidInput(fmt::format("--devices: there is no GPU {} on machine {}, which has {}, counted from 0",
                                           number, rank.name, counted(rank.device.size(), "GPU")));
        device[here[k]] = number;
    }
}

/// Why NCCL cannot be used; empty where it can.
std::string nccl_refusal(const std::vector<RankGpus>& ranks, const std::vector<int>& device) {
    std::map<std::string, std::size_t> taken;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (!ranks[rank].no_nccl.empty()) return fmt::format("rank {}: {}", rank, ranks[rank].no_nccl);
        const std::string& gpu = ranks[rank].device[static_cast<std::size_t>(device[rank])];
        const auto [other, fresh] = taken.emplace(ranks[rank].machine + ' ' + gpu, rank);
        if (!fresh)
            return fmt::format("ranks {} and {} share GPU {} of machine {}, and NCCL wants one for each", other->second,
                               rank, device[rank], ranks[rank].name);
    }
    return {};
}

} // namespace

GpuPlaces place_ranks(const std::vector<RankGpus>& ranks, const std::vector<int>& devices,
                      std::optional<GpuExchange> asked) {
    std::map<std::string, std::vector<std::size_t>> machine;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (!ranks[rank].missing.empty())
            throw InvalidInput(
                fmt::format("--engine gpu: rank {} on machine {}: {}", rank, ranks[rank].name, ranks[rank].missing));
        machine[ranks[rank].machine].push_back(rank);
    }
    GpuPlaces places;
    places.device.assign(ranks.size(), 0);
    for (const auto& [id, here] : machine) place_here(ranks, here, devices, places.device);
    if (asked == GpuExchange::mpi) return places;
    std::string why = nccl_refusal(ranks, places.device);
    if (why.empty()) places.exchange = GpuExchange::nccl;
    else if (asked) throw InvalidInput(fmt::format("--exchange nccl: {}; take --exchange mpi", why));
    else places.why = std::move(why);
    return places;
}

std::vector<RankGpus> gpus_of_ranks(const running::Ranks& ranks) {
    RankGpus own;
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    char name[256] = {};
    static_cast<void>(::gethostname(name, sizeof name - 1));
    own.name = name;
    own.machine = boot.empty() ? own.name : boot;
#ifdef MANTISSA_GPU
    try {
        own.missing = gpu::device_missing();
        if (own.missing.empty()) own.device = gpu::visible_devices();
        own.no_nccl = gpu::nccl_missing();
    } catch (const std::exception& fault) {
        own.missing = fault.what();
    }
#else
    own.missing = "this Mantissa was built without CUDA";
#endif
    const nlohmann::json told = {{"machine", own.machine},
                                 {"name", own.name},
                                 {"device", own.device},
                                 {"missing", own.missing},
                                 {"no_nccl", own.no_nccl}};
    std::vector<RankGpus> all;
    for (const std::string& text : ranks.gather(told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) {
        const nlohmann::json j = nlohmann::json::parse(text);
        all.push_back({j.at("machine"), j.at("name"), j.at("device"), j.at("missing"), j.at("no_nccl")});
    }
    return all;
}

MakePartSolver on_rank_gpus(const GpuPlaces& places, const running::Ranks& ranks, double wait) {
#ifdef MANTISSA_GPU
    gpu::RankCgOptions options;
    options.device = places.device;
    options.exchange = places.exchange == GpuExchange::nccl ? gpu::RankExchange::nccl : gpu::RankExchange::host;
    options.wait = wait;
    if (ranks.count() > 1) options.silent = [&ranks] { ranks.give_up("another rank"); };
    return gpu::rank_cg(std::move(options));
#else
    static_cast<void>(places);
    static_cast<void>(ranks);
    static_cast<void>(wait);
    throw InvalidInput("--engine gpu: this Mantissa was built without CUDA");
#endif
}

} // namespace mantissa::cli
