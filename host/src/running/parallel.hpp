// Splitting an index range over threads. Internal to host/.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <thread>
#include <vector>

namespace mantissa::running {

/// Below this many elements a second thread costs more than it saves.
inline constexpr std::size_t kParallelGrain = std::size_t{1} << 17;

/// Calls work(begin, end) on consecutive pieces of 0..count, each piece a multiple of `unit` (but the last). An element
/// takes the time of `each` simple ones. `work` must not throw.
template <class Work>
void for_pieces(int threads, std::size_t count, std::size_t unit, const Work& work, std::size_t each = 1) {
    const std::size_t units = (count + unit - 1) / unit;
    const std::size_t wanted = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), units);
    const std::size_t pieces = std::min(wanted, count * each / kParallelGrain + 1);
    if (pieces <= 1) {
        if (count != 0) work(std::size_t{0}, count);
        return;
    }
    const auto bound = [&](std::size_t piece) { return std::min(count, units * piece / pieces * unit); };
    std::vector<std::jthread> others;
    others.reserve(pieces - 1);
    for (std::size_t k = 1; k < pieces; ++k) others.emplace_back([&, k] { work(bound(k), bound(k + 1)); });
    work(bound(0), bound(1));
}

/// Does `good` hold of all elements?
template <class T, class Good> bool all_of(int threads, std::span<const T> v, const Good& good) {
    std::atomic<bool> all{true};
    for_pieces(threads, v.size(), 1, [&](std::size_t begin, std::size_t end) {
        bool some = true; // (without a way out early, several at a time)
        for (std::size_t i = begin; i < end; ++i) some = some & good(v[i]);
        if (!some) all = false;
    });
    return all;
}
inline bool all_finite(int threads, std::span<const double> v) {
    return all_of(threads, v, [](double x) { return std::abs(x) <= std::numeric_limits<double>::max(); });
}

} // namespace mantissa::running
