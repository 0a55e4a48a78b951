// Parts as threads of one process: they copy from each other's memory between two barriers.
#include <algorithm>
#include <barrier>
#include <cstring>
#include <numeric>

#include "mantissa/errors.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa {

namespace {

class ThreadsArray final : public HostArray {
public:
    explicit ThreadsArray(std::size_t bytes) : bytes_(bytes) {}
    [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class ThreadsSpace final : public Space {
public:
    explicit ThreadsSpace(std::uint32_t parts)
        : out_(parts), piece_(parts), gone_(parts, 0), barrier_(static_cast<std::ptrdiff_t>(parts)) {}

    [[nodiscard]] std::uint32_t parts() const override { return static_cast<std::uint32_t>(out_.size()); }
    [[nodiscard]] std::vector<std::uint32_t> here() const override {
        std::vector<std::uint32_t> all(out_.size());
        std::iota(all.begin(), all.end(), 0U);
        return all;
    }
    void exchange(std::uint32_t part, std::span<const Parcel> out, std::span<Parcel> in) override {
        out_[part] = out;
        barrier_.arrive_and_wait();
        for (Parcel& parcel : in) {
            if (gone_[parcel.peer] != 0) continue; // it has failed, and the whole run with it
            const std::span<const Parcel> theirs = out_[parcel.peer];
            const auto mine =
                std::find_if(theirs.begin(), theirs.end(), [&](const Parcel& p) { return p.peer == part; });
            if (mine != theirs.end() && mine->bytes.size() == parcel.bytes.size())
                std::copy(mine->bytes.begin(), mine->bytes.end(), parcel.bytes.begin());
        }
        barrier_.arrive_and_wait(); // nobody's parcels change before all have read them
    }
    void gather(std::uint32_t part, std::span<const std::byte> mine, std::span<std::byte> all) override {
        piece_[part] = mine;
        barrier_.arrive_and_wait();
        for (std::size_t p = 0; p < piece_.size(); ++p)
            if (gone_[p] == 0)
                std::copy(piece_[p].begin(), piece_[p].end(),
                          all.begin() + static_cast<std::ptrdiff_t>(p * mine.size()));
        barrier_.arrive_and_wait();
    }
    void synchronise(std::uint32_t) override { barrier_.arrive_and_wait(); }
    [[nodiscard]] std::unique_ptr<HostArray> host_array(std::size_t bytes) override {
        return std::make_unique<ThreadsArray>(bytes);
    }
    void leave(std::uint32_t part) override {
        gone_[part] = 1; // read by the others after their next barrier
        barrier_.arrive_and_drop();
    }

private:
    std::vector<std::span<const Parcel>> out_;
    std::vector<std::span<const std::byte>> piece_;
    std::vector<char> gone_;
    std::barrier<> barrier_;
};

} // namespace

std::shared_ptr<Space> make_threads_space(std::uint32_t parts) {
    if (parts == 0) throw InvalidInput("a solve over 0 parts: give at least one");
    return std::make_shared<ThreadsSpace>(parts);
}

} // namespace mantissa
