#include "mantissa/partition/parted_cycle.hpp"

#include <algorithm>
#include <string>
#include <tuple>
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

/// The elements of all parts to their places in the whole: place(part, i) of a part's i-th.
template <class T, class Place>
void bring_all(Space& space, std::uint32_t part, std::span<const T> own, std::span<const std::size_t> counts,
               const Place& place, std::span<T> whole) {
    const std::size_t most = std::ranges::max(counts);
    std::vector<T> mine(own.begin(), own.end()), all(most * counts.size());
    mine.resize(most);
    space.gather(part, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (std::size_t p = 0; p < counts.size(); ++p)
        for (std::size_t i = 0; i < counts[p]; ++i) whole[place(p, i)] = all[p * most + i];
}
template <class T>
void bring_lists(Space& space, std::uint32_t part, std::span<const T> own, const Lists& rows, std::span<T> whole) {
    std::vector<std::size_t> counts;
    for (const auto& list : rows) counts.push_back(list.size());
    bring_all(space, part, own, counts, [&](std::size_t p, std::size_t i) { return rows[p][i]; }, whole);
}

class RowLinks final : public CycleLinks {
public:
    RowLinks(std::shared_ptr<Space> space, std::uint32_t part, std::vector<detail::Exchanger> exchanger,
          std::vector<std::size_t> ghosts, std::shared_ptr<const Lists> brought)
        : space_(std::move(space)), part_(part), exchanger_(std::move(exchanger)), ghosts_(std::move(ghosts)),
          brought_(std::move(brought)), all_(space_->parts()) {}
    [[nodiscard]] std::size_t shared() const override { return exchanger_.size(); }
    [[nodiscard]] std::size_t ghosts(std::size_t level) const override { return ghosts_[level]; }
    void fill(std::size_t level, std::span<std::int32_t> v) override {
        exchanger_[level].exchange<std::int32_t>(v);
    }
    [[nodiscard]] Wide largest(Wide mine) override {
        exchanger_.front().gather(mine, std::span(all_));
        return std::ranges::max(all_);
    }
    void bring(std::span<const Wide> own, std::span<Wide> whole) override {
        bring_lists(*space_, part_, own, *brought_, whole);
        exchanger_.front().count(own.size());
    }

private:
    std::shared_ptr<Space> space_;
    std::uint32_t part_;
    std::vector<detail::Exchanger> exchanger_; ///< of the shared levels
    std::vector<std::size_t> ghosts_;
    std::shared_ptr<const Lists> brought_;
    std::vector<Wide> all_;
};

/// The cycles of the parts of this process.
class PartedCycle : public Cycle {
public:
    void correct(std::span<const double> d, std::span<double> c) override {
        if (counts_) ++counts_->iterations;
        detail::on_every_part(*space_, here_, [&](std::size_t k) { correct_part(k, d, c); });
    }

protected:
    PartedCycle(std::shared_ptr<Space> space, const ExchangeOptions& exchange)
        : space_(std::move(space)), here_(space_->here()), counts_(exchange.counts) {}
    virtual void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) = 0;
    [[nodiscard]] bool all_here() const { return here_.size() == space_->parts(); }
    [[nodiscard]] int threads_of_part(int threads) const {
        return std::max(1, threads / static_cast<int>(here_.size()));
    }

    std::shared_ptr<Space> space_;
    std::vector<std::uint32_t> here_;
    std::vector<std::unique_ptr<Cycle>> cycle_; ///< of the parts of this process

private:
    std::shared_ptr<ExchangeCounts> counts_;
};

class PartedGridCycle final : public PartedCycle {
public:
    PartedGridCycle(std::shared_ptr<Space> space, const GridWords& grid, const CycleSpec& spec,
                    const GridStrips& strips, const ExchangeOptions& exchange, int threads)
        : PartedCycle(std::move(space), exchange), strips_(strips) {
        const GridHost host = grid_host(*space_, strips, exchange.way);
        for (const std::uint32_t part : here_)
            cycle_.push_back(make_part_of_grid_cycle(grid, spec, threads_of_part(threads),
                                             make_grid_links(space_, part, strips, spec, host, exchange.counts)));
    }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{}, the first {} over {} parts", cycle_.front()->description(), strips_.shared(),
                           space_->parts());
    }

private:
    void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) override {
        const std::size_t n = strips_.side(0);
        const auto range = [&](std::uint32_t part) {
            const Strip own = strips_.own(0, part);
            return std::pair(own.first * n, (own.end - own.first) * n);
        };
        const auto [first, count] = range(here_[k]);
        cycle_[k]->correct(d.subspan(first, count), c.subspan(first, count));
        if (all_here()) return;
        std::vector<std::size_t> first_of(space_->parts()), count_of(space_->parts());
        for (std::uint32_t p = 0; p < space_->parts(); ++p) std::tie(first_of[p], count_of[p]) = range(p);
        bring_all<double>(*space_, here_[k], c.subspan(first, count), count_of,
                          [&](std::size_t p, std::size_t i) { return first_of[p] + i; }, c);
    }

    GridStrips strips_;
};

class PartedRowsCycle final : public PartedCycle {
public:
    PartedRowsCycle(std::shared_ptr<Space> space, const WordHierarchy& whole, const LevelCuts& cuts,
                    const ExchangeOptions& exchange, int threads)
        : PartedCycle(std::move(space), exchange) {
        std::vector<detail::HostArrays> host;
        for (std::size_t at = 0; at < cuts.shared; ++at)
            host.push_back(detail::host_arrays(*space_, exchange.way, cuts.owner[at].size(), sizeof(std::int32_t),
                                                  sizeof(Wide)));
        const auto brought = std::make_shared<const Lists>(cuts.brought);
        for (const Part& part : cuts.parts.front()) rows_.push_back(part.row);
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
            cycle_.push_back(
                make_part_of_rows_cycle(std::move(own.hierarchy), threads_of_part(threads),
                                std::make_unique<RowLinks>(space_, part, std::move(exchanger), std::move(ghosts), brought)));
            share_.push_back({std::vector<double>(rows_[part].size()), std::vector<double>(rows_[part].size())});
        }
        description_ = fmt::format("{} levels of rows, {} to {} unknowns, the first {} over {} parts",
                                   whole.level.size(), whole.level.front().a.rows, whole.level.back().a.rows,
                                   cuts.shared, space_->parts());
    }

    [[nodiscard]] std::string description() const override { return description_; }

private:
    void correct_part(std::size_t k, std::span<const double> d, std::span<double> c) override {
        auto& [own_d, own_c] = share_[k];
        const std::vector<std::uint32_t>& row = rows_[here_[k]];
        for (std::size_t i = 0; i < row.size(); ++i) own_d[i] = d[row[i]];
        cycle_[k]->correct(own_d, own_c);
        if (all_here())
            for (std::size_t i = 0; i < row.size(); ++i) c[row[i]] = own_c[i];
        else bring_lists<double>(*space_, here_[k], own_c, rows_, c);
    }

    Lists rows_;
    std::vector<std::pair<std::vector<double>, std::vector<double>>> share_; ///< d and c of a part's rows
    std::string description_;
};

std::unique_ptr<Cycle> make_parted_grid_cycle(const std::shared_ptr<Space>& space, const GridWords& grid,
                                              const CycleSpec& spec, const ExchangeOptions& exchange, int threads) {
    const GridStrips strips(grid, space->parts(), kWorthSharing);
    if (strips.shared() == 0) return make_grid_cycle(grid, spec, threads);
    return std::make_unique<PartedGridCycle>(space, grid, spec, strips, exchange, threads);
}

} // namespace

} // namespace mantissa::multilevel

namespace mantissa {

std::unique_ptr<Cycle> make_parted_cycle(const std::shared_ptr<Space>& space, const Partition& partition,
                                         const System& system, const CycleSpec& spec, const ExchangeOptions& exchange,
                                         int threads) {
    using namespace multilevel;
    if (spec.in_double || space->parts() == 1) return make_cycle(system, spec, threads);
    if (const auto grid = grid_words(system); grid && grid->levels() > 1)
        return make_parted_grid_cycle(space, *grid, spec, exchange, threads);
    const WordHierarchy whole = word_hierarchy(system, spec, threads);
    const LevelCuts cuts = cut_levels(whole, partition.owners(), space->parts());
    if (cuts.shared == 0 || !std::ranges::all_of(whole.level, fits_short_words))
        return make_cycle(system, spec, threads);
    return std::make_unique<PartedRowsCycle>(space, whole, cuts, exchange, threads);
}

std::unique_ptr<multilevel::WordSolver> make_parted_word_solver(const std::shared_ptr<Space>& space,
                                                                const multilevel::GridWords& grid,
                                                                const CycleSpec& spec,
                                                                const ExchangeOptions& exchange) {
    if (space->parts() == 1) return multilevel::make_word_solver(grid, spec);
    return multilevel::make_word_solver(
        grid, spec, [space, exchange](const multilevel::GridWords& words, const CycleSpec& given, int threads) {
            return multilevel::make_parted_grid_cycle(space, words, given, exchange, threads);
        });
}

} // namespace mantissa
