// One part of a system as a system of its own: its rows and, with empty rows, its ghosts, in the order of the whole
// system's numbers. So the entries of a row keep their order, and sums over them their bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/partition/partition.hpp"
#include "mantissa/system.hpp"

namespace mantissa::detail {

/// For each list of a part (Part::send, Part::receive), in its order, where the elements are in the part's vectors.
struct ExchangePlaces {
    std::vector<std::vector<std::uint32_t>> send, receive;
};
/// `place`: of each row of the whole.
std::vector<std::vector<std::uint32_t>> places_of(const std::vector<Exchange>& lists,
                                                  std::span<const std::uint32_t> place);

struct LocalSystem {
    System system;
    std::vector<std::uint32_t> owned; ///< elements of `system` that are this part's rows, in their order
    std::vector<std::uint32_t> ghost; ///< the other elements, ascending
    ExchangePlaces places;
};

/// `partition` is of `whole`. A grid's is one of strips of whole grid rows, at least two of them at either end.
/// In symmetric bands ghosts keep the couplings to owned rows, so that these have their fluxes and diagonals.
LocalSystem local_system(const System& whole, const Partition& partition, std::uint32_t part);

} // namespace mantissa::detail
