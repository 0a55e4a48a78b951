// Work of the parts that live in this process, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "mantissa/partition/space.hpp"

namespace mantissa::detail {

/// body(k) for each part `here[k]`, in a thread of its own where there are several. One that throws leaves the space,
/// so that the others end; then the first exception goes on.
template <class Body> void on_every_part(Space& space, std::span<const std::uint32_t> here, Body&& body) {
    std::vector<std::exception_ptr> fault(here.size());
    const auto guarded = [&](std::size_t k) {
        try {
            body(k);
        } catch (...) {
            fault[k] = std::current_exception();
            space.leave(here[k]);
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < here.size(); ++k) others.emplace_back(guarded, k);
    guarded(0);
    others.clear();
    for (const std::exception_ptr& e : fault)
        if (e) std::rethrow_exception(e);
}

} // namespace mantissa::detail
