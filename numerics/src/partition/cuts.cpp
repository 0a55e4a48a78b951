#include "mantissa/partition/cuts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#ifdef MANTISSA_METIS
#include <metis.h>
#endif

#include "mantissa/errors.hpp"
#include "mantissa/sparse/reorder.hpp"

namespace mantissa {

namespace {

void check_parts(std::size_t rows, std::uint32_t parts) {
    if (parts == 0 || parts > rows)
        throw InvalidInput(fmt::format("{} rows in {} parts: ask for 1 to {} parts", rows, parts, rows));
}

/// cut[k] is the smallest i with work(i) parts >= k work(rows) that leaves a row for each part; work() ascends from 0.
template <class Work> std::vector<std::uint64_t> equal_cuts(std::size_t rows, std::uint32_t parts, Work&& work) {
    using Wide = unsigned __int128;
    std::vector<std::uint64_t> cut(parts + 1, rows);
    const Wide whole = work(rows);
    std::uint64_t i = 0;
    for (std::uint32_t k = 0; k < parts; ++k) {
        while (i < rows && Wide{work(i)} * parts < whole * k) ++i;
        cut[k] = std::min<std::uint64_t>(k == 0 ? 0 : std::max(i, cut[k - 1] + 1), rows - (parts - k));
    }
    return cut;
}

std::vector<std::uint32_t> owners_of(const std::vector<std::uint64_t>& cut) {
    std::vector<std::uint32_t> owner(cut.back());
    for (std::size_t k = 0; k + 1 < cut.size(); ++k)
        std::fill(owner.begin() + static_cast<std::ptrdiff_t>(cut[k]),
                  owner.begin() + static_cast<std::ptrdiff_t>(cut[k + 1]), static_cast<std::uint32_t>(k));
    return owner;
}

} // namespace

std::vector<std::uint64_t> contiguous_cuts(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight) {
    check_parts(a.rows(), parts);
    return equal_cuts(a.rows(), parts, [&](std::uint64_t i) { return a.row_begin()[i] + i * row_weight; });
}

Partition cut_contiguous(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight) {
    return {a, owners_of(contiguous_cuts(a, parts, row_weight)), parts};
}

Partition cut_after_cuthill_mckee(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight) {
    check_parts(a.rows(), parts);
    const std::vector<std::uint32_t> order = reverse_cuthill_mckee(a);
    std::vector<std::uint64_t> work(a.rows() + 1, 0);
    for (std::size_t k = 0; k < order.size(); ++k)
        work[k + 1] = work[k] + (a.row_begin()[order[k] + 1] - a.row_begin()[order[k]]) + row_weight;
    const std::vector<std::uint32_t> in_order =
        owners_of(equal_cuts(a.rows(), parts, [&](std::uint64_t i) { return work[i]; }));
    std::vector<std::uint32_t> owner(a.rows());
    for (std::size_t k = 0; k < order.size(); ++k) owner[order[k]] = in_order[k];
    return {a, owner, parts};
}

#ifdef MANTISSA_METIS
bool has_metis() {
    return true;
}

namespace {

/// For each row i the rows j with an entry (j, i) and none at (i, j): METIS takes symmetric graphs, and breaks its
/// memory on others. Empty where the pattern is symmetric.
std::vector<std::vector<idx_t>> one_way_back(const CompressedRows& a) {
    const auto stored = [&](std::size_t i, std::uint32_t j) {
        const auto* const row = a.column().data();
        return std::binary_search(row + a.row_begin()[i], row + a.row_begin()[i + 1], j);
    };
    std::vector<std::vector<idx_t>> back;
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
            const std::uint32_t j = a.column()[k];
            if (j == i || stored(j, static_cast<std::uint32_t>(i))) continue;
            if (back.empty()) back.resize(a.rows());
            back[j].push_back(static_cast<idx_t>(i));
        }
    return back;
}

} // namespace

Partition cut_by_bisection(const CompressedRows& a, std::uint32_t parts, std::uint32_t row_weight) {
    check_parts(a.rows(), parts);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max());
    if (a.rows() > kMost || a.nonzeros() > kMost)
        throw InvalidInput(
            fmt::format("bisection of {} rows and {} entries: METIS counts to {}; cut them by contiguous "
                        "or rcm",
                        a.rows(), a.nonzeros(), kMost));
    if (parts == 1) return {a, std::vector<std::uint32_t>(a.rows(), 0), 1};
    auto rows = static_cast<idx_t>(a.rows());
    idx_t constraints = 1, count = static_cast<idx_t>(parts), cut = 0;
    const std::vector<std::vector<idx_t>> back = one_way_back(a);
    std::vector<idx_t> begin = {0}, neighbour, weight;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] != i) neighbour.push_back(static_cast<idx_t>(a.column()[k]));
        if (!back.empty()) neighbour.insert(neighbour.end(), back[i].begin(), back[i].end());
        begin.push_back(static_cast<idx_t>(neighbour.size()));
        weight.push_back(static_cast<idx_t>(a.row_begin()[i + 1] - a.row_begin()[i]) + static_cast<idx_t>(row_weight));
    }
    // Where a row is a part's share METIS leaves parts empty, and says so on standard output, which is not its own.
    const auto heaviest = static_cast<std::uint64_t>(*std::ranges::max_element(weight));
    const std::uint64_t most = (a.nonzeros() + a.rows() * row_weight) / (2 * heaviest);
    const auto too_many = [&] {
        return InvalidInput(
            fmt::format("bisection into {} parts: the longest row is more than half a part's share; ask "
                        "for at most {} parts, or cut by contiguous or rcm",
                        parts, std::max<std::uint64_t>(most, 1)));
    };
    if (parts > most) throw too_many();
    std::array<idx_t, METIS_NOPTIONS> options;
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = 0;
    options[METIS_OPTION_NUMBERING] = 0;
    std::vector<idx_t> owner(a.rows());
    const int status =
        METIS_PartGraphRecursive(&rows, &constraints, begin.data(), neighbour.data(), weight.data(), nullptr, nullptr,
                                 &count, nullptr, nullptr, options.data(), &cut, owner.data());
    if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
    if (status != METIS_OK)
        throw InvalidInput(fmt::format("bisection of {} rows into {} parts: METIS ends with status {}; cut them by "
                                       "contiguous or rcm",
                                       a.rows(), parts, status));
    std::vector<bool> has(parts, false);
    for (const idx_t part : owner) has[static_cast<std::size_t>(part)] = true;
    if (std::ranges::find(has, false) != has.end()) throw too_many();
    return {a, std::vector<std::uint32_t>(owner.begin(), owner.end()), parts};
}
#else
bool has_metis() {
    return false;
}

Partition cut_by_bisection(const CompressedRows&, std::uint32_t, std::uint32_t) {
    throw InvalidInput("bisection: this Mantissa was built without METIS: install libmetis-dev and build again, or cut "
                       "by contiguous or rcm");
}
#endif

Partition cut_tiles(std::uint32_t width, std::uint32_t height, std::uint32_t across, std::uint32_t down) {
    if (across == 0 || down == 0 || across > width || down > height)
        throw InvalidInput(fmt::format("a grid of {} x {} points in {} x {} tiles: a tile has at least one point",
                                       width, height, across, down));
    std::vector<std::uint32_t> owner;
    owner.reserve(std::size_t{width} * height);
    // Point x belongs to tile floor(x across / width): widths differ by at most one.
    for (std::uint64_t y = 0; y < height; ++y)
        for (std::uint64_t x = 0; x < width; ++x)
            owner.push_back(static_cast<std::uint32_t>(y * down / height * across + x * across / width));
    return {width, height, owner, across * down};
}

Partition cut_strips(std::uint32_t width, std::uint32_t height, std::uint32_t parts) {
    return cut_tiles(width, height, 1, parts);
}

namespace {
constexpr std::array<std::pair<CutMethod, const char*>, 3> kMethods = {
    {{CutMethod::contiguous, "contiguous"}, {CutMethod::cuthill_mckee, "rcm"}, {CutMethod::bisection, "bisection"}}};
} // namespace

std::string to_string(CutMethod method) {
    return kMethods[static_cast<std::size_t>(method)].second;
}

CutMethod parse_cut_method(const std::string& text) {
    for (const auto& [method, name] : kMethods)
        if (text == name) return method;
    throw InvalidInput(fmt::format("way to cut '{}': take contiguous, rcm or bisection", text));
}

Partition cut(const CompressedRows& a, std::uint32_t parts, CutMethod method, std::uint32_t row_weight) {
    switch (method) {
    case CutMethod::contiguous:
        return cut_contiguous(a, parts, row_weight);
    case CutMethod::cuthill_mckee:
        return cut_after_cuthill_mckee(a, parts, row_weight);
    case CutMethod::bisection:
        return cut_by_bisection(a, parts, row_weight);
    }
    throw InvalidInput("a way to cut that does not exist");
}

} // namespace mantissa
