// Systems from MatrixMarket files.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "problem_kinds.hpp"
#include "random.hpp"
#include "text/key_values.hpp"

namespace mantissa {

bool nine_bands(const SparseRows& rows, Bands& bands) {
    const std::size_t size = rows.row_begin.size() - 1;
    // The distances above the diagonal: 1, n-1, n and n+1 at most. The pattern is symmetric.
    std::array<std::size_t, 4> distance{};
    std::size_t distances = 0;
    for (std::size_t i = 0; i < size; ++i)
        for (std::uint64_t k = rows.row_begin[i]; k < rows.row_begin[i + 1]; ++k) {
            if (rows.column[k] <= i || rows.value[k] == 0) continue;
            const std::size_t d = rows.column[k] - i;
            const auto known = distance.begin() + static_cast<std::ptrdiff_t>(distances);
            if (std::find(distance.begin(), known, d) != known) continue;
            if (distances == distance.size()) return false;
            distance[distances++] = d;
        }
    if (distances == 0) return false;
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
            for (std::uint64_t k = rows.row_begin[i]; fits && k < rows.row_begin[i + 1]; ++k)
                fits = rows.value[k] == 0 || band_of(i, rows.column[k], n) >= 0;
        if (!fits) continue;
        Bands found;
        found.row_length = n;
        for (auto& band : found.band) band.assign(size, 0.0);
        for (std::size_t i = 0; i < size; ++i)
            for (std::uint64_t k = rows.row_begin[i]; k < rows.row_begin[i + 1]; ++k)
                if (rows.value[k] != 0)
                    found.band[static_cast<std::size_t>(band_of(i, rows.column[k], n))][i] = rows.value[k];
        bands = std::move(found);
        return true;
    }
    return false;
}

namespace problems {

Problem make_matrix_problem(std::string_view text, std::string_view options, Build build) {
    // The path runs to the first option, so it may hold commas.
    std::size_t path_end = options.size();
    for (const std::string_view key : {",rhs=", ",seed="}) path_end = std::min(path_end, options.find(key));
    const std::string path(options.substr(0, path_end));
    text::KeyValues keys(text, path_end == options.size() ? std::string_view{} : options.substr(path_end + 1),
                         "rhs and seed");
    if (path.empty()) keys.fail("no file: write mtx:FILE");
    const std::string_view rhs = keys.take("rhs").value_or("ones");
    const bool from_file = rhs.starts_with("file:");
    if (rhs != "ones" && rhs != "random" && !from_file)
        keys.fail(fmt::format("rhs={} must be ones, random or file:PATH", base::shortened(rhs)));
    const std::uint64_t seed = keys.integer("seed", 0, UINT64_MAX, 1);
    keys.finish();

    Problem problem;
    problem.name = "mtx:" + path;
    if (from_file) problem.name += fmt::format(",rhs={}", rhs);
    if (rhs == "random") problem.name += fmt::format(",rhs=random,seed={}", seed);
    if (build == Build::outline) {
        std::error_code error;
        const auto bytes = std::filesystem::file_size(path, error);
        // A line has some 25 characters and a row some 6 lines; packed, a text is a fifth as long.
        const std::uintmax_t text_bytes = path.ends_with(".gz") ? 5 * bytes : bytes;
        problem.system.size = error ? 0 : text_bytes / 150 + 1;
        return problem;
    }
    SparseRows rows = read_matrix_market(path);
    Bands bands;
    problem.system =
        nine_bands(rows, bands) ? System::from_bands(std::move(bands)) : System::from_rows(std::move(rows));
    if (from_file) {
        problem.b = read_vector(std::string(rhs.substr(5)), problem.system.size);
    } else {
        problem.b.assign(problem.system.size, 1.0);
        SplitMix random(seed);
        if (rhs == "random")
            for (double& value : problem.b) value = 2 * random.unit() - 1;
    }
    return problem;
}

} // namespace problems

} // namespace mantissa
