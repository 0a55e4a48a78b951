#include "command/parts/rank_space.hpp"

#ifdef MANTISSA_WITH_MPI
#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "running/ranks_waiting.hpp"
#endif

#include "mantissa/errors.hpp"

namespace mantissa::cli {

#ifdef MANTISSA_WITH_MPI
namespace {

constexpr int kParcelTag = 2;

/// MPI counts in int.
int checked_count(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw InvalidInput(
            fmt::format("{} bytes between two ranks at once: MPI takes 2^31 - 1; take more ranks", bytes));
    return static_cast<int>(bytes);
}

/// A window of MPI that the ranks of one machine map.
class RankArray final : public HostArray {
public:
    explicit RankArray(std::size_t bytes) {
        MPI_Comm host = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
        int here = 0, all = 0, rank = 0;
        MPI_Comm_size(host, &here);
        MPI_Comm_size(MPI_COMM_WORLD, &all);
        if (here != all) {
            MPI_Comm_free(&host);
            throw InvalidInput("--exchange host: ranks on several machines share no memory; leave it out");
        }
        MPI_Comm_rank(host, &rank);
        void* own = nullptr;
        MPI_Win_allocate_shared(rank == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL, host, &own, &window_);
        MPI_Aint size = 0;
        int unit = 0;
        void* first = nullptr;
        MPI_Win_shared_query(window_, 0, &size, &unit, &first);
        bytes_ = {static_cast<std::byte*>(first), bytes};
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
        if (rank == 0) std::fill(bytes_.begin(), bytes_.end(), std::byte{});
        MPI_Win_sync(window_);
        MPI_Barrier(host);
        MPI_Win_sync(window_);
        MPI_Comm_free(&host);
    }
    ~RankArray() override {
        if (std::uncaught_exceptions() > 0) return; // (the other ranks are about to be ended)
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::span<std::byte> bytes_;
};

class RankSpace final : public Space {
public:
    explicit RankSpace(const running::Ranks& ranks) : ranks_(ranks) {}

    [[nodiscard]] std::uint32_t parts() const override { return static_cast<std::uint32_t>(ranks_.count()); }
    [[nodiscard]] std::vector<std::uint32_t> here() const override {
        return {static_cast<std::uint32_t>(ranks_.rank())};
    }
    void exchange(std::uint32_t, std::span<const Parcel> out, std::span<Parcel> in) override {
        std::vector<MPI_Request> request(out.size() + in.size());
        auto next = request.begin();
        for (Parcel& parcel : in)
            MPI_Irecv(parcel.bytes.data(), checked_count(parcel.bytes.size()), MPI_BYTE, static_cast<int>(parcel.peer),
                      kParcelTag, MPI_COMM_WORLD, &*next++);
        for (const Parcel& parcel : out)
            MPI_Isend(parcel.bytes.data(), checked_count(parcel.bytes.size()), MPI_BYTE, static_cast<int>(parcel.peer),
                      kParcelTag, MPI_COMM_WORLD, &*next++);
        running::wait_for(ranks_, request, [&] {
            // (A request that is done has become the null one.)
            for (std::size_t k = 0; k < request.size(); ++k)
                if (request[k] != MPI_REQUEST_NULL)
                    return fmt::format("rank {}", k < in.size() ? in[k].peer : out[k - in.size()].peer);
            return std::string("another rank");
        });
    }
    void gather(std::uint32_t, std::span<const std::byte> mine, std::span<std::byte> all) override {
        const int bytes = checked_count(mine.size());
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
        wait_for_all(request);
    }
    void synchronise(std::uint32_t) override {
        std::atomic_thread_fence(std::memory_order_seq_cst); // of what went to host arrays
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        wait_for_all(request);
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    [[nodiscard]] std::unique_ptr<HostArray> host_array(std::size_t bytes) override {
        return std::make_unique<RankArray>(bytes);
    }
    /// (The command ends every rank when one of them throws.)
    void leave(std::uint32_t) override {}

private:
    void wait_for_all(MPI_Request request) const {
        running::wait_for(ranks_, std::span(&request, 1), [] { return std::string("another rank"); });
    }

    const running::Ranks& ranks_;
};

} // namespace

std::shared_ptr<Space> make_rank_space(const running::Ranks& ranks) {
    return std::make_shared<RankSpace>(ranks);
}
#else
std::shared_ptr<Space> make_rank_space(const running::Ranks&) {
    throw InvalidInput("this Mantissa was built without MPI: configure with -DMANTISSA_MPI=ON, or run one process");
}
#endif

} // namespace mantissa::cli
