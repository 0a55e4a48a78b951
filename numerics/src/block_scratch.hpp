// What BlockAlgebra's rows work in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mantissa/block_algebra.hpp"

namespace mantissa {

struct BlockAlgebra::Scratch {
    std::array<std::vector<double>, kBands> term;
    std::vector<double> neighbour, sum;
    explicit Scratch(std::size_t block) : neighbour(block), sum(block) {
        for (auto& t : term) t.resize(block);
    }
};

/// x[begin + shift], ..., n elements, with +0 for those outside x: in x itself or, where some are outside, in `room`.
inline const double* shifted(std::span<const double> x, std::size_t begin, std::size_t n, std::ptrdiff_t shift,
                             std::vector<double>& room) {
    if (shift < 0 && begin < static_cast<std::size_t>(-shift)) {
        const std::size_t outside = std::min(n, static_cast<std::size_t>(-shift) - begin);
        std::fill_n(room.data(), outside, 0.0);
        if (outside < n)
            std::copy_n(x.data() + (begin + outside - static_cast<std::size_t>(-shift)), n - outside,
                        room.data() + outside);
        return room.data();
    }
    if (shift > 0 && begin + n + static_cast<std::size_t>(shift) > x.size()) {
        const std::size_t first = begin + static_cast<std::size_t>(shift);
        const std::size_t inside = first < x.size() ? std::min(n, x.size() - first) : 0;
        if (inside > 0) std::copy_n(x.data() + first, inside, room.data());
        std::fill_n(room.data() + inside, n - inside, 0.0);
        return room.data();
    }
    return x.data() + begin + shift;
}

} // namespace mantissa
