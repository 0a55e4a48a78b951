// A level's matrices as a part has them: whole, or a strip of rows.
#pragma once

#include <vector>

#include "parts.hpp"
#include "setup/layout.hpp"

namespace mantissa::gpu::multilevel_rows {

/// From so many rows on parts have a strip of a level each; smaller levels each part has whole, and computes by itself:
/// that takes less time than an exchange.
constexpr std::uint32_t kLeastShared = 60000;

/// Which levels are shared out, and how: the first ones, and the rows of one more, which its restriction goes by.
struct SharedLevels {
    std::size_t count = 0;
    std::vector<RowPartition> rows;
    /// `level`: of a hierarchy, with its matrix `a`. The first one is shared, as small as it may be.
    template <class Level> SharedLevels(const std::vector<Level>& level, const Parts& parts) {
        if (!parts.several()) return;
        if (level.size() == 1) throw InvalidInput("preconditioner multilevel: a single level is for one GPU");
        while (count + 1 < level.size() && (count == 0 || level[count].a.rows >= kLeastShared)) ++count;
        // (The loop's r and z are those of the first one.)
        for (std::size_t l = 0; l <= count; ++l)
            rows.push_back(l == 0 ? parts.rows() : divide(level[l].a, parts.count()));
    }
};

/// V: the type of coefficients.
template <class V> struct LevelRows {
    LaidRows<V> a, prolongation, restriction;
    RowRange own{};           ///< rows of the level that this part computes
    RowRange own_next{};      ///< and of the next one, from this one's restriction
    bool shared = false;      ///< does another part compute the others?
    bool next_shared = false; ///< and those of the next level, or does each part compute all of that?
    Ghosts of_a, of_prolongation, of_restriction; ///< what this part's rows read of others
    Ghosts next_of_others;                        ///< where the next level is not shared: what others restrict to it

    /// `from` is level `l`, its `next` level null for the last one. On the current device, the part's.
    template <class Level>
    LevelRows(const Level& from, const Level* next, std::size_t l, const SharedLevels& of, int part, Arena& keep,
              Arena& scratch)
        : own{0, from.a.rows}, shared(l < of.count), next_shared(l + 1 < of.count) {
        if (next != nullptr) own_next = {0, next->a.rows};
        if (!shared) {
            const auto take = [&](const auto& m) {
                const bool in_place = of.count == 0; // (of one part: they lie on its device)
                if (in_place || m.rows == 0) return lay_out<V>(m, keep, scratch);
                return lay_out<V>(strip_of(m, {0, m.rows}, scratch), keep, scratch);
            };
            a = take(from.a);
            prolongation = take(from.prolongation);
            restriction = take(from.restriction);
            return;
        }
        const RowPartition &here = of.rows[l], &below = of.rows[l + 1];
        own = here.of(part);
        own_next = below.of(part);
        const auto strip = [&](const auto& m, RowRange rows, const RowPartition* columns, Ghosts& ghosts) {
            const auto taken = strip_of(m, rows, scratch);
            if (columns != nullptr) ghosts = ghosts_of(taken, *columns, part, keep, scratch);
            LaidRows<V> laid = lay_out<V>(taken, keep, scratch);
            laid.view.first = rows.first;
            return laid;
        };
        a = strip(from.a, own, &here, of_a);
        prolongation = strip(from.prolongation, own, next_shared ? &below : nullptr, of_prolongation);
        restriction = strip(from.restriction, own_next, &here, of_restriction);
        if (!next_shared) next_of_others = all_of_others(below, part, keep, scratch);
    }
};

} // namespace mantissa::gpu::multilevel_rows
