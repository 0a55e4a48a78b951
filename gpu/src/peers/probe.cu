// What flags and sums between parts cost, and that they are right.
#include <vector>

#include "peers.cuh"

namespace mantissa::gpu {

namespace {

constexpr int kWords = 9;

struct ProbeParams {
    PeerView view;
    int rounds, silent;
    unsigned long long first_round;
    unsigned long long* result; ///< nanoseconds of flags, of sums; sums that were wrong
};

/// One block of a warp for each part.
__global__ void probe(const ProbeParams* parts) {
    const ProbeParams a = parts[blockIdx.y];
    const PeerView& v = a.view;
    const int lane = static_cast<int>(threadIdx.x);
    if (v.me == a.silent) return;
    unsigned long long wrong = 0, begin = nanoseconds();
    if (v.parts > 1 && v.me < 2 && lane == 0)
        for (int i = 0; i < a.rounds; ++i) {
            const unsigned long long round = a.first_round + static_cast<unsigned long long>(i);
            if (v.me == 0) raise_flag(v, 1, 0, round);
            if (!wait_flag(v, 1 - v.me, 0, round)) return;
            if (v.me == 1) raise_flag(v, 0, 0, round);
        }
    __syncwarp();
    const unsigned long long middle = nanoseconds();
    if (lane == 0) a.result[0] = middle - begin;
    // All start together.
    for (int i = 0; i <= a.rounds; ++i) {
        const unsigned long long round = a.first_round + static_cast<unsigned long long>(i);
        bool ok = true;
        if (lane < kWords) {
            const unsigned long long mine =
                (round << 8) * (static_cast<unsigned>(v.me) + 1) + static_cast<unsigned>(lane);
            unsigned long long sum = mine;
            publish_word(v, round, lane, mine);
            ok = collect_word(v, round, lane, sum);
            const auto parts_ = static_cast<unsigned long long>(v.parts);
            wrong += sum != (round << 8) * (parts_ * (parts_ + 1) / 2) + parts_ * static_cast<unsigned>(lane) ? 1 : 0;
        }
        if (!__all_sync(~0u, ok)) return;
        if (i == 0) begin = nanoseconds();
    }
    if (lane == 0) a.result[1] = nanoseconds() - begin;
    wrong = __reduce_add_sync(~0u, static_cast<unsigned>(wrong));
    if (lane == 0) a.result[2] = wrong;
}

} // namespace

PeerFigures measure_peers(Peers& peers, int rounds, int silent) {
    std::vector<Buffer<unsigned long long>> results;
    std::vector<ProbeParams> params;
    const unsigned long long first = peers.next_round(static_cast<unsigned long long>(rounds) + 1);
    for (int p = 0; p < peers.parts(); ++p) {
        const OnDevice here(peers.device(p));
        results.emplace_back(3);
        results.back().zero();
        check(cudaDeviceSynchronize(), "cudaMemset");
        params.push_back({peers.view(p), rounds, silent, first, results.back().data()});
    }
    peers.launch<ProbeParams>(probe, params, 1, 32, 0);
    peers.wait();
    PeerFigures figures;
    for (std::size_t p = 0; p < params.size(); ++p) {
        std::vector<unsigned long long> words(3);
        results[p].download(words);
        if (p == 0) {
            figures.flag_seconds = peers.parts() > 1 ? 0.5e-9 * static_cast<double>(words[0]) / rounds : 0;
            figures.sum_seconds = 1e-9 * static_cast<double>(words[1]) / rounds;
        }
        figures.wrong += words[2];
    }
    return figures;
}

} // namespace mantissa::gpu
