// Systems from MatrixMarket files.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/symmetry.hpp"
#include "path_of.hpp"
#include "problem_kinds.hpp"
#include "random.hpp"
#include "text/key_values.hpp"

namespace mantissa {

std::optional<Bands> nine_bands(const CompressedRows& rows) {
    const std::size_t size = rows.rows();
    const auto& row_begin = rows.row_begin();
    const auto& column = rows.column();
    const auto& value = rows.value();
    // The distances above the diagonal: 1, n-1, n and n+1 at most. Entries below it must fit the same grid.
    std::array<std::size_t, 4> distance{};
    std::size_t distances = 0;
    for (std::size_t i = 0; i < size; ++i)
        for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k) {
            if (column[k] <= i || value[k] == 0) continue;
            const std::size_t d = column[k] - i;
            const auto known = distance.begin() + static_cast<std::ptrdiff_t>(distances);
            if (std::find(distance.begin(), known, d) != known) continue;
            if (distances == distance.size()) return std::nullopt;
            distance[distances++] = d;
        }
    if (distances == 0) return std::nullopt;
    const std::size_t farthest = *std::max_element(distance.begin(), distance.begin() + distances);

    const auto band_of = [](std::size_t i, std::size_t j, std::size_t n) -> int {
        const auto dx = static_cast<std::ptrdiff_t>(j % n) - static_cast<std::ptrdiff_t>(i % n);
        const auto dy = static_cast<std::ptrdiff_t>(j / n) - static_cast<std::ptrdiff_t>(i / n);
        if (dx < -1 || dx > 1 || dy < -1 || dy > 1) return -1;
        return static_cast<int>(3 * (dy + 1) + dx + 1);
    };
    for (const std::size_t n : {farthest - 1, farthest, farthest + 1}) {
        if (n < 3 || size % n != 0 || size / n < 2) continue;
        bool fits = true;
        for (std::size_t i = 0; fits && i < size; ++i)
            for (std::uint64_t k = row_begin[i]; fits && k < row_begin[i + 1]; ++k)
                fits = value[k] == 0 || band_of(i, column[k], n) >= 0;
        if (!fits) continue;
        Bands::Array found;
        for (auto& band : found) band.assign(size, 0.0);
        for (std::size_t i = 0; i < size; ++i)
            for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k)
                if (value[k] != 0) found[static_cast<std::size_t>(band_of(i, column[k], n))][i] = value[k];
        return Bands(n, std::move(found));
    }
    return std::nullopt;
}

namespace problems {

namespace {

/// The unknowns of the matrix in a file, guessed from its length; 0 where there is none.
double guessed_unknowns(const std::string& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (error) return 0;
    // A line has some 25 characters and a row some 6 lines; packed, a text is a fifth as long.
    const std::uintmax_t text_bytes = path.ends_with(".gz") ? 5 * bytes : bytes;
    return static_cast<double>(text_bytes / 150 + 1);
}

Problem matrix_problem(const std::string& name, const std::string& path, const std::string& rhs, std::uint64_t seed) {
    std::string note, indefinite;
    CompressedRows rows = read_matrix_market(path, &note, &indefinite);
    System system(std::move(rows));
    const bool symmetric = !asymmetry(system);
    // Cores want the bands of a grid. They do not take what CG cannot solve; loops for that are over rows.
    if (symmetric && indefinite.empty())
        if (std::optional<Bands> bands = nine_bands(std::get<CompressedRows>(system.matrix())))
            system = System(std::move(*bands));
    std::vector<double> b;
    std::vector<std::vector<double>> more;
    if (rhs.starts_with("file:")) {
        more = read_columns(rhs.substr(5), system.size());
        b = std::move(more.front());
        more.erase(more.begin());
    } else {
        b.assign(system.size(), 1.0);
        SplitMix random(seed);
        if (rhs == "random")
            for (double& value : b) value = 2 * random.unit() - 1;
    }
    return {name, std::move(system), std::move(b),         {}, {}, std::move(note), symmetric,
            {},   std::move(more),   std::move(indefinite)};
}

} // namespace

Description describe_matrix_problem(std::string_view text, std::string_view options) {
    std::string_view rest;
    const std::string path = path_of(options, {",rhs=", ",seed="}, rest);
    text::KeyValues keys(text, rest, "rhs and seed");
    if (path.empty()) keys.fail("no file: write mtx:FILE");
    const std::string rhs(keys.take("rhs").value_or("ones"));
    const bool from_file = rhs.starts_with("file:") && rhs != "file:";
    if (rhs != "ones" && rhs != "random" && !from_file)
        keys.fail(fmt::format("rhs={} must be ones, random or file:PATH", base::shortened(rhs)));
    keys.only_with("seed", rhs == "random", "rhs=random");
    const std::uint64_t seed = keys.integer("seed", 0, UINT64_MAX, 1);
    keys.finish();

    std::string name = "mtx:" + path;
    if (from_file) name += fmt::format(",rhs={}", rhs);
    if (rhs == "random") name += fmt::format(",rhs=random,seed={}", seed);
    std::vector<std::string> files{path};
    if (from_file) files.push_back(rhs.substr(5));
    return {name, guessed_unknowns(path), [name, path, rhs, seed] { return matrix_problem(name, path, rhs, seed); },
            std::move(files)};
}

} // namespace problems

} // namespace mantissa
