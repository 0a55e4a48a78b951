#include "bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "bench/bench_samples.hpp"
#include "mantissa/gpu/parted_sparse.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "native/native.hpp"
#include "vendor_cg.hpp"

namespace mantissa::gpu {

namespace {

using Json = nlohmann::ordered_json;

struct Sample {
    int gpus;
    double bytes; ///< of the largest part's iteration
    double seconds;
};

/// Table 2.3's figures: contiguous parts of equal nonzeros, elements of float, KB of 1000 bytes.
Json communication(const CompressedRows& a) {
    Json list = Json::array();
    for (const std::uint32_t parts : {2U, 4U}) {
        const PartitionVolume v = volume(cut_contiguous(a, parts));
        list.push_back({{"parts", parts},
                        {"row_imbalance", v.row_imbalance},
                        {"most_sent_kb", 4e-3 * static_cast<double>(v.most_sent)},
                        {"most_received_kb", 4e-3 * static_cast<double>(v.most_received)}});
    }
    return list;
}

struct Entrant {
    int gpus = 1;
    std::shared_ptr<Peers> peers;
    std::unique_ptr<Partition> partition;
    std::unique_ptr<PartedSparse> solver;
    std::vector<PartedSparseTimes> times;
    std::vector<double> iterate;
    double equal_deal = 0; ///< seconds of an iteration before PartedSparse::balance()
};

/// Seconds that blocks take for their products: the least, the mean and the most.
Json block_spread(const std::vector<double>& blocks) {
    double sum = 0;
    for (const double b : blocks) sum += b;
    return {{"least", *std::ranges::min_element(blocks)},
            {"mean", sum / static_cast<double>(blocks.size())},
            {"most", *std::ranges::max_element(blocks)}};
}

Json describe(const Entrant& e, double one, const std::vector<double>& iterate) {
    std::vector<PartedSparseTimes> sorted = e.times;
    std::ranges::sort(sorted, {}, &PartedSparseTimes::iteration);
    const PartedSparseTimes& t = sorted[sorted.size() / 2];
    const PartitionVolume v = volume(*e.partition);
    return {{"gpus", e.gpus},
            {"seconds", t.iteration},
            {"speed_up", one / t.iteration},
            {"shares",
             {{"update", t.update / t.iteration},
              {"barrier", t.meet / t.iteration},
              {"product", t.product / t.iteration},
              {"exchange", t.ghosts / t.iteration},
              {"warps", t.warps / t.iteration},
              {"reduction", t.reduction / t.iteration}}},
            {"equal_deal_seconds", e.equal_deal},
            {"block_product", block_spread(t.block_product)},
            {"matrix_bytes", e.solver->matrix_bytes()},
            {"fill", e.solver->fill()},
            {"narrow", e.solver->narrow()},
            {"most_sent", v.most_sent},
            {"most_received", v.most_received},
            {"row_imbalance", v.row_imbalance},
            {"same_bits", e.iterate == iterate}};
}

void add_vendor(Json& to, const CompressedRows& a, const Entrant& e, bool single, int repeats, double ours) {
    std::vector<int> devices;
    for (int p = 0; p < e.gpus; ++p) devices.push_back(e.peers->device(p));
    try {
        const PartedVendorCg r = parted_vendor_cg(a, *e.partition, devices, single, 100, repeats);
        to["rival"] = {
            {"product", r.product}, {"seconds", r.seconds}, {"ratio", r.seconds / ours}, {"residual", r.residual}};
    } catch (const DeviceError& error) {
        to["rival"] = {{"absent", error.what()}};
    }
}

/// A solve as `mantissa solve --engine gpu --gpus` has it, preconditioned by the diagonal: blocks have equal entries
/// there, for a deal that is measured costs more than one solve gains by it.
void add_solve(Json& to, const Entrant& e, const CompressedRows& a, bool single,
               const PartedSparseBenchRequest& request) {
    const auto solver = make_native_sparse(a, single, {NativePlan::automatic, true}, {e.peers});
    const std::vector<std::vector<double>> ones(1, std::vector<double>(a.rows(), 1.0));
    std::vector<std::vector<double>> x;
    NativeReport r;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) { // (the first loads the kernels)
        r = solver->solve(ones, {single ? 1e-4 : request.tolerance, request.max_iterations}, x).front();
        if (i > 0) least = std::min(least, r.seconds);
    }
    to["solve"] = {{"plan", to_string(solver->plan().plan)},
                   {"end", to_string(end_of(r.end))},
                   {"iterations", r.iterations},
                   {"seconds", least},
                   {"true_residual", r.residual}};
}

Json bench_precision(const CompressedRows& a, bool single, const PartedSparseBenchRequest& request,
                     std::vector<Sample>& samples) {
    std::vector<Entrant> entrants;
    for (const int gpus : request.gpus) {
        Entrant e;
        e.gpus = gpus;
        e.peers = std::make_shared<Peers>(Peers::spread(gpus));
        e.partition = std::make_unique<Partition>(cut_contiguous(a, static_cast<std::uint32_t>(gpus), 2));
        e.solver = std::make_unique<PartedSparse>(
            a, *e.partition, *e.peers, single ? SparsePrecision::single_precision : SparsePrecision::double_precision);
        entrants.push_back(std::move(e));
    }
    for (Entrant& e : entrants) {
        e.equal_deal = e.solver->time_iterations(100).iteration; // warm, too
        e.solver->balance();
        e.solver->time_iterations(50, false, &e.iterate);
    }
    for (int i = 0; i < request.repeats; ++i)
        for (Entrant& e : entrants) e.times.push_back(e.solver->time_iterations(request.iterations));
    const auto seconds = [](const Entrant& e) {
        std::vector<double> list;
        for (const PartedSparseTimes& t : e.times) list.push_back(t.iteration);
        return median(list);
    };
    const double one = seconds(entrants.front());
    Json runs = Json::array();
    int best = 0;
    for (std::size_t k = 0; k < entrants.size(); ++k) {
        Entrant& e = entrants[k];
        Json entry = describe(e, one, entrants.front().iterate);
        if (seconds(e) < seconds(entrants[static_cast<std::size_t>(best)])) best = static_cast<int>(k);
        if (request.vendor) add_vendor(entry, a, e, single, request.repeats, seconds(e));
        if (request.max_iterations > 0) add_solve(entry, e, a, single, request);
        std::size_t most = 0;
        for (const Part& p : e.partition->parts()) most = std::max(most, p.row.size());
        const double vectors = 9.0 * (single ? 4 : 8) * static_cast<double>(most);
        samples.push_back({e.gpus, static_cast<double>(e.solver->matrix_bytes()) / e.gpus + vectors, seconds(e)});
        runs.push_back(std::move(entry));
    }
    Json result{{"arithmetic", single ? "float" : "double"}, {"runs", runs}};
    result["gpus_used"] = entrants[static_cast<std::size_t>(best)].gpus;
    if (best == 0 && entrants.size() > 1) result["why"] = "more GPUs were slower, so one is used";
    return result;
}

/// t = bytes / rate + sync(P) by least squares of relative errors: the rate by elimination of the syncs.
Json fit(const std::vector<Sample>& samples) {
    struct Sums {
        double w = 0, b = 0, t = 0, bb = 0, bt = 0;
    };
    std::map<int, Sums> by;
    for (const Sample& s : samples) {
        const double w = 1 / (s.seconds * s.seconds);
        Sums& u = by[s.gpus];
        u.w += w;
        u.b += w * s.bytes;
        u.t += w * s.seconds;
        u.bb += w * s.bytes * s.bytes;
        u.bt += w * s.bytes * s.seconds;
    }
    double top = 0, bottom = 0;
    for (const auto& [gpus, u] : by) {
        top += u.bt - u.b * u.t / u.w;
        bottom += u.bb - u.b * u.b / u.w;
    }
    if (!(bottom > 0) || !(top > 0)) return nullptr;
    const double slope = top / bottom;
    Json sync = Json::array();
    double worst = 0;
    for (const auto& [gpus, u] : by) sync.push_back({{"gpus", gpus}, {"seconds", (u.t - slope * u.b) / u.w}});
    for (const Sample& s : samples) {
        const Sums& u = by[s.gpus];
        worst = std::max(worst, std::abs((slope * s.bytes + (u.t - slope * u.b) / u.w) / s.seconds - 1));
    }
    return {{"bytes_per_second", 1 / slope}, {"sync", sync}, {"largest_relative_error", worst}};
}

} // namespace

nlohmann::ordered_json bench_parted_sparse(const PartedSparseBenchRequest& asked,
                                           const std::function<void(const std::string&)>& say) {
    PartedSparseBenchRequest request = asked;
    request.gpus.push_back(1); // what the others are compared with comes first
    std::ranges::sort(request.gpus);
    request.gpus.erase(std::unique(request.gpus.begin(), request.gpus.end()), request.gpus.end());
    Json all{{"matrices", Json::array()}};
    std::vector<Sample> samples;
    std::map<int, std::vector<double>> speed_ups;
    for (const MadeMatrix& made : request.matrices) {
        CompressedRows a = made.make();
        if (made.reorder) a = permuted(a, reverse_cuthill_mckee(a));
        Json entry{{"name", made.name},
                   {"rows", a.rows()},
                   {"nonzeros", a.nonzeros()},
                   {"reordered", made.reorder},
                   {"communication", communication(a)},
                   {"precisions", Json::array()}};
        for (const bool single : {true, false}) {
            Json one = bench_precision(a, single, request, samples);
            for (const Json& run : one["runs"]) {
                speed_ups[run["gpus"].get<int>()].push_back(std::max(1.0, run["speed_up"].get<double>()));
                if (say)
                    say(fmt::format("{} {} on {}: {:.2f} us, {:.2f} times one", made.name,
                                    one["arithmetic"].get<std::string>(), run["gpus"].get<int>(),
                                    1e6 * run["seconds"].get<double>(), run["speed_up"].get<double>()));
            }
            entry["precisions"].push_back(std::move(one));
        }
        all["matrices"].push_back(std::move(entry));
    }
    for (const auto& [gpus, list] : speed_ups) {
        double sum = 0;
        for (const double s : list) sum += s;
        all["mean_speed_up"].push_back({{"gpus", gpus}, {"mean", sum / static_cast<double>(list.size())}});
    }
    all["model"] = fit(samples);
    return all;
}

} // namespace mantissa::gpu
