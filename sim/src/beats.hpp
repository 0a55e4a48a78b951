// A vector as the memory of a simulation model has it (model_abi.h): beats of as many elements as the core has lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa::sim {

class Beats {
public:
    Beats() = default;
    /// `size` words of `bits` bits (1..64), all 0.
    Beats(std::size_t size, int lanes, int bits)
        : lanes_(static_cast<std::size_t>(lanes)), bits_(static_cast<std::size_t>(bits)),
          stride_((lanes_ * bits_ + 63) / 64), words_((size + lanes_ - 1) / lanes_ * stride_, 0) {}

    void set(std::size_t i, std::uint64_t word) {
        const auto [at, shift] = place(i);
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits_);
        word &= mask;
        words_[at] = (words_[at] & ~(mask << shift)) | (word << shift);
        if (shift + bits_ <= 64) return;
        const std::size_t below = 64 - shift;
        words_[at + 1] = (words_[at + 1] & ~(mask >> below)) | (word >> below);
    }
    [[nodiscard]] std::uint64_t get(std::size_t i) const {
        const auto [at, shift] = place(i);
        std::uint64_t word = words_[at] >> shift;
        if (shift + bits_ > 64) word |= words_[at + 1] << (64 - shift);
        return word & (~std::uint64_t{0} >> (64 - bits_));
    }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    [[nodiscard]] std::uint64_t* data() { return words_.data(); }
    /// The beat that begins with element i, a multiple of the lanes.
    [[nodiscard]] std::uint64_t* data(std::size_t i) { return words_.data() + i / lanes_ * stride_; }

private:
    struct Place {
        std::size_t at, shift;
    };
    [[nodiscard]] Place place(std::size_t i) const {
        const std::size_t bit = i % lanes_ * bits_;
        return {i / lanes_ * stride_ + bit / 64, bit % 64};
    }
    std::size_t lanes_ = 1, bits_ = 64, stride_ = 1;
    std::vector<std::uint64_t> words_;
};

} // namespace mantissa::sim
