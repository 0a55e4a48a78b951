#include "level_cuts.hpp"

#include <algorithm>
#include <cstdlib>

#include "../../partition/parts_that_read.hpp"

namespace mantissa::multilevel {

namespace {

/// Of the next level's rows.
std::vector<std::uint32_t> owners_below(const WordRows& restriction, std::span<const std::uint32_t> owner) {
    std::vector<std::uint32_t> below(restriction.rows, 0);
    for (std::size_t row = 0; row < restriction.rows; ++row) {
        std::int32_t largest = 0;
        for (std::uint32_t k = restriction.begin[row]; k < restriction.begin[row + 1]; ++k)
            if (const std::int32_t size = std::abs(restriction.word[k]); size > largest) {
                largest = size;
                below[row] = owner[restriction.column[k]];
            }
    }
    return below;
}

/// What the owners of a matrix's rows read of others' elements of the vector that it multiplies.
void add_reads(const WordRows& a, std::span<const std::uint32_t> owner_of_row,
               std::span<const std::uint32_t> owner_of_column, std::vector<std::vector<std::uint32_t>>& reads) {
    for (std::size_t row = 0; row < a.rows; ++row)
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
            if (owner_of_column[a.column[k]] != owner_of_row[row]) reads[owner_of_row[row]].push_back(a.column[k]);
}

/// Where the elements of a level are in a part's vectors: its rows first, then its ghosts.
std::vector<std::uint32_t> places_of(const Part& part, std::size_t rows) {
    std::vector<std::uint32_t> place(rows, 0);
    std::uint32_t next = 0;
    for (const std::uint32_t row : part.row) place[row] = next++;
    for (const Exchange& list : part.receive)
        for (const std::uint32_t row : list.row) place[row] = next++;
    return place;
}

/// `place` of a column; none where the columns are those of the whole.
WordRows rows_of(const WordRows& a, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> place) {
    WordRows some;
    some.rows = rows.size();
    some.point = a.point;
    some.begin.assign(1, 0);
    std::size_t entries = 0;
    for (const std::uint32_t row : rows) entries += a.begin[row + 1] - a.begin[row];
    some.column.reserve(entries);
    some.word.reserve(entries);
    for (const std::uint32_t row : rows) {
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
            some.column.push_back(place.empty() ? a.column[k] : place[a.column[k]]);
            some.word.push_back(a.word[k]);
        }
        some.begin.push_back(static_cast<std::uint32_t>(some.word.size()));
    }
    return some;
}

} // namespace

LevelCuts cut_levels(const WordHierarchy& h, std::span<const std::uint32_t> owner, std::uint32_t parts,
                     std::size_t least) {
    LevelCuts cuts;
    cuts.owner.emplace_back(owner.begin(), owner.end());
    while (cuts.shared + 1 < h.level.size() && h.level[cuts.shared].a.rows >= least) {
        const std::size_t at = cuts.shared++;
        cuts.owner.push_back(owners_below(h.level[at].restriction, cuts.owner[at]));
    }
    for (std::size_t at = 0; at < cuts.shared; ++at) {
        const WordLevel& level = h.level[at];
        std::vector<std::vector<std::uint32_t>> reads(parts);
        add_reads(level.a, cuts.owner[at], cuts.owner[at], reads);
        add_reads(level.restriction, cuts.owner[at + 1], cuts.owner[at], reads);
        if (at > 0) add_reads(h.level[at - 1].prolongation, cuts.owner[at - 1], cuts.owner[at], reads);
        cuts.parts.push_back(detail::parts_that_read(cuts.owner[at], reads));
    }
    cuts.brought.resize(parts);
    for (std::uint32_t row = 0; row < cuts.owner.back().size(); ++row)
        cuts.brought[cuts.owner.back()[row]].push_back(row);
    return cuts;
}

PartOfLevels part_of_levels(const WordHierarchy& h, const LevelCuts& cuts, std::uint32_t part) {
    PartOfLevels own;
    own.hierarchy.factor = h.factor;
    own.hierarchy.coarsest = h.coarsest;
    own.hierarchy.coarsest_point = h.coarsest_point;
    std::vector<std::vector<std::uint32_t>> place;
    for (std::size_t at = 0; at < cuts.shared; ++at)
        place.push_back(places_of(cuts.parts[at][part], cuts.owner[at].size()));
    place.emplace_back(); // (the next level is whole)
    for (const std::uint32_t row : cuts.parts.front()[part].row)
        own.hierarchy.scale.push_back(h.scale.empty() ? 1.0 : h.scale[row]);
    for (std::size_t at = 0; at < h.level.size(); ++at) {
        const WordLevel& whole = h.level[at];
        if (at >= cuts.shared) {
            own.hierarchy.level.push_back(whole);
            continue;
        }
        const Part& p = cuts.parts[at][part];
        const std::vector<std::uint32_t>& below =
            at + 1 < cuts.shared ? cuts.parts[at + 1][part].row : cuts.brought[part];
        own.hierarchy.level.push_back({rows_of(whole.a, p.row, place[at]),
                                       rows_of(whole.prolongation, p.row, place[at + 1]),
                                       rows_of(whole.restriction, below, place[at]), whole.words});
        own.places.push_back({detail::places_of(p.send, place[at]), detail::places_of(p.receive, place[at])});
    }
    return own;
}

} // namespace mantissa::multilevel
