#include "command/parts/rank_space.hpp"

#ifdef MANTISSA_WITH_MPI
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
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

class RankSpace final : public Space {
public:
    explicit RankSpace(const sweeps::Ranks& ranks) : ranks_(ranks) {}

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
        MPI_Waitall(static_cast<int>(request.size()), request.data(), MPI_STATUSES_IGNORE);
    }
    void gather(std::uint32_t, std::span<const std::byte> mine, std::span<std::byte> all) override {
        const int bytes = checked_count(mine.size());
        MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    /// (The command ends every rank when one of them throws.)
    void leave(std::uint32_t) override {}

private:
    const sweeps::Ranks& ranks_;
};

} // namespace

std::shared_ptr<Space> make_rank_space(const sweeps::Ranks& ranks) {
    return std::make_shared<RankSpace>(ranks);
}
#else
std::shared_ptr<Space> make_rank_space(const sweeps::Ranks&) {
    throw InvalidInput("this Mantissa was built without MPI: configure with -DMANTISSA_MPI=ON, or run one process");
}
#endif

} // namespace mantissa::cli
