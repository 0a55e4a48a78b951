// One part's side of an exchange: elements of a vector over the cuts, and what all parts found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "local_system.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa::detail {

/// What the parts of one system share where they exchange through the host: an array of all elements and one of
/// findings, each twice, so that nobody writes what another has still to read. Null members: they do not.
struct HostArrays {
    std::shared_ptr<HostArray> elements, findings;
};
/// `element` and `finding`: bytes of one.
inline HostArrays host_arrays(Space& space, ExchangeWay way, std::size_t rows, std::size_t element,
                              std::size_t finding) {
    if (way == ExchangeWay::neighbours) return {};
    return {space.host_array(2 * rows * element), space.host_array(2 * space.parts() * finding)};
}

class Exchanger {
public:
    /// `places`: of the elements that `own` sends and receives. `element`: bytes of one on its way. `counts` may be
    /// null.
    Exchanger(std::shared_ptr<Space> space, std::uint32_t part, const Part& own, ExchangePlaces places,
              std::size_t element, HostArrays host, std::shared_ptr<ExchangeCounts> counts)
        : space_(std::move(space)), part_(part), send_(std::move(places.send)), receive_(std::move(places.receive)),
          host_(std::move(host)), counts_(part == space_->here().front() ? std::move(counts) : nullptr) {
        for (const Exchange& list : own.send) {
            out_.push_back({list.peer, std::vector<std::byte>(list.row.size() * element)});
            send_row_.push_back(list.row);
        }
        for (const Exchange& list : own.receive) {
            in_.push_back({list.peer, std::vector<std::byte>(list.row.size() * element)});
            receive_row_.push_back(list.row);
        }
        if (host_.elements != nullptr) sent_ = own.sent; // each once
        else
            for (const Exchange& list : own.send) sent_ += list.row.size();
    }

    /// Elements that others need go, ghosts come, as numbers of the type `Wire`.
    template <class Wire, class Element> void exchange(std::span<Element> v) {
        if (host_.elements != nullptr) through_host<Wire>(v);
        else between_neighbours<Wire>(v);
        count(sent_);
    }
    /// `all`, one for each part, becomes what the parts have found. Findings are copied as bytes.
    template <class Found> void gather(const Found& mine, std::span<Found> all) {
        static_assert(std::is_trivially_copyable_v<Found>);
        if (host_.findings == nullptr) {
            space_->gather(part_, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(all));
        } else {
            std::byte* const base = host_.findings->bytes().data() + (findings_turn_ ? all.size_bytes() : 0);
            findings_turn_ = !findings_turn_;
            std::memcpy(base + part_ * sizeof mine, &mine, sizeof mine);
            space_->synchronise(part_);
            std::memcpy(all.data(), base, all.size_bytes());
        }
        count(0);
    }
    void iteration() {
        if (counts_ != nullptr) ++counts_->iterations;
    }
    /// An exchange in which this part gave so many elements.
    void count(std::size_t elements) {
        if (counts_ == nullptr) return;
        ++counts_->synchronisations;
        counts_->elements += elements;
    }

private:
    template <class Wire, class Element> void between_neighbours(std::span<Element> v) {
        for (std::size_t k = 0; k < out_.size(); ++k)
            for (std::size_t i = 0; i < send_[k].size(); ++i) {
                const auto wire = static_cast<Wire>(v[send_[k][i]]);
                std::memcpy(out_[k].bytes.data() + i * sizeof wire, &wire, sizeof wire);
            }
        space_->exchange(part_, out_, in_);
        for (std::size_t k = 0; k < in_.size(); ++k)
            for (std::size_t i = 0; i < receive_[k].size(); ++i) {
                Wire wire;
                std::memcpy(&wire, in_[k].bytes.data() + i * sizeof wire, sizeof wire);
                v[receive_[k][i]] = static_cast<Element>(wire);
            }
    }
    template <class Wire, class Element> void through_host(std::span<Element> v) {
        const std::size_t half = host_.elements->bytes().size() / 2;
        std::byte* const base = host_.elements->bytes().data() + (elements_turn_ ? half : 0);
        elements_turn_ = !elements_turn_;
        for (std::size_t k = 0; k < send_.size(); ++k)
            for (std::size_t i = 0; i < send_[k].size(); ++i) {
                const auto wire = static_cast<Wire>(v[send_[k][i]]);
                std::memcpy(base + send_row_[k][i] * sizeof wire, &wire, sizeof wire);
            }
        space_->synchronise(part_);
        for (std::size_t k = 0; k < receive_.size(); ++k)
            for (std::size_t i = 0; i < receive_[k].size(); ++i) {
                Wire wire;
                std::memcpy(&wire, base + receive_row_[k][i] * sizeof wire, sizeof wire);
                v[receive_[k][i]] = static_cast<Element>(wire);
            }
    }

    std::shared_ptr<Space> space_;
    std::uint32_t part_;
    std::vector<std::vector<std::uint32_t>> send_, receive_;         ///< places in the part's system
    std::vector<std::vector<std::uint32_t>> send_row_, receive_row_; ///< rows of the whole
    std::vector<Parcel> out_, in_;
    HostArrays host_;
    std::shared_ptr<ExchangeCounts> counts_;
    std::size_t sent_ = 0;
    bool elements_turn_ = false, findings_turn_ = false;
};

} // namespace mantissa::detail
