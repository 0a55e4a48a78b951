#include "staging.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kWorthIt = 8 * kPiece;
constexpr int kMostThreads = 4, kPiecesEach = 2;

/// The pinned memory, which is kept: to pin it takes as long as some pieces' way.
std::byte* pinned() {
    static std::byte* const memory = [] {
        void* made = nullptr;
        check(cudaHostAlloc(&made, kMostThreads * kPiecesEach * kPiece, cudaHostAllocDefault), "cudaHostAlloc");
        return static_cast<std::byte*>(made);
    }();
    return memory;
}

/// A thread's pieces of pinned memory and its stream.
class Lane {
public:
    explicit Lane(std::byte* memory) : memory_(memory) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        for (cudaEvent_t& e : sent_) check(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "cudaEventCreate");
    }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    ~Lane() {
        static_cast<void>(cudaStreamSynchronize(stream_));
        for (cudaEvent_t& e : sent_) static_cast<void>(cudaEventDestroy(e));
        static_cast<void>(cudaStreamDestroy(stream_));
    }
    void send(std::span<const std::byte> piece, std::byte* to) {
        const auto slot = static_cast<std::size_t>(count_++ % kPiecesEach);
        std::byte* const by = memory_ + slot * kPiece;
        check(cudaEventSynchronize(sent_[slot]), "cudaEventSynchronize");
        std::memcpy(by, piece.data(), piece.size());
        check(cudaMemcpyAsync(to, by, piece.size(), cudaMemcpyHostToDevice, stream_), "cudaMemcpy to device");
        check(cudaEventRecord(sent_[slot], stream_), "cudaEventRecord");
    }
    void finish() { check(cudaStreamSynchronize(stream_), "cudaMemcpy to device"); }

private:
    std::byte* memory_;
    cudaStream_t stream_{};
    cudaEvent_t sent_[kPiecesEach]{};
    int count_ = 0;
};

} // namespace

void copy_staged(std::span<const std::byte> from, std::byte* to, int threads) {
    if (from.size() < kWorthIt)
        return check(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice), "cudaMemcpy to device");
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    std::byte* const memory = pinned();
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failed;
    std::mutex of_failed;
    const auto work = [&](int number) {
        try {
            check(cudaSetDevice(device), "cudaSetDevice");
            Lane lane(memory + static_cast<std::size_t>(number * kPiecesEach) * kPiece);
            for (std::size_t at = 0; (at = next.fetch_add(kPiece)) < from.size();)
                lane.send(from.subspan(at, std::min(kPiece, from.size() - at)), to + at);
            lane.finish();
        } catch (...) {
            const std::scoped_lock here(of_failed);
            failed = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        for (int k = 1; k < std::min(threads, kMostThreads); ++k) others.emplace_back(work, k);
        work(0);
    }
    if (failed) std::rethrow_exception(failed);
}

} // namespace mantissa::gpu::multilevel_rows
