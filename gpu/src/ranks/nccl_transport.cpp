// From device to device by NCCL: elements by sends and receives in one group, sums by an all-reduce of integers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nccl.hpp"
#include "transport.hpp"

namespace mantissa::gpu {

namespace {

class NcclTransport final : public RankTransport {
public:
    NcclTransport(const std::shared_ptr<Space>& space, std::uint32_t part, const Part& own, RankBuffers buffers,
                  const RankCgOptions& options)
        : own_(own), buffers_(buffers), wait_(options.wait), silent_(options.silent) {
        // The first part's name for the communicator.
        Nccl::Id mine{};
        if (part == 0) nccl_.check(nccl_.unique_id(&mine), "ncclGetUniqueId");
        std::vector<Nccl::Id> all(space->parts());
        space->gather(part, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
        join(static_cast<int>(space->parts()), all.front(), static_cast<int>(part));
    }
    ~NcclTransport() override {
        if (failed_) static_cast<void>(nccl_.abort(comm_));
        else static_cast<void>(nccl_.destroy(comm_));
    }

    void begin(cudaStream_t stream) override {
        order(way_, packed_, stream);
        nccl_.check(nccl_.group_start(), "ncclGroupStart");
        const double* from = buffers_.packed;
        for (const Exchange& list : own_.send) {
            nccl_.check(nccl_.send(from, list.row.size(), Nccl::kDouble, static_cast<int>(list.peer), comm_, way_),
                        "ncclSend");
            from += list.row.size();
        }
        double* to = buffers_.ghosts;
        for (const Exchange& list : own_.receive) {
            nccl_.check(nccl_.receive(to, list.row.size(), Nccl::kDouble, static_cast<int>(list.peer), comm_, way_),
                        "ncclRecv");
            to += list.row.size();
        }
        nccl_.check(nccl_.group_end(), "ncclGroupEnd");
    }
    void finish(cudaStream_t stream) override { order(stream, arrived_, way_); }
    void add_up(std::uint64_t* words, std::size_t count, cudaStream_t stream) override {
        nccl_.check(nccl_.all_reduce(words, words, count, Nccl::kUint64, Nccl::kSum, comm_, stream), "ncclAllReduce");
    }
    [[nodiscard]] int batch() const override { return 16; }
    void wait(cudaStream_t stream) override {
        using Clock = std::chrono::steady_clock;
        check(cudaEventRecord(done_, stream), "cudaEventRecord");
        double left = wait_;
        Clock::time_point last = Clock::now();
        for (unsigned turn = 1;; ++turn) {
            const cudaError_t state = cudaEventQuery(done_);
            if (state == cudaSuccess) return;
            if (state != cudaErrorNotReady) {
                failed_ = true;
                check(state, "CG over ranks");
            }
            if (turn % 256 != 0) continue;
            int fault = 0;
            nccl_.check(nccl_.async_error(comm_, &fault), "ncclCommGetAsyncError");
            if (fault != 0 && fault != Nccl::kInProgress) {
                failed_ = true;
                nccl_.check(fault, "NCCL between ranks");
            }
            // Time in which this process was stopped does not count.
            const Clock::time_point now = Clock::now();
            left -= std::min(std::chrono::duration<double>(now - last).count(), 0.25);
            last = now;
            if (left <= 0) give_up();
            std::this_thread::yield();
        }
    }

private:
    /// The call returns once all parts have made it: a thread of its own, so that a wait for them may end.
    void join(int parts, const Nccl::Id& id, int part) {
        int device = 0, status = -1;
        check(cudaGetDevice(&device), "cudaGetDevice");
        // (owned by both: where the wait ends first, the thread is left behind)
        struct Outcome {
            Nccl::Comm comm = nullptr;
            std::atomic<int> status = -1;
        };
        const auto outcome = std::make_shared<Outcome>();
        std::thread([outcome, device, parts, id, part, &nccl = nccl_] {
            const bool set = cudaSetDevice(device) == cudaSuccess;
            outcome->status = set ? nccl.init_rank(&outcome->comm, parts, id, part) : 1;
        }).detach();
        for (double waited = 0; (status = outcome->status) < 0; waited += 1e-3) {
            if (waited > wait_) give_up();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        nccl_.check(status, "ncclCommInitRank");
        comm_ = outcome->comm;
    }
    [[noreturn]] void give_up() {
        failed_ = true;
        if (silent_) silent_();
        throw DeviceError("CG over ranks", fmt::format("another rank has not answered for {} s", wait_));
    }

    const Nccl& nccl_ = Nccl::get();
    const Part& own_;
    RankBuffers buffers_;
    double wait_;
    std::function<void()> silent_;
    Nccl::Comm comm_ = nullptr;
    RankStream way_;
    RankEvent packed_, arrived_, done_;
    bool failed_ = false;
};

} // namespace

std::unique_ptr<RankTransport> nccl_transport(const std::shared_ptr<Space>& space, std::uint32_t part, const Part& own,
                                              RankBuffers buffers, const RankCgOptions& options) {
    return std::make_unique<NcclTransport>(space, part, own, buffers, options);
}

} // namespace mantissa::gpu
