#include "layout.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <string>
#include <thread>

#include "mantissa/format.hpp"

namespace mantissa::gpu {

namespace {

constexpr std::uint32_t kWindow = 2048; ///< rows that are sorted by length together

struct Slice {
    std::uint32_t row, rows, steps, log_lanes;
    bool waits;
};

/// Calls work(i) for i below `count` on some threads; what one throws is thrown after them all.
template <class Work> void on_threads(std::size_t count, std::size_t threads, Work&& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::exception_ptr> failed(std::min(count, std::max<std::size_t>(threads, 1)));
    {
        std::vector<std::jthread> running;
        running.reserve(failed.size());
        for (std::exception_ptr& failure : failed)
            running.emplace_back([&] {
                try {
                    for (std::size_t i = next++; i < count; i = next++) work(i);
                } catch (...) {
                    failure = std::current_exception();
                }
            });
    }
    for (const auto& f : failed)
        if (f) std::rethrow_exception(f);
}

/// One part's layout in the making.
class Maker {
public:
    Maker(const CompressedRows& a, const Partition& partition, std::uint32_t part, std::uint32_t depth,
          std::span<const std::uint32_t> rank)
        : a_(a), partition_(partition), part_(partition.parts()[part]), depth_(depth) {
        if (part_.row.size() >= 1U << 24U)
            throw InvalidInput("sparse CG over GPUs: part " + std::to_string(part) + " has " +
                               std::to_string(part_.row.size()) + " rows, at most 16777215 go; take more parts");
        number_rows(rank);
        for (const Exchange& e : part_.receive) out_.receives_from |= 1U << e.peer;
        for (const Exchange& e : part_.send) out_.sends_to |= 1U << e.peer;
        out_.ghosts = static_cast<std::uint32_t>(part_.received);
        out_.ghost_base = (out_.rows + 31) / 32 * 32;
        local_.assign(a.rows(), kNoEnd);
        for (std::uint32_t i = 0; i < out_.rows; ++i) local_[out_.row[i]] = i;
        std::uint32_t place = out_.ghost_base;
        for (const Exchange& e : part_.receive)
            for (const std::uint32_t row : e.row) local_[row] = place++;
        make_slices();
    }

    [[nodiscard]] std::uint32_t local(std::uint32_t row) const { return local_[row]; }
    [[nodiscard]] const Part& part() const { return part_; }
    SparseLayout& out() { return out_; }

    /// Slices to blocks, neighbouring rows and steps by `shares` (or equal ones), then to the warps of each.
    template <class T>
    void fill(std::uint32_t blocks, std::uint32_t warps, std::span<const double> shares, std::size_t threads) {
        std::vector<double> begin(blocks, 0.0); // of each block, as a share of all steps
        const double all = shares.empty() ? blocks : std::accumulate(shares.begin(), shares.end(), 0.0);
        for (std::uint32_t b = 1; b < blocks; ++b)
            begin[b] = shares.empty() ? double(b) / blocks : begin[b - 1] + shares[b - 1] / all;
        std::vector<std::size_t> first(blocks + 1, slices_.size());
        std::uint64_t sum = 0;
        for (std::size_t s = 0, b = 0; s < slices_.size(); ++s) {
            while (b < blocks && static_cast<double>(sum) >= begin[b] * static_cast<double>(out_.steps)) first[b++] = s;
            sum += slices_[s].steps;
        }
        out_.block_row.assign(blocks + 1, out_.rows);
        for (std::uint32_t b = 0; b < blocks; ++b)
            if (first[b] < slices_.size()) out_.block_row[b] = slices_[first[b]].row;
        std::vector<std::vector<std::uint32_t>> lists(std::size_t{blocks} * warps * 2);
        for (std::uint32_t b = 0; b < blocks; ++b)
            deal(first[b], first[b + 1], &lists[std::size_t{b} * warps * 2], warps);
        for (const bool waits : {false, true}) out_.narrow[waits ? 1 : 0] = all_narrow(lists, waits, threads);
        write<T>(lists, threads);
    }

private:
    [[nodiscard]] std::uint64_t length(std::uint32_t row) const {
        return a_.row_begin()[row + 1] - a_.row_begin()[row];
    }

    void number_rows(std::span<const std::uint32_t> rank) {
        out_.rows = static_cast<std::uint32_t>(part_.row.size());
        out_.row = part_.row;
        if (!rank.empty()) std::ranges::sort(out_.row, {}, [&](std::uint32_t r) { return rank[r]; });
        waits_.assign(a_.rows(), false);
        for (const std::uint32_t r : part_.boundary) waits_[r] = true;
        for (std::size_t i = 0; i < out_.row.size(); i += kWindow) {
            const auto begin = out_.row.begin() + static_cast<std::ptrdiff_t>(i);
            const auto end = out_.row.begin() + static_cast<std::ptrdiff_t>(std::min(i + kWindow, out_.row.size()));
            std::stable_sort(begin, end, [&](std::uint32_t x, std::uint32_t y) {
                if (waits_[x] != waits_[y]) return !waits_[x];
                const std::uint32_t lx = log_lanes_of(length(x), depth_), ly = log_lanes_of(length(y), depth_);
                return lx != ly ? lx > ly : length(x) > length(y);
            });
        }
    }

    void make_slices() {
        for (std::uint32_t i = 0; i < out_.rows;) {
            const std::uint32_t row = out_.row[i], log_lanes = log_lanes_of(length(row), depth_);
            Slice s{i, 0, 1, log_lanes, waits_[row]};
            for (; i < out_.rows && s.rows < 32U >> log_lanes; ++i, ++s.rows) {
                const std::uint32_t next = out_.row[i];
                if (waits_[next] != s.waits || log_lanes_of(length(next), depth_) != log_lanes) break;
                const auto steps = static_cast<std::uint32_t>((length(next) + (1U << log_lanes) - 1) >> log_lanes);
                s.steps = std::max(s.steps, steps);
            }
            out_.steps += s.steps;
            slices_.push_back(s);
        }
    }

    /// Slices first .. end - 1 to a block's warps: the longest first, each to the warp with the fewest steps; those
    /// that wait last. A warp's own slices keep their order.
    void deal(std::size_t first, std::size_t end, std::vector<std::uint32_t>* lists, std::uint32_t warps) const {
        std::vector<std::uint32_t> order;
        for (std::size_t s = first; s < end; ++s) order.push_back(static_cast<std::uint32_t>(s));
        std::ranges::stable_sort(order, [&](std::uint32_t x, std::uint32_t y) {
            if (slices_[x].waits != slices_[y].waits) return !slices_[x].waits;
            return slices_[x].steps > slices_[y].steps;
        });
        using Load = std::pair<std::uint64_t, std::uint32_t>;
        std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
        for (std::uint32_t w = 0; w < warps; ++w) least.emplace(0, w);
        for (const std::uint32_t s : order) {
            const auto [load, w] = least.top();
            least.pop();
            lists[2 * w + (slices_[s].waits ? 1 : 0)].push_back(s);
            least.emplace(load + slices_[s].steps, w);
        }
        for (std::uint32_t l = 0; l < 2 * warps; ++l) std::ranges::sort(lists[l]);
    }

    /// Calls step(number, slice, d, ends) for the steps of a list.
    template <class Step> void for_steps(const std::vector<std::uint32_t>& list, Step&& step) const {
        std::uint32_t number = 0;
        for (const std::uint32_t s : list)
            for (std::uint32_t d = 0; d < slices_[s].steps; ++d) step(number++, slices_[s], d);
    }
    /// Calls entry(lane, k) for the entries of step d of a slice: k is the place in the matrix, or none.
    template <class Entry> void for_lanes(const Slice& s, std::uint32_t d, Entry&& entry) const {
        const std::uint32_t lanes = 1U << s.log_lanes;
        for (std::uint32_t i = 0; i < s.rows; ++i) {
            const std::uint32_t row = out_.row[s.row + i];
            const std::uint64_t begin = a_.row_begin()[row], end = a_.row_begin()[row + 1];
            for (std::uint32_t l = 0; l < lanes; ++l) {
                const std::uint64_t k = begin + (std::uint64_t{d} << s.log_lanes) + l;
                if (k < end) entry(i * lanes + l, k);
            }
        }
    }

    [[nodiscard]] bool is_narrow(const std::vector<std::uint32_t>& list) const {
        std::uint32_t least = kNoEnd, most = 0;
        bool fits = true;
        for_steps(list, [&](std::uint32_t number, const Slice& s, std::uint32_t d) {
            if (number % kChunkSteps == 0) least = kNoEnd, most = 0;
            for_lanes(s, d, [&](std::uint32_t, std::uint64_t k) {
                const std::uint32_t c = local_[a_.column()[k]];
                least = std::min(least, c);
                most = std::max(most, c);
            });
            fits = fits && (least == kNoEnd || most - least < 65536);
        });
        return fits;
    }
    [[nodiscard]] bool all_narrow(const std::vector<std::vector<std::uint32_t>>& lists, bool waits,
                                  std::size_t threads) const {
        std::atomic<bool> fits = true;
        on_threads(lists.size() / 2, threads, [&](std::size_t warp) {
            if (fits && !is_narrow(lists[2 * warp + (waits ? 1 : 0)])) fits = false;
        });
        return fits;
    }

    template <class T> void write(const std::vector<std::vector<std::uint32_t>>& lists, std::size_t threads) {
        const auto chunks_of = [](std::uint32_t steps) { return (steps + kChunkSteps - 1) / kChunkSteps; };
        out_.warp_steps.assign(lists.size(), 0);
        out_.warp_offset.assign(lists.size() / 2, 0);
        std::uint64_t most = 0;
        for (std::size_t l = 0; l < lists.size(); ++l) {
            for (const std::uint32_t s : lists[l]) out_.warp_steps[l] += slices_[s].steps;
            if (l % 2 == 0) most = std::max<std::uint64_t>(most, chunks_of(out_.warp_steps[l]));
        }
        const std::uint64_t apart = lists.size() / 2 * chunk_bytes(out_.narrow[0], sizeof(T));
        std::uint64_t bytes = most * apart;
        for (std::size_t l = 1; l < lists.size(); l += 2) {
            out_.warp_offset[l / 2] = bytes;
            bytes += std::uint64_t{chunks_of(out_.warp_steps[l])} * chunk_bytes(out_.narrow[1], sizeof(T));
        }
        out_.stream.assign(bytes, std::byte{0});
        on_threads(lists.size(), threads, [&](std::size_t l) {
            if (l % 2 == 0)
                write_list<T>(lists[l], out_.narrow[0],
                              out_.stream.data() + l / 2 * chunk_bytes(out_.narrow[0], sizeof(T)), apart);
            else
                write_list<T>(lists[l], out_.narrow[1], out_.stream.data() + out_.warp_offset[l / 2],
                              chunk_bytes(out_.narrow[1], sizeof(T)));
        });
    }

    template <class T>
    void write_list(const std::vector<std::uint32_t>& list, bool narrow, std::byte* to, std::uint64_t apart) const {
        const std::uint32_t index = narrow ? 2 : 4;
        std::vector<std::pair<const Slice*, std::uint32_t>> steps;
        for_steps(list, [&](std::uint32_t, const Slice& s, std::uint32_t d) { steps.emplace_back(&s, d); });
        for (std::size_t first = 0; first < steps.size(); first += kChunkSteps, to += apart) {
            const std::size_t end = std::min(first + kChunkSteps, steps.size());
            std::uint32_t least = kNoEnd;
            for (std::size_t k = first; narrow && k < end; ++k)
                for_lanes(*steps[k].first, steps[k].second,
                          [&](std::uint32_t, std::uint64_t e) { least = std::min(least, local_[a_.column()[e]]); });
            const std::uint32_t base = least == kNoEnd ? 0 : least;
            std::uint32_t ends = 0;
            for (std::size_t k = first; k < end; ++k)
                if (steps[k].second + 1 == steps[k].first->steps) ends |= 1U << (k - first);
            std::memcpy(to, &base, 4);
            std::memcpy(to + 4, &ends, 4);
            for (std::size_t k = first; k < first + kChunkSteps; ++k) {
                std::uint32_t word = kNoEnd;
                if (k < end) {
                    const Slice& s = *steps[k].first;
                    if (steps[k].second + 1 == s.steps) word = slice_end(s.row, s.rows, s.log_lanes);
                    const auto step = static_cast<std::uint32_t>(k - first);
                    // Padding: the chunk's first column, whose element is read anyway, and no value.
                    for_lanes(s, steps[k].second, [&](std::uint32_t lane, std::uint64_t e) {
                        const std::uint32_t c = local_[a_.column()[e]] - base;
                        const auto value = static_cast<T>(a_.value()[e]);
                        std::memcpy(to + column_place(step, lane, narrow), &c, index);
                        std::memcpy(to + value_place(step, lane, narrow, sizeof(T)), &value, sizeof(T));
                    });
                }
                std::memcpy(to + 16 + (k - first) * 4, &word, 4);
            }
        }
    }

    const CompressedRows& a_;
    const Partition& partition_;
    const Part& part_;
    std::uint32_t depth_;
    std::vector<bool> waits_;
    std::vector<std::uint32_t> local_;
    std::vector<Slice> slices_;
    SparseLayout out_;
};

/// What each part sends, by block, peer and place.
void write_sends(std::vector<Maker>& makers, std::uint32_t part, std::uint32_t blocks) {
    SparseLayout& out = makers[part].out();
    std::vector<std::vector<SparseSend>> by_block(blocks);
    for (const Exchange& e : makers[part].part().send)
        for (const std::uint32_t row : e.row) {
            const std::uint32_t own = makers[part].local(row);
            const auto block =
                std::upper_bound(out.block_row.begin() + 1, out.block_row.end(), own) - out.block_row.begin() - 1;
            by_block[static_cast<std::size_t>(block)].push_back({own | e.peer << 24U, makers[e.peer].local(row)});
        }
    out.block_send.assign(1, 0);
    for (const auto& list : by_block) {
        out.send.insert(out.send.end(), list.begin(), list.end());
        out.block_send.push_back(static_cast<std::uint32_t>(out.send.size()));
    }
}

} // namespace

std::uint32_t row_depth(std::uint64_t nonzeros) {
    // Some twelve slices for each of the 2112 warps of a device, if the matrix is cut in two.
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(nonzeros / 32 / 2112 / 24, 4, 48));
}

std::uint32_t log_lanes_of(std::uint64_t length, std::uint32_t depth) {
    // The fewest threads that keep a row within the depth, or up to twice as many where that pads less.
    std::uint32_t log = 0;
    while (log < 5 && (length + (1U << log) - 1) >> log > depth) ++log;
    const auto padded = [&](std::uint32_t l) { return ((length + (1U << l) - 1) >> l) << l; };
    if (log > 0 && padded(log) * 50 > padded(log - 1) * 51) --log;
    return log;
}

std::vector<SparseLayout> sparse_layouts(const CompressedRows& a, const Partition& partition,
                                         std::span<const std::uint32_t> rank, std::uint32_t blocks,
                                         std::uint32_t warps_a_block, bool single_precision,
                                         std::span<const double> shares) {
    const auto parts = static_cast<std::uint32_t>(partition.parts().size());
    const std::uint32_t depth = row_depth(a.nonzeros());
    const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 32);
    std::vector<std::optional<Maker>> made(parts);
    on_threads(parts, parts, [&](std::size_t p) {
        made[p].emplace(a, partition, static_cast<std::uint32_t>(p), depth, rank);
        const auto own = shares.empty() ? shares : shares.subspan(p * blocks, blocks);
        const std::size_t each = std::max<std::size_t>(threads / parts, 1);
        if (single_precision) made[p]->fill<float>(blocks, warps_a_block, own, each);
        else made[p]->fill<double>(blocks, warps_a_block, own, each);
    });
    std::vector<Maker> makers;
    makers.reserve(parts);
    for (std::optional<Maker>& m : made) makers.push_back(std::move(*m));
    std::vector<SparseLayout> layouts;
    layouts.reserve(parts);
    for (std::uint32_t p = 0; p < parts; ++p) write_sends(makers, p, blocks);
    for (Maker& m : makers) layouts.push_back(std::move(m.out()));
    return layouts;
}

std::vector<double> shares_of_equal_time(std::span<const double> shares, std::span<const double> took) {
    const double each = std::accumulate(took.begin(), took.end(), 0.0) / static_cast<double>(took.size());
    std::vector<double> next(shares.size(), 0.0);
    std::size_t b = 0;     // the old block whose steps are dealt out,
    double left = took[0]; // and what of its time is left
    for (std::size_t i = 0; i < next.size(); ++i)
        for (double room = i + 1 < next.size() ? each : 2 * each; room > 0 && b < took.size();) {
            const double part = std::min(room, left);
            if (took[b] > 0) next[i] += shares[b] * part / took[b];
            room -= part;
            left -= part;
            if (left > 0) continue;
            if (++b < took.size()) left = took[b];
        }
    return next;
}

} // namespace mantissa::gpu
