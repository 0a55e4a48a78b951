#include "part_map.hpp"

#include <algorithm>
#include <limits>

namespace mantissa::gpu {

std::vector<PartMap> strip_maps(const System& grid, int parts) {
    const std::size_t n = grid.row_length(), rows = grid.size() / n, count = static_cast<std::size_t>(parts);
    std::vector<PartMap> maps(count);
    for (std::size_t k = 0; k < count; ++k) {
        PartMap& m = maps[k];
        const std::size_t begin = k * rows / count, end = (k + 1) * rows / count;
        const std::size_t under = k == 0 ? 0 : 2 * n, over = k + 1 == count ? 0 : 2 * n; // ghosts
        m.strip = true;
        m.first = static_cast<std::ptrdiff_t>(begin * n) - static_cast<std::ptrdiff_t>(under);
        m.own_begin = under;
        m.own_end = under + (end - begin) * n;
        m.elements = m.own_end + over;
        // Rows reach n + 1 elements; thin strips have nothing inside.
        m.inner_begin = std::min(m.own_begin + (under == 0 ? 0 : n + 1), m.own_end);
        m.inner_end = std::max(m.inner_begin, m.own_end - (over == 0 ? 0 : n + 1));
        if (k > 0) m.below = static_cast<int>(k) - 1;
        if (k + 1 < count) m.above = static_cast<int>(k) + 1;
        for (const int other : {m.below, m.above})
            if (other >= 0) m.send_to.push_back(other), m.receive_from.push_back(other);
    }
    return maps;
}

std::vector<PartMap> sparse_maps(const CompressedRows& rows, int parts, CutMethod method) {
    const Partition partition = cut(rows, static_cast<std::uint32_t>(parts), method);
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    const std::size_t count = partition.parts().size();
    std::vector<PartMap> maps(count);
    // An own row's number in its part, for all rows at once.
    std::vector<std::uint32_t> local(partition.rows(), kNone);
    for (std::size_t k = 0; k < count; ++k) {
        const Part& part = partition.parts()[k];
        PartMap& m = maps[k];
        std::vector<bool> last(part.row.size(), false);
        const auto mark = [&](const std::vector<std::uint32_t>& list) {
            for (const std::uint32_t row : list)
                last[static_cast<std::size_t>(std::ranges::lower_bound(part.row, row) - part.row.begin())] = true;
        };
        mark(part.boundary);
        for (const Exchange& list : part.send) mark(list.row);
        for (const bool wanted : {false, true}) {
            for (std::size_t i = 0; i < part.row.size(); ++i)
                if (last[i] == wanted) m.row.push_back(part.row[i]);
            if (!wanted) m.inner_end = m.row.size();
        }
        m.own_end = m.row.size();
        m.elements = m.own_end + part.received;
        for (std::size_t i = 0; i < m.row.size(); ++i) local[m.row[i]] = static_cast<std::uint32_t>(i);
        for (const Exchange& list : part.send) m.send_to.push_back(static_cast<int>(list.peer));
        for (const Exchange& list : part.receive) m.receive_from.push_back(static_cast<int>(list.peer));
    }
    std::vector<std::uint32_t> ghost(partition.rows(), kNone);
    for (std::size_t k = 0; k < count; ++k) {
        const Part& part = partition.parts()[k];
        PartMap& m = maps[k];
        auto next = static_cast<std::uint32_t>(m.own_end);
        for (const Exchange& list : part.receive)
            for (const std::uint32_t row : list.row) ghost[row] = next++;
        m.row_begin.push_back(0);
        for (const std::uint32_t row : m.row) {
            for (std::uint64_t e = rows.row_begin()[row]; e < rows.row_begin()[row + 1]; ++e) {
                const std::uint32_t column = rows.column()[e];
                m.column.push_back(partition.owner(column) == k ? local[column] : ghost[column]);
                m.entry.push_back(e);
            }
            m.row_begin.push_back(m.column.size());
        }
    }
    // Where each element goes: the receiver's ghosts of this part are in the order of the list.
    for (std::size_t k = 0; k < count; ++k) {
        PartMap& m = maps[k];
        struct Way {
            std::uint32_t element, slot;
            std::uint8_t part;
        };
        std::vector<Way> ways;
        for (std::size_t other = 0; other < count; ++other) {
            auto slot = static_cast<std::uint32_t>(maps[other].own_end);
            for (const Exchange& list : partition.parts()[other].receive)
                for (const std::uint32_t row : list.row) {
                    if (list.peer == k) ways.push_back({local[row], slot, static_cast<std::uint8_t>(other)});
                    ++slot;
                }
        }
        std::ranges::stable_sort(ways, {}, &Way::element);
        m.goes_first.assign(m.own_end - m.inner_end + 1, 0);
        for (const Way& way : ways) {
            ++m.goes_first[way.element - m.inner_end + 1];
            m.goes_slot.push_back(way.slot);
            m.goes_to.push_back(way.part);
        }
        for (std::size_t i = 1; i < m.goes_first.size(); ++i) m.goes_first[i] += m.goes_first[i - 1];
    }
    return maps;
}

} // namespace mantissa::gpu
