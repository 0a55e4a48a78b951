#include "strips.hpp"

#include <algorithm>

namespace mantissa::multilevel {

namespace {

/// Exchanges of a halo of `above` and `below` rows on one level.
detail::Exchanger halo_exchanger(const std::shared_ptr<Space>& space, std::uint32_t part, const GridStrips& strips,
                                 std::size_t level, std::size_t above, std::size_t below, std::size_t element,
                                 const detail::HostArrays& host, const std::shared_ptr<ExchangeCounts>& counts) {
    const std::size_t n = strips.side(level);
    const Strip own = strips.own(level, part);
    const std::size_t kept = own.first - std::min(own.first, GridLinks::kMostHalo);
    Part lists;
    detail::ExchangePlaces places;
    const auto add = [&](std::vector<Exchange>& list, std::vector<std::vector<std::uint32_t>>& at, std::uint32_t peer,
                         std::size_t first, std::size_t end) {
        if (first == end) return;
        list.push_back({peer, {}});
        at.emplace_back();
        for (std::size_t i = first * n; i < end * n; ++i) {
            list.back().row.push_back(static_cast<std::uint32_t>(i));
            at.back().push_back(static_cast<std::uint32_t>(i - kept * n));
        }
    };
    if (part > 0) {
        add(lists.receive, places.receive, part - 1, own.first - above, own.first);
        add(lists.send, places.send, part - 1, own.first, own.first + below);
    }
    if (part + 1 < space->parts()) {
        add(lists.receive, places.receive, part + 1, own.end, own.end + below);
        add(lists.send, places.send, part + 1, own.end - above, own.end);
    }
    for (const Exchange& list : lists.send) lists.sent += list.row.size();
    return {space, part, lists, std::move(places), element, host, counts};
}

class StripLinks final : public GridLinks {
public:
    StripLinks(std::shared_ptr<Space> space, std::uint32_t part, const GridStrips& strips, const CycleSpec& spec,
               const GridHost& host, const std::shared_ptr<ExchangeCounts>& counts)
        : space_(std::move(space)), part_(part), strips_(strips), all_(space_->parts()) {
        const auto steps = static_cast<std::size_t>(spec.before);
        for (std::size_t at = 0; at < strips.shared(); ++at) {
            residual_.push_back(halo_exchanger(space_, part, strips, at, steps + 1, steps, sizeof(std::int16_t),
                                               host.residuals[at], counts));
            correction_.push_back(
                halo_exchanger(space_, part, strips, at, 0, 1, sizeof(std::int32_t), host.corrections[at], counts));
            iterate_.push_back(halo_exchanger(space_, part, strips, at, 1, 1, sizeof(Wide), host.iterates[at], counts));
        }
    }
    [[nodiscard]] std::size_t shared() const override { return strips_.shared(); }
    [[nodiscard]] Strip own(std::size_t level) const override { return strips_.own(level, part_); }
    void residual(std::size_t level, std::span<std::int16_t> r) override { residual_[level].exchange<std::int16_t>(r); }
    void correction(std::size_t level, std::span<std::int32_t> v) override {
        correction_[level].exchange<std::int32_t>(v);
    }
    void iterate(std::size_t level, std::span<std::int32_t> e) override { iterate_[level].exchange<std::int32_t>(e); }
    void iterate(std::size_t level, std::span<Wide> e) override { iterate_[level].exchange<Wide>(e); }
    [[nodiscard]] Wide largest(Wide mine) override {
        correction_.front().gather(mine, std::span(all_));
        return std::ranges::max(all_);
    }
    void bring(std::span<std::int32_t> whole) override { bring_rows(whole); }
    void bring(std::span<Wide> whole) override { bring_rows(whole); }

private:
    template <class T> void bring_rows(std::span<T> whole) {
        const std::size_t level = strips_.shared(), n = strips_.side(level);
        const auto rows = [&](std::uint32_t part) {
            const Strip own = strips_.own(level, part);
            return whole.subspan(own.first * n, (own.end - own.first) * n);
        };
        std::size_t most = 0;
        for (std::uint32_t p = 0; p < all_.size(); ++p) most = std::max(most, rows(p).size());
        std::vector<T> mine(most), all(most * all_.size());
        std::ranges::copy(rows(part_), mine.begin());
        correction_.front().count(rows(part_).size());
        space_->gather(part_, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
        for (std::uint32_t p = 0; p < all_.size(); ++p)
            std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(p * most), rows(p).size(), rows(p).begin());
    }

    std::shared_ptr<Space> space_;
    std::uint32_t part_;
    GridStrips strips_;
    std::vector<detail::Exchanger> residual_, correction_, iterate_; ///< of each shared level
    std::vector<Wide> all_;
};

} // namespace

GridStrips::GridStrips(const GridWords& grid, std::uint32_t parts, std::size_t least)
    : row_length_(grid.row_length), parts_(parts) {
    const auto worth = [&](std::size_t level) { return side(level) * side(level) >= least; };
    // (Strips of a shared level have twice the rows of the next one's.)
    while (shared_ + 1 < grid.levels() && worth(shared_) && 2 * (side(shared_ + 1) / parts) >= GridLinks::kMostHalo)
        ++shared_;
}

Strip GridStrips::own(std::size_t level, std::uint32_t part) const {
    const std::size_t coarse = side(shared_), scale = shared_ - level;
    const auto border = [&](std::size_t p) { return p == parts_ ? side(level) : coarse * p / parts_ << scale; };
    return {border(part), border(part + 1)};
}

Partition GridStrips::partition() const {
    std::vector<std::uint32_t> owner(row_length_ * row_length_);
    for (std::uint32_t part = 0; part < parts_; ++part) {
        const Strip strip = own(0, part);
        std::fill(owner.begin() + static_cast<std::ptrdiff_t>(strip.first * row_length_),
                  owner.begin() + static_cast<std::ptrdiff_t>(strip.end * row_length_), part);
    }
    const auto side = static_cast<std::uint32_t>(row_length_);
    return {side, side, owner, parts_};
}

GridHost grid_host(Space& space, const GridStrips& strips, ExchangeWay way) {
    GridHost host;
    for (std::size_t at = 0; at < strips.shared(); ++at) {
        const std::size_t nodes = strips.side(at) * strips.side(at);
        host.residuals.push_back(detail::host_arrays(space, way, nodes, sizeof(std::int16_t), sizeof(Wide)));
        host.corrections.push_back(detail::host_arrays(space, way, nodes, sizeof(std::int32_t), sizeof(Wide)));
        host.iterates.push_back(detail::host_arrays(space, way, nodes, sizeof(Wide), sizeof(Wide)));
    }
    return host;
}

std::unique_ptr<GridLinks> make_grid_links(const std::shared_ptr<Space>& space, std::uint32_t part,
                                           const GridStrips& strips, const CycleSpec& spec, const GridHost& host,
                                           const std::shared_ptr<ExchangeCounts>& counts) {
    return std::make_unique<StripLinks>(space, part, strips, spec, host, counts);
}

} // namespace mantissa::multilevel
