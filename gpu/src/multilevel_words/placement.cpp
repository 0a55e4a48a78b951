#include "placement.hpp"

#include <algorithm>
#include <utility>

namespace mantissa::gpu::cycle_words {

namespace {

/// Tiles of `height` rows of n columns, for about as many warps as there are.
Tiles cut_tiles(int n, int height, int width, int warps) {
    constexpr int kLeast = 2;
    Tiles tiles;
    tiles.strips = (n + width - 1) / width;
    const int wanted = std::max(1, warps / tiles.strips);
    tiles.rows = std::max(kLeast, (height + wanted - 1) / wanted);
    tiles.rows += tiles.rows & 1;
    tiles.chunks = (height + tiles.rows - 1) / tiles.rows;
    if (tiles.strips > 1) tiles.inverse = static_cast<unsigned>((0x100000000 + tiles.strips - 1) / tiles.strips);
    return tiles;
}

} // namespace

Placement::Placement(std::shared_ptr<Peers> peers, const MadePlan& made)
    : peers_(std::move(peers)), memory_(static_cast<std::size_t>(peers_->parts())),
      parts_(static_cast<std::size_t>(peers_->parts())), side_(static_cast<std::size_t>(made.plan.level[0].n) + 1),
      pitch_(static_cast<std::size_t>(made.plan.level[0].pitch)), shared_(made.plan.shared),
      iterate_bytes_(made.size.wide) {
    for (int p = 0; p < peers_->parts(); ++p) {
        const OnDevice here(peers_->device(p));
        parts_[static_cast<std::size_t>(p)].view = peers_->view(p);
        place_levels(made, p);
        place_vectors(made, p);
    }
    link();
}

void* Placement::take(Memory& memory, std::size_t pitch, int first, int end, std::size_t bytes) {
    memory.vectors.emplace_back((static_cast<std::size_t>(end - first) + 1) * pitch * bytes);
    memory.vectors.back().zero();
    return memory.vectors.back().data() - static_cast<std::size_t>(first) * pitch * bytes;
}

void Placement::place_levels(const MadePlan& made, int p) {
    const CyclePlan& plan = made.plan;
    const int count = peers_->parts(), warps = peers_->multiprocessors() * kWarps;
    Memory& memory = memory_[static_cast<std::size_t>(p)];
    for (int l = 0; l <= plan.first_small; ++l) {
        const LevelPlan& level = plan.level[l];
        PartPlan::Level& here = parts_[static_cast<std::size_t>(p)].level[l];
        here.end = level.n;
        if (l < shared_ && count > 1) {
            const int rows = plan.level[shared_].n; // of the first level that is gathered
            here.first = static_cast<int>(static_cast<long long>(rows) * p / count) << (shared_ - l);
            here.end = static_cast<int>(static_cast<long long>(rows) * (p + 1) / count) << (shared_ - l);
        } else if (p > 0) continue;
        const auto pitch = static_cast<std::size_t>(level.pitch);
        if (l > 0) {
            here.own.entering = take(memory, pitch, here.first, here.end, made.size.sum);
            here.own.leaving = take(memory, pitch, here.first, here.end, made.size.leaving);
        }
        if (l == plan.first_small) continue;
        here.own.found = take(memory, pitch, here.first, here.end, made.size.found);
        const auto tiles = [&](int columns, int halo) {
            return cut_tiles(level.n, here.end - here.first, (kLanes - 2 * halo) * columns, warps);
        };
        here.own.down = tiles(level.columns_down, halo_down(plan.before, level.columns_down));
        here.own.up = tiles(level.columns_up, halo_up(plan.after, l == 0, level.columns_up));
    }
}

void Placement::place_vectors(const MadePlan& made, int p) {
    Memory& memory = memory_[static_cast<std::size_t>(p)];
    PartPlan& part = parts_[static_cast<std::size_t>(p)];
    const PartPlan::Level& here = part.level[0];
    for (void*& u : part.own.u) u = take(memory, pitch_, here.first, here.end, made.size.wide);
    for (void*& d : part.own.d) d = take(memory, pitch_, here.first, here.end, made.size.defect);
    part.own.b = take(memory, pitch_, here.first, here.end, made.size.wide);
    memory.cells.allocate(kCellSets);
    memory.outcome.allocate(1);
    memory.barrier.allocate(1);
    memory.overflow.allocate(1);
    memory.arrivals.allocate(kMaxParts);
}

/// What parts know of each other.
void Placement::link() {
    const std::size_t count = parts_.size();
    for (std::size_t p = 0; p < count; ++p) {
        PartPlan& part = parts_[p];
        for (int which = 0; which < 2; ++which) {
            if (which == 0 ? p == 0 : p + 1 == count) continue;
            const PartPlan& neighbour = parts_[which == 0 ? p - 1 : p + 1];
            part.beside[which] = neighbour.own;
            for (int l = 0; l < shared_; ++l) part.level[l].beside[which] = neighbour.level[l].own;
        }
        if (p > 0) part.level[shared_].own = parts_.front().level[shared_].own;
        for (std::size_t k = 0; k < count; ++k) {
            part.tally[k] = {memory_[k].barrier.data(), memory_[k].cells.data(), memory_[k].outcome.data(),
                             memory_[k].overflow.data()};
            part.arrivals[k] = memory_[k].arrivals.data();
        }
    }
}

std::vector<PartPlan> Placement::tell(int device, CyclePlan& plan, OuterPlan& outer) const {
    std::vector<PartPlan> list;
    if (parts_.size() == 1) {
        const PartPlan& part = parts_.front();
        for (int l = 0; l < kMostLevels; ++l) plan.level[l].place = part.level[l].own;
        outer.place = part.own;
        outer.tally = part.tally[0];
        return list;
    }
    for (const int p : peers_->parts_of(device)) list.push_back(parts_[static_cast<std::size_t>(p)]);
    return list;
}

void Placement::reset() {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const OnDevice here(peers_->device(static_cast<int>(p)));
        const PartPlan::Level& rows = parts_[p].level[0];
        check(cudaMemset(row(parts_[p].own.u[0], static_cast<std::size_t>(rows.first), iterate_bytes_), 0,
                         (static_cast<std::size_t>(rows.end - rows.first) + 1) * pitch_ * iterate_bytes_),
              "cudaMemset");
        memory_[p].cells.zero();
        memory_[p].outcome.zero();
        memory_[p].barrier.zero();
        memory_[p].overflow.zero();
        memory_[p].arrivals.zero();
    }
    for (const int device : peers_->distinct()) {
        const OnDevice here(device);
        check(cudaDeviceSynchronize(), "cudaMemset");
    }
}

} // namespace mantissa::gpu::cycle_words
