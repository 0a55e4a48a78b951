// Where a cycle's vectors lie: on one device, or in strips of rows on several parts.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "make_plan.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/peers.hpp"

namespace mantissa::gpu::cycle_words {

class Placement {
public:
    /// All parts' memory, zero. The levels from made.plan.shared on are the first part's.
    Placement(std::shared_ptr<Peers> peers, const MadePlan& made);

    [[nodiscard]] Peers& peers() const { return *peers_; }
    [[nodiscard]] const std::vector<PartPlan>& parts() const { return parts_; }
    /// What a device's constant memory takes: its parts, or of one part alone none, which is then filled in the plans.
    [[nodiscard]] std::vector<PartPlan> tell(int device, CyclePlan& plan, OuterPlan& outer) const;
    /// Makes ready for a solve: u, cells, counters and outcomes are zero on every device when it returns.
    void reset();
    /// Rows of nodes between the host's, whole, of n + 1 nodes each, and the parts' own.
    template <class T> void upload_b(const T* from) const {
        each_strip([&](const PartPlan& part, std::size_t first, std::size_t rows) {
            check(cudaMemcpy2D(row(part.own.b, first, sizeof(T)), pitch_ * sizeof(T), from + first * side_,
                               side_ * sizeof(T), side_ * sizeof(T), rows, cudaMemcpyHostToDevice),
                  "cudaMemcpy2D");
        });
    }
    /// Of u[side].
    template <class T> void download(T* to, int side) const {
        each_strip([&](const PartPlan& part, std::size_t first, std::size_t rows) {
            check(cudaMemcpy2D(to + first * side_, side_ * sizeof(T), row(part.own.u[side], first, sizeof(T)),
                               pitch_ * sizeof(T), side_ * sizeof(T), rows, cudaMemcpyDeviceToHost),
                  "cudaMemcpy2D");
        });
    }

private:
    struct Memory {
        std::vector<Buffer<unsigned char>> vectors;
        Buffer<Cells> cells;
        Buffer<Outcome> outcome;
        Buffer<unsigned long long> barrier;
        Buffer<unsigned int> overflow;
        Buffer<Arrivals> arrivals;
    };
    void place_levels(const MadePlan& made, int part);
    void place_vectors(const MadePlan& made, int part);
    void link();
    /// The last strip has the edge's row, too.
    template <class Do> void each_strip(const Do& strip) const {
        for (const PartPlan& part : parts_) {
            const PartPlan::Level& here = part.level[0];
            const OnDevice on(peers_->device(part.view.me));
            strip(part, static_cast<std::size_t>(here.first),
                  static_cast<std::size_t>(here.end - here.first) + (&part == &parts_.back() ? 1 : 0));
        }
    }
    [[nodiscard]] unsigned char* row(void* vector, std::size_t y, std::size_t bytes) const {
        return static_cast<unsigned char*>(vector) + y * pitch_ * bytes;
    }
    /// Zeros for the rows from `first` up to `end` and the edge's after them; where row 0 would be.
    void* take(Memory& memory, std::size_t pitch, int first, int end, std::size_t bytes);

    std::shared_ptr<Peers> peers_;
    std::vector<Memory> memory_;
    std::vector<PartPlan> parts_;
    std::size_t side_, pitch_;
    int shared_; ///< levels
    std::size_t iterate_bytes_;
};

} // namespace mantissa::gpu::cycle_words
