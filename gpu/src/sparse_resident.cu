#include "sparse_resident.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "mantissa/sparse/formats.hpp"
#include "sparse_resident.cuh"

namespace mantissa::gpu {

namespace {

/// Rows in an order in which those of a part are neighbours in the matrix's graph, and where the parts begin and end.
struct Parts {
    std::vector<std::uint32_t> row, begin;
};

/// `parts` parts of about as much work, grown one after the other: from a row beside those before, by its neighbours,
/// theirs, and so on. A part of a surface is a patch, most of whose neighbours are its own. A row's work is its entries
/// and a few more.
Parts grow_parts(const CompressedRows& a, std::uint32_t parts) {
    constexpr std::uint64_t kRowItself = 4;
    const auto rows = static_cast<std::uint32_t>(a.rows());
    const auto work = [&](std::uint32_t i) { return a.row_begin()[i + 1] - a.row_begin()[i] + kRowItself; };
    std::uint64_t left = a.nonzeros() + kRowItself * rows;
    Parts result;
    result.row.reserve(rows);
    std::vector<std::uint8_t> taken(rows, 0), seen(rows, 0); // seen: waits at the edge of what is taken
    std::vector<std::uint32_t> edge;
    std::size_t next_edge = 0, own = 0; // rows of result.row whose neighbours were looked at
    std::uint32_t next_row = 0;
    for (std::uint32_t part = 0; part < parts && result.row.size() < rows; ++part) {
        result.begin.push_back(static_cast<std::uint32_t>(result.row.size()));
        own = result.row.size();
        const std::uint64_t goal = left / (parts - part);
        std::uint64_t has = 0;
        const auto take = [&](std::uint32_t i) {
            taken[i] = 1;
            result.row.push_back(i);
            has += work(i);
        };
        while (result.row.size() < rows &&
               (has == 0 || has + work(result.row.back()) / 2 < goal || part + 1 == parts)) {
            if (own == result.row.size()) { // a seed: at the edge, or anywhere
                while (next_edge < edge.size() && taken[edge[next_edge]] != 0) ++next_edge;
                while (next_edge == edge.size() && taken[next_row] != 0) ++next_row;
                take(next_edge < edge.size() ? edge[next_edge] : next_row);
            }
            const std::uint32_t i = result.row[own++];
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
                const std::uint32_t j = a.column()[k];
                if (taken[j] != 0) continue;
                if (has < goal || part + 1 == parts) take(j);
                else if (seen[j] == 0) {
                    seen[j] = 1;
                    edge.push_back(j);
                }
            }
        }
        for (; own < result.row.size(); ++own) // what lies beside is where the next parts begin
            for (std::uint64_t k = a.row_begin()[result.row[own]]; k < a.row_begin()[result.row[own] + 1]; ++k) {
                const std::uint32_t j = a.column()[k];
                if (taken[j] == 0 && seen[j] == 0) {
                    seen[j] = 1;
                    edge.push_back(j);
                }
            }
        left -= has;
    }
    result.begin.push_back(rows);
    return result;
}

/// A slice's entries in the making. Threads that read p together (as many as fill the 32 banks) should read from
/// different banks, so of a row's entries each takes one whose banks the others before it leave free.
template <class Slice, class T> class SliceMaker {
public:
    void add(std::uint32_t row, std::uint32_t place, T value) {
        left_[row][place % kClasses].push_back({static_cast<std::uint16_t>(place), value});
        ++count_[row];
    }
    /// Behind it the maker is empty again.
    void write(std::vector<std::uint16_t>& column, std::vector<T>& value) {
        const std::uint32_t longest = *std::ranges::max_element(count_);
        for (std::uint32_t step = 0; step * Slice::kSlots < longest; ++step)
            for (std::uint32_t group = 0; group < Slice::kStep; group += kClasses) {
                std::array<std::uint32_t, kClasses> taken{};
                for (std::uint32_t k = group; k < group + kClasses; ++k) {
                    const Entry e = take(k / Slice::kSlots, taken);
                    column.push_back(e.place);
                    value.push_back(e.value);
                }
            }
    }

private:
    struct Entry {
        std::uint16_t place;
        T value;
    };
    static constexpr std::uint32_t kClasses = Slice::kBankGroups;
    static_assert(Slice::kStep % kClasses == 0);

    /// An entry of the row from the least taken banks, of those from where the row has most; or, where it has none
    /// left, nothing times the place that is there in every block.
    Entry take(std::uint32_t row, std::array<std::uint32_t, kClasses>& taken) {
        if (count_[row] == 0) return {0, T(0)};
        std::uint32_t best = kClasses;
        for (std::uint32_t c = 0; c < kClasses; ++c) {
            if (left_[row][c].empty()) continue;
            if (best == kClasses || taken[c] < taken[best] ||
                (taken[c] == taken[best] && left_[row][c].size() > left_[row][best].size()))
                best = c;
        }
        const Entry e = left_[row][best].back();
        left_[row][best].pop_back();
        --count_[row];
        ++taken[best];
        return e;
    }

    std::array<std::array<std::vector<Entry>, kClasses>, Slice::kRows> left_;
    std::array<std::uint32_t, Slice::kRows> count_{};
};

template <int N, int K, class T> void launch_resident_solve(ResidentSolve<N, T> s, std::uint32_t blocks) {
    const auto kernel = several_resident<N, K, T>;
    const std::size_t shared = s.shape.template bytes<T>(Several<T, N>::kStride);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute of several_resident");
    void* arguments[] = {&s};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kResidentSolveThreads),
                                      arguments, shared, nullptr),
          "launch of several_resident");
}

/// Static shared memory of the kernels, with room to spare.
constexpr std::size_t kSharedBesides = 4096;

} // namespace

template <int N, class T> std::unique_ptr<ResidentMatrix<N, T>> ResidentMatrix<N, T>::make(const CompressedRows& a) {
    constexpr std::uint32_t kRowsABlock = 16; // at least: fewer blocks meet sooner
    const DeviceInfo& device = require_device();
    const auto processors = static_cast<std::uint32_t>(device.multiprocessors);
    const std::size_t room = device.shared_per_block - kSharedBesides;
    const auto rows = static_cast<std::uint32_t>(a.rows());
    if (a.nonzeros() * (sizeof(T) + 2) > room * processors) return nullptr;
    for (std::uint32_t i = 0; i < rows; ++i)
        if (a.row_begin()[i + 1] - a.row_begin()[i] > kLongestResident) return nullptr;
    Parts parts = grow_parts(a, std::clamp(rows / kRowsABlock, 1U, processors));
    const auto blocks = static_cast<std::uint32_t>(parts.begin.size() - 1);
    const auto length = [&](std::uint32_t i) { return a.row_begin()[i + 1] - a.row_begin()[i]; };
    for (std::uint32_t b = 0; b < blocks; ++b) // rows of a slice should be of one length
        std::stable_sort(parts.row.begin() + parts.begin[b], parts.row.begin() + parts.begin[b + 1],
                         [&](std::uint32_t i, std::uint32_t j) { return length(i) > length(j); });
    using Slice = ResidentSlice<N, T>;
    constexpr std::uint32_t kMostPlaces = std::numeric_limits<std::uint16_t>::max();
    std::vector<std::uint32_t> rank(rows), slices{0}, begin{0}, ghosts{0}, ghost, place(rows), owner(rows, blocks);
    for (std::uint32_t k = 0; k < rows; ++k) rank[parts.row[k]] = k;
    std::vector<std::uint16_t> column;
    std::vector<T> value;
    column.reserve(a.nonzeros());
    value.reserve(a.nonzeros());
    ResidentShape shape{};
    SliceMaker<Slice, T> slice; // its lists keep their room
    for (std::uint32_t b = 0; b < blocks; ++b) {
        const std::uint32_t first = parts.begin[b], end = parts.begin[b + 1];
        const std::size_t before = column.size();
        std::uint32_t places = end - first;
        const auto place_of = [&](std::uint32_t c) { // of a row beside the block's: a new one at first sight
            if (c >= first && c < end) return c - first;
            if (owner[c] != b) {
                owner[c] = b;
                place[c] = places++;
                ghost.push_back(c);
            }
            return place[c];
        };
        for (std::uint32_t head = first; head < end; head += Slice::kRows) {
            for (std::uint32_t k = head; k < std::min(end, head + Slice::kRows); ++k)
                for (std::uint64_t e = a.row_begin()[parts.row[k]]; e < a.row_begin()[parts.row[k] + 1]; ++e)
                    slice.add(k - head, place_of(rank[a.column()[e]]), static_cast<T>(a.value()[e]));
            slice.write(column, value);
            begin.push_back(static_cast<std::uint32_t>(column.size()));
        }
        slices.push_back(static_cast<std::uint32_t>(begin.size() - 1));
        ghosts.push_back(static_cast<std::uint32_t>(ghost.size()));
        shape.most_rows = std::max(shape.most_rows, end - first);
        shape.most_slices = std::max(shape.most_slices, slices[b + 1] - slices[b]);
        shape.most_ghosts = std::max(shape.most_ghosts, places - (end - first));
        shape.most_places = std::max(shape.most_places, places);
        shape.most_entries = std::max(shape.most_entries, static_cast<std::uint32_t>(column.size() - before));
        if (places > kMostPlaces) return nullptr;
    }
    if (shape.most_rows > kResidentRows<N> * kResidentSolveDepth || shape.bytes<T>(Several<T, N>::kStride) > room)
        return nullptr;
    std::unique_ptr<ResidentMatrix> m(new ResidentMatrix);
    m->blocks_ = blocks;
    m->shape_ = shape;
    m->part_ = to_device(parts.begin);
    m->row_ = to_device(parts.row);
    m->slices_ = to_device(slices);
    m->begin_ = to_device(begin);
    m->column_ = to_device(column);
    m->ghosts_ = to_device(ghosts);
    m->ghost_ = to_device(ghost);
    m->value_ = to_device(value);
    return m;
}

template <int N, class T>
double ResidentMatrix<N, T>::solve(const T* inverse, const T* r, T* x, T* p, SeveralState<N>* state, bool again) const {
    Buffer<Packet> packets(std::size_t{4 * N} * blocks_);
    packets.zero();
    Buffer<unsigned long long> meetings(1);
    meetings.zero();
    const ResidentSolve<N, T> s{part_.data(),
                                row_.data(),
                                slices_.data(),
                                begin_.data(),
                                column_.data(),
                                ghosts_.data(),
                                ghost_.data(),
                                value_.data(),
                                inverse,
                                r,
                                x,
                                p,
                                packets.data(),
                                meetings.data(),
                                state,
                                shape_,
                                again};
    constexpr std::uint32_t kDeep = kResidentRows<N>;
    Timer timer;
    timer.start();
    if (shape_.most_rows <= kDeep) launch_resident_solve<N, 1>(s, blocks_);
    else if (shape_.most_rows <= 2 * kDeep) launch_resident_solve<N, 2>(s, blocks_);
    else if (shape_.most_rows <= 4 * kDeep) launch_resident_solve<N, 4>(s, blocks_);
    else if (shape_.most_rows <= 6 * kDeep) launch_resident_solve<N, 6>(s, blocks_);
    else launch_resident_solve<N, kResidentSolveDepth>(s, blocks_);
    return timer.stop();
}

template class ResidentMatrix<1, float>;
template class ResidentMatrix<3, float>;
template class ResidentMatrix<1, double>;
template class ResidentMatrix<3, double>;

} // namespace mantissa::gpu
