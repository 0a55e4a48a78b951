#include "parted_cycle.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../../parted/exchanger.hpp"
#include "../../parted/on_every_part.hpp"
#include "../grid_cycle.hpp"
#include "../rows_cycle.hpp"
#include "level_cuts.hpp"
#include "strips.hpp"

namespace mantissa::multilevel {

namespace {

/// Rows by part.
using Lists = std::vector<std::vector<std::uint32_t>>;

/// The elements of all parts to their places in the whole. rows(p): those of part p.
template <class T, class Rows>
void bring_all(Space& space, std::uint32_t part, std::span<const T> own, const Rows& rows, std::span<T> whole) {
    std::size_t most = 0;
    for (std::uint32_t p = 0; p < space.parts(); ++p) most = std::max(most, rows(p).size());
    std::vector<T> mine(own.begin(), own.end()), all(most * space.parts());
    mine.resize(most);
    space.gather(part, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (std::uint32_t p = 0; p < space.parts(); ++p) {
        const std::vector<std::uint32_t>& row = rows(p);
        for (std::size_t i = 0; i < row.size(); ++i) whole[row[i]] = all[p * most + i];
    }
}

} // namespace

PartedCycle::PartedCycle(std::shared_ptr<Space> space, std::shared_ptr<const Partition> partition,
                         const ExchangeOptions& exchange)
    : space_(std::move(space)), here_(space_->here()), partition_(std::move(partition)), counts_(exchange.counts) {}

int PartedCycle::threads_of_part(int threads) const {
    return std::max(1, threads / static_cast<int>(here_.size()));
}

void PartedCycle::bring(std::uint32_t part, std::span<const double> own, std::span<double> whole) const {
    bring_all(
        *space_, part, own, [this](std::uint32_t p) -> const auto& { return rows(p); }, whole);
}

void PartedCycle::correct_own(std::size_t k, std::span<const double> d, std::span<double> c) {
    if (k == 0 && counts_) ++counts_->iterations;
    correct_part(k, d, c);
}

void PartedCycle::correct(std::span<const double> d, std::span<double> c) {
    share_.resize(here_.size());
    const bool all_here = here_.size() == space_->parts();
    detail::on_every_part(*space_, here_, [&](std::size_t k) {
        const std::vector<std::uint32_t>& row = rows(here_[k]);
        Share& s = share_[k];
        s.d.resize(row.size());
        s.c.resize(row.size());
        for (std::size_t i = 0; i < row.size(); ++i) s.d[i] = d[row[i]];
        correct_own(k, s.d, s.c);
        if (all_here)
            for (std::size_t i = 0; i < row.size(); ++i) c[row[i]] = s.c[i];
        else bring(here_[k], s.c, c);
    });
}

namespace {

class PartedGridCycle final : public PartedCycle {
public:
    PartedGridCycle(const std::shared_ptr<Space>& space, const GridWords& grid, const CycleSpec& spec,
                    const GridStrips& strips, const ExchangeOptions& exchange, int threads)
        : PartedCycle(space, std::make_shared<const Partition>(strips.partition()), exchange),
          shared_(strips.shared()) {
        const GridHost host = grid_host(*space_, strips, exchange.way);
        for (const std::uint32_t part : here_)
            cycle_.push_back(
                make_part_of_grid_cycle(grid, spec, threads_of_part(threads),
                                        make_grid_links(space_, part, strips, spec, host, exchange.counts)));
    }
    void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) override {
        cycle_[k]->correct(d, c); // (a strip's nodes are neighbours)
    }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{}, the first {} over {} parts", cycle_.front()->description(), shared_, space_->parts());
    }

private:
    std::size_t shared_;
    std::vector<std::unique_ptr<Cycle>> cycle_;
};

class RowLinks final : public CycleLinks {
public:
    RowLinks(std::shared_ptr<Space> space, std::uint32_t part, std::vector<detail::Exchanger> exchanger,
             std::vector<std::size_t> ghosts, std::shared_ptr<const Lists> brought)
        : space_(std::move(space)), part_(part), exchanger_(std::move(exchanger)), ghosts_(std::move(ghosts)),
          brought_(std::move(brought)), all_(space_->parts()) {}
    [[nodiscard]] std::size_t shared() const override { return exchanger_.size(); }
    [[nodiscard]] std::size_t ghosts(std::size_t level) const override { return ghosts_[level]; }
    void fill(std::size_t level, std::span<std::int32_t> v) override { exchanger_[level].exchange<std::int32_t>(v); }
    [[nodiscard]] Wide largest(Wide mine) override {
        exchanger_.front().gather(mine, std::span(all_));
        return std::ranges::max(all_);
    }
    void bring(std::span<const Wide> own, std::span<Wide> whole) override {
        bring_all(
            *space_, part_, own, [this](std::uint32_t p) -> const auto& { return (*brought_)[p]; }, whole);
        exchanger_.front().count(own.size());
    }

private:
    std::shared_ptr<Space> space_;
    std::uint32_t part_;
    std::vector<detail::Exchanger> exchanger_; ///< of the shared levels
    std::vector<std::size_t> ghosts_;
    std::shared_ptr<const Lists> brought_; ///< of the first level that is not
    std::vector<Wide> all_;
};

class PartedRowsCycle final : public PartedCycle {
public:
    PartedRowsCycle(const std::shared_ptr<Space>& space, const Partition& partition, const WordHierarchy& whole,
                    const LevelCuts& cuts, const ExchangeOptions& exchange, int threads)
        : PartedCycle(space, std::make_shared<const Partition>(partition), exchange),
          description_(fmt::format("{} levels of rows, {} to {} unknowns, the first {} over {} parts",
                                   whole.level.size(), whole.level.front().a.rows, whole.level.back().a.rows,
                                   cuts.shared, space->parts())) {
        std::vector<detail::HostArrays> host;
        for (std::size_t at = 0; at < cuts.shared; ++at)
            host.push_back(
                detail::host_arrays(*space_, exchange.way, cuts.owner[at].size(), sizeof(std::int32_t), sizeof(Wide)));
        const auto brought = std::make_shared<const Lists>(cuts.brought);
        for (const std::uint32_t part : here_) {
            PartOfLevels own = part_of_levels(whole, cuts, part);
            std::vector<detail::Exchanger> exchanger;
            std::vector<std::size_t> ghosts;
            for (std::size_t at = 0; at < cuts.shared; ++at) {
                const Part& p = cuts.parts[at][part];
                exchanger.emplace_back(space_, part, p, std::move(own.places[at]), sizeof(std::int32_t), host[at],
                                       exchange.counts);
                ghosts.push_back(p.received);
            }
            cycle_.push_back(make_part_of_rows_cycle(
                std::move(own.hierarchy), threads_of_part(threads),
                std::make_unique<RowLinks>(space_, part, std::move(exchanger), std::move(ghosts), brought)));
        }
    }
    void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) override {
        cycle_[k]->correct(d, c);
    }
    [[nodiscard]] std::string description() const override { return description_; }

private:
    std::vector<std::unique_ptr<Cycle>> cycle_;
    std::string description_;
};

/// Every process works out all of it.
class WholeCycle final : public PartedCycle {
public:
    WholeCycle(const std::shared_ptr<Space>& space, const Partition& partition, std::unique_ptr<Cycle> cycle,
               const ExchangeOptions& exchange)
        : PartedCycle(space, std::make_shared<const Partition>(partition), exchange), cycle_(std::move(cycle)),
          c_(partition.rows()) {}
    void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) override {
        std::vector<double> whole(c_.size());
        bring(here_[k], d, whole);
        if (k == 0) cycle_->correct(whole, c_);
        space_->synchronise(here_[k]);
        const std::vector<std::uint32_t>& row = rows(here_[k]);
        for (std::size_t i = 0; i < row.size(); ++i) c[i] = c_[row[i]];
        space_->synchronise(here_[k]); // (before the first part writes the next one)
    }
    [[nodiscard]] std::string description() const override {
        return cycle_->description() + (space_->parts() == 1 ? "" : ", none of them over parts");
    }

private:
    std::unique_ptr<Cycle> cycle_;
    std::vector<double> c_;
};

} // namespace

std::unique_ptr<PartedCycle> make_cycle_of_parts(const std::shared_ptr<Space>& space, const Partition& partition,
                                                 const System& system, const CycleSpec& spec,
                                                 const ExchangeOptions& exchange, int threads) {
    const auto whole = [&](std::unique_ptr<Cycle> cycle) {
        return std::make_unique<WholeCycle>(space, partition, std::move(cycle), exchange);
    };
    if (spec.in_double || space->parts() == 1) return whole(make_cycle(system, spec, threads));
    if (const auto grid = grid_words(system); grid && grid->levels() > 1) {
        const GridStrips strips(*grid, space->parts(), kWorthSharing);
        if (strips.shared() == 0) return whole(make_grid_cycle(*grid, spec, threads));
        return std::make_unique<PartedGridCycle>(space, *grid, spec, strips, exchange, threads);
    }
    WordHierarchy levels = word_hierarchy(system, spec, threads);
    const LevelCuts cuts = cut_levels(levels, partition.owners(), space->parts());
    if (cuts.shared != 0 && std::ranges::all_of(levels.level, fits_short_words))
        return std::make_unique<PartedRowsCycle>(space, partition, levels, cuts, exchange, threads);
    auto cycle = make_rows_cycle(levels, threads);
    return whole(cycle ? std::move(cycle) : make_reference_cycle(std::move(levels)));
}

std::unique_ptr<WordSolver> make_parted_word_solver(const std::shared_ptr<Space>& space, const GridWords& grid,
                                                    const CycleSpec& spec, const ExchangeOptions& exchange) {
    return make_word_solver(
        grid, spec,
        [space, exchange](const GridWords& words, const CycleSpec& given, int threads) -> std::unique_ptr<Cycle> {
            const GridStrips strips(words, space->parts(), kWorthSharing);
            if (space->parts() == 1 || strips.shared() == 0) return make_grid_cycle(words, given, threads);
            return std::make_unique<PartedGridCycle>(space, words, given, strips, exchange, threads);
        });
}

} // namespace mantissa::multilevel
