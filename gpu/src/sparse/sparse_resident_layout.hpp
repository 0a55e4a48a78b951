// How a matrix lies on the chip for sparse_resident.cuh: which rows a block has and in which order, where p of a row
// lies in its shared memory, and its entries step by step. Host code.
//
// Three orders make a product fast. Rows that read no other block's, and that none reads, come first: their products
// need not wait, and their p need not leave the chip. Rows of a slice are of about one length. And a place's banks are
// chosen so that those who read together seldom meet in a bank: places are dealt to classes (place % kBankGroups)
// evenly for each row, and a step takes entries of different classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"
#include "sparse/bank_schedule.hpp"
#include "sparse/sparse_resident.cuh"

namespace mantissa::gpu {

/// Rows in an order in which those of a part are neighbours in the matrix's graph, and where the parts begin and end.
struct ResidentParts {
    std::vector<std::uint32_t> row, begin;
};

/// `parts` parts of about as much work, grown one after the other: from a row beside those before, by its neighbours,
/// theirs, and so on. A part of a surface is a patch, most of whose neighbours are its own. A row's work is its entries
/// and a few more.
inline ResidentParts grow_parts(const CompressedRows& a, std::uint32_t parts) {
    constexpr std::uint64_t kRowItself = 4;
    const auto rows = static_cast<std::uint32_t>(a.rows());
    const auto work = [&](std::uint32_t i) { return a.row_begin()[i + 1] - a.row_begin()[i] + kRowItself; };
    std::uint64_t left = a.nonzeros() + kRowItself * rows;
    ResidentParts result;
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

/// How often each row of a block reads each of kClasses classes of places. A new place goes to the class that its
/// readers have least of.
template <std::uint32_t kClasses> class ClassChooser {
public:
    using Room = std::array<std::uint32_t, kClasses>; ///< places left in each class

    explicit ClassChooser(std::size_t rows) : reads_(rows) {}
    /// Takes one place of `room`, which has some.
    std::uint32_t choose(const std::vector<std::uint32_t>& readers, Room& room) {
        Room cost{};
        for (const std::uint32_t r : readers)
            for (std::uint32_t c = 0; c < kClasses; ++c) cost[c] += reads_[r][c];
        std::uint32_t best = kClasses;
        for (std::uint32_t c = 0; c < kClasses; ++c) {
            if (room[c] == 0) continue;
            if (best == kClasses || cost[c] < cost[best] || (cost[c] == cost[best] && room[c] > room[best])) best = c;
        }
        --room[best];
        for (const std::uint32_t r : readers) ++reads_[r][best];
        return best;
    }

private:
    std::vector<Room> reads_;
};

/// Places [begin, end) by class, the remainder of place / kClasses.
template <std::uint32_t kClasses> struct ClassPlaces {
    std::array<std::uint32_t, kClasses> room{}, next{};
    ClassPlaces(std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t p = begin; p < std::min(end, begin + kClasses); ++p) {
            next[p % kClasses] = p;
            room[p % kClasses] = (end - p + kClasses - 1) / kClasses;
        }
    }
    std::uint32_t take(std::uint32_t c) {
        const std::uint32_t place = next[c];
        next[c] += kClasses;
        return place;
    }
};

/// A slice's entries in the making. Those that threads read together are of different classes, as far as can be.
template <class Slice, class T> class SliceMaker {
public:
    void add(std::uint32_t row, std::uint32_t place, T value) {
        entries_[row].push_back({static_cast<std::uint16_t>(place), value});
    }
    /// After it the maker is empty again.
    void write(std::vector<std::uint16_t>& column, std::vector<T>& value) {
        std::size_t longest = 0;
        for (const auto& row : entries_) longest = std::max(longest, row.size());
        const auto steps = static_cast<std::uint32_t>((longest + Slice::kSlots - 1) / Slice::kSlots);
        const std::size_t first = column.size();
        column.resize(first + std::size_t{steps} * Slice::kStep);
        value.resize(first + std::size_t{steps} * Slice::kStep, T(0));
        for (std::uint32_t group = 0; group < Slice::kStep / kClasses; group += Slice::kParts)
            write_groups(group, steps, column.data() + first, value.data() + first);
        for (auto& row : entries_) row.clear();
    }

private:
    struct Entry {
        std::uint16_t place;
        T value;
    };
    static constexpr std::uint32_t kClasses = Slice::kBankGroups;
    using Schedule = BankSchedule<kClasses>;
    static_assert(Slice::kStep % kClasses == 0);

    /// The kParts groups of threads that have the same rows: their turns are the steps of each.
    void write_groups(std::uint32_t group, std::uint32_t steps, std::uint16_t* column, T* value) {
        const std::uint32_t turns = steps * Slice::kParts;
        const auto row_of = [&](std::uint32_t lane) { return Slice::thread(group, lane) / Slice::kSlots; };
        schedule_.start(turns);
        scheduled_.clear();
        for (std::uint32_t lane = 0; lane < kClasses; ++lane) { // a row's lanes are neighbours; each gets up to `turns`
            const bool next = lane != 0 && row_of(lane) == row_of(lane - 1);
            first_ = next ? first_ + turns : 0;
            const std::vector<Entry>& row = entries_[row_of(lane)];
            for (std::size_t k = first_; k < std::min(row.size(), first_ + turns); ++k) {
                schedule_.add(lane, row[k].place % kClasses);
                scheduled_.push_back(row[k]);
            }
        }
        schedule_.finish();
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            const std::size_t step = std::size_t{turn / Slice::kParts} * Slice::kStep;
            std::uint16_t place = 0; // one that is there in every block, or one of the turn's
            for (std::uint32_t lane = 0; lane < kClasses; ++lane)
                if (schedule_.entry(lane, turn) != Schedule::kNone)
                    place = scheduled_[schedule_.entry(lane, turn)].place;
            for (std::uint32_t lane = 0; lane < kClasses; ++lane) {
                const std::size_t at = step + Slice::thread(group + turn % Slice::kParts, lane);
                const std::uint32_t entry = schedule_.entry(lane, turn);
                column[at] =
                    entry == Schedule::kNone ? place : scheduled_[entry].place; // nothing times what another one reads
                if (entry != Schedule::kNone) value[at] = scheduled_[entry].value;
            }
        }
    }

    std::array<std::vector<Entry>, Slice::kRows> entries_;
    Schedule schedule_;
    std::vector<Entry> scheduled_;
    std::size_t first_ = 0; ///< of a row's entries, the first of a lane
};

/// The arrays that ResidentSolve points to, as it tells them.
template <int N, class T> struct ResidentLayout {
    std::vector<std::uint32_t> part, row, slices{0}, begin{0}, ghosts{0}, ghost, early;
    std::vector<std::uint16_t> column;
    std::vector<T> value;
    ResidentShape shape{};
};

/// Lays out a matrix whose pattern is symmetric in `blocks` parts, or in fewer. Blocks are laid out side by side by
/// OpenMP's threads; what comes out does not depend on their number.
template <int N, class T> class ResidentLayoutMaker {
public:
    ResidentLayoutMaker(const CompressedRows& a, std::uint32_t blocks)
        : a_(a), seat_(a.rows()), part_(a.rows()), beside_(a.rows(), 0) {
        ResidentParts parts = grow_parts(a, blocks);
        out_.part = std::move(parts.begin);
        out_.row = std::move(parts.row);
        alone_.resize(out_.part.size() - 1);
    }
    /// Nothing where a block has more places than a column of 16 bits tells apart.
    std::optional<ResidentLayout<N, T>> make() {
        const auto blocks = static_cast<std::uint32_t>(out_.part.size() - 1);
        for (std::uint32_t b = 0; b < blocks; ++b)
            for (std::uint32_t k = out_.part[b]; k < out_.part[b + 1]; ++k) part_[out_.row[k]] = b;
        for (std::uint32_t i = 0; i < a_.rows(); ++i)
            for_entries(i, [&](std::uint32_t c, std::uint64_t) {
                if (part_[c] != part_[i]) beside_[i] = beside_[c] = 1;
            });
        std::vector<Piece> pieces(blocks);
#pragma omp parallel
        {
            Desk desk(a_.rows());
#pragma omp for schedule(dynamic)
            for (std::int64_t b = 0; b < std::int64_t{blocks}; ++b) {
                const auto block = static_cast<std::uint32_t>(b);
                sort_rows(block);
                pieces[block] = lay_out(block, desk);
            }
        }
        for (const Piece& piece : pieces)
            if (piece.places > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
        for (std::uint32_t b = 0; b < blocks; ++b) append(b, pieces[b]);
        std::vector<std::uint32_t> rank(a_.rows());
        for (std::uint32_t k = 0; k < rank.size(); ++k) rank[out_.row[k]] = k;
        for (std::uint32_t& g : out_.ghost) g = rank[g];
        return std::move(out_);
    }

private:
    using Slice = ResidentSlice<N, T>;
    static constexpr std::uint32_t kClasses = Slice::kBankGroups, kNobody = ~0U;

    /// One block's part of the layout.
    struct Piece {
        std::vector<std::uint32_t> ghost, end; ///< the rows beside its own; where its slices' entries end
        std::vector<std::uint16_t> column;
        std::vector<T> value;
        std::uint32_t places = 0; ///< its rows and its ghosts
    };
    /// What one thread writes on.
    struct Desk {
        explicit Desk(std::size_t rows) : place(rows), seen_by(rows, kNobody) {}
        std::vector<std::uint32_t> place, seen_by; ///< of a row: its place in the block at hand, the last it was beside
        std::vector<std::uint32_t> readers;
        SliceMaker<Slice, T> slice; ///< its lists keep their room
    };

    [[nodiscard]] std::uint64_t length(std::uint32_t i) const {
        return a_.row_begin()[i + 1] - a_.row_begin()[i];
    }
    /// use(column, entry) for all of row i.
    template <class Use> void for_entries(std::uint32_t i, Use&& use) const {
        for (std::uint64_t e = a_.row_begin()[i]; e < a_.row_begin()[i + 1]; ++e) use(a_.column()[e], e);
    }

    /// Rows that read no other block's, and that none reads, first; then by length.
    void sort_rows(std::uint32_t b) {
        const auto first = out_.row.begin() + out_.part[b], end = out_.row.begin() + out_.part[b + 1];
        const auto alone = [&](std::uint32_t i) { return beside_[i] == 0; };
        const auto middle = kResidentEarly<N> ? std::stable_partition(first, end, alone) : first;
        const auto longer = [&](std::uint32_t i, std::uint32_t j) { return length(i) > length(j); };
        std::stable_sort(first, middle, longer);
        std::stable_sort(middle, end, longer);
        alone_[b] = static_cast<std::uint32_t>(middle - first);
        for (std::uint32_t k = out_.part[b]; k < out_.part[b + 1]; ++k) seat_[out_.row[k]] = k - out_.part[b];
    }

    [[nodiscard]] Piece lay_out(std::uint32_t b, Desk& desk) {
        Piece piece;
        ClassChooser<kClasses> chooser(out_.part[b + 1] - out_.part[b]);
        place_rows(b, chooser, desk);
        piece.ghost = place_ghosts(b, chooser, desk);
        piece.places = out_.part[b + 1] - out_.part[b] + static_cast<std::uint32_t>(piece.ghost.size());
        if (piece.places <= std::numeric_limits<std::uint16_t>::max()) write_slices(b, desk, piece);
        return piece;
    }

    /// A row's place is its number in the block. Rows of one length change theirs among themselves.
    void place_rows(std::uint32_t b, ClassChooser<kClasses>& chooser, Desk& desk) {
        const std::uint32_t first = out_.part[b], rows = out_.part[b + 1] - first;
        const std::vector<std::uint32_t> before(out_.row.begin() + first, out_.row.begin() + first + rows);
        const auto alike = [&](std::uint32_t k, std::uint32_t l) {
            return length(before[k]) == length(before[l]) && (k < alone_[b]) == (l < alone_[b]);
        };
        for (std::uint32_t head = 0, tail = 0; head < rows; head = tail) {
            while (tail < rows && alike(head, tail)) ++tail;
            ClassPlaces<kClasses> places(head, tail);
            for (std::uint32_t k = head; k < tail; ++k) {
                const std::uint32_t i = before[k];
                desk.readers.clear(); // the pattern is symmetric: whom a row reads, reads it
                for_entries(i, [&](std::uint32_t c, std::uint64_t) {
                    if (part_[c] == b) desk.readers.push_back(seat_[c]);
                });
                desk.place[i] = places.take(chooser.choose(desk.readers, places.room));
                out_.row[first + desk.place[i]] = i;
            }
        }
    }

    /// After the rows. Returns the ghosts.
    [[nodiscard]] std::vector<std::uint32_t> place_ghosts(std::uint32_t b, ClassChooser<kClasses>& chooser,
                                                          Desk& desk) const {
        const std::uint32_t rows = out_.part[b + 1] - out_.part[b];
        std::vector<std::uint32_t> beside;
        for (std::uint32_t k = 0; k < rows; ++k)
            for_entries(out_.row[out_.part[b] + k], [&](std::uint32_t c, std::uint64_t) {
                if (part_[c] == b || desk.seen_by[c] == b) return;
                desk.seen_by[c] = b;
                beside.push_back(c);
            });
        ClassPlaces<kClasses> places(rows, rows + static_cast<std::uint32_t>(beside.size()));
        std::vector<std::uint32_t> ghost(beside.size());
        for (const std::uint32_t c : beside) {
            desk.readers.clear();
            for_entries(c, [&](std::uint32_t i, std::uint64_t) {
                if (part_[i] == b) desk.readers.push_back(seat_[i]);
            });
            desk.place[c] = places.take(chooser.choose(desk.readers, places.room));
            ghost[desk.place[c] - rows] = c;
        }
        return ghost;
    }

    void write_slices(std::uint32_t b, Desk& desk, Piece& piece) const {
        const std::uint32_t end = out_.part[b + 1];
        for (std::uint32_t head = out_.part[b]; head < end; head += Slice::kRows) {
            for (std::uint32_t k = head; k < std::min(end, head + Slice::kRows); ++k)
                for_entries(out_.row[k], [&](std::uint32_t c, std::uint64_t e) {
                    desk.slice.add(k - head, desk.place[c], static_cast<T>(a_.value()[e]));
                });
            desk.slice.write(piece.column, piece.value);
            piece.end.push_back(static_cast<std::uint32_t>(piece.column.size()));
        }
    }

    void append(std::uint32_t b, const Piece& piece) {
        const std::uint32_t rows = out_.part[b + 1] - out_.part[b];
        const auto before = static_cast<std::uint32_t>(out_.column.size());
        out_.early.push_back(alone_[b] / kResidentRows<N>);
        out_.ghost.insert(out_.ghost.end(), piece.ghost.begin(), piece.ghost.end());
        out_.ghosts.push_back(static_cast<std::uint32_t>(out_.ghost.size()));
        out_.column.insert(out_.column.end(), piece.column.begin(), piece.column.end());
        out_.value.insert(out_.value.end(), piece.value.begin(), piece.value.end());
        for (const std::uint32_t end : piece.end) out_.begin.push_back(before + end);
        out_.slices.push_back(static_cast<std::uint32_t>(out_.begin.size() - 1));
        ResidentShape& most = out_.shape;
        most.most_rows = std::max(most.most_rows, rows);
        most.most_ghosts = std::max(most.most_ghosts, static_cast<std::uint32_t>(piece.ghost.size()));
        most.most_places = std::max(most.most_places, piece.places);
        most.most_slices = std::max(most.most_slices, static_cast<std::uint32_t>(piece.end.size()));
        most.most_entries = std::max(most.most_entries, static_cast<std::uint32_t>(piece.column.size()));
    }

    const CompressedRows& a_;
    ResidentLayout<N, T> out_;
    /// Of a row of the system: its number in its block before rows changed places; its block.
    std::vector<std::uint32_t> seat_, part_;
    std::vector<std::uint8_t> beside_; ///< whether a row reads another block's, or another block's row reads it
    std::vector<std::uint32_t> alone_; ///< of each block: rows that are not beside others
};

} // namespace mantissa::gpu
