#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "dense/bubbles.hpp"
#include "dense/kinds.hpp"
#include "dense/matrix_file.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "text/key_values.hpp"

namespace mantissa {

namespace {

/// 16384 rows are 2 GiB; the sums behind the factors are as large again.
constexpr std::uint64_t kMostRows = 16384;
constexpr std::string_view kUnseeded[] = {"wilkinson", "hilbert", "kahan"};

DenseProblem with_right_hand_side(std::string name, DenseMatrix a) {
    std::vector<double> b(a.size(), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (const double x : a.row(i)) b[i] += x;
    return {std::move(name), std::move(a), std::move(b)};
}

/// The kinds that are made, with the key that each takes beside n=.
DenseMatrix made_matrix(text::KeyValues& options, std::string_view text) {
    const std::size_t n = options.integer("n", 0, kMostRows, {});
    const std::string kind(options.take("kind").value_or("uniform"));
    const auto only = [&](const char* key, std::string_view owner) {
        if (kind != owner && text.find(std::string(key) + '=') != std::string_view::npos)
            options.fail(fmt::format("{}= is for kind={}: leave it out", key, owner));
    };
    for (const char* key : {"points", "phi"}) only(key, "bubbles");
    only("kappa", "randsvd");
    if (std::ranges::find(kUnseeded, kind) != std::end(kUnseeded) && text.find("seed=") != std::string_view::npos)
        options.fail(fmt::format("kind={} has nothing random: leave seed= out", kind));
    const std::uint64_t seed = options.integer("seed", 0, UINT64_MAX, 1);
    const double kappa = options.positive("kappa", 1e6), phi = options.positive("phi", 0.02);
    const std::size_t points = options.integer("points", 4, kMostRows, 64);
    options.finish();
    if (kappa < 1) options.fail("kappa= is a condition: 1 or more");
    if (kind == "uniform") return dense::uniform_matrix(n, seed);
    if (kind == "dominant") return dense::dominant_matrix(n, seed);
    if (kind == "graded") return dense::graded_matrix(n, seed);
    if (kind == "randsvd") return dense::randsvd_matrix(n, kappa, seed);
    if (kind == "wilkinson") return dense::wilkinson_matrix(n);
    if (kind == "hilbert") return dense::hilbert_matrix(n);
    if (kind == "kahan") return dense::kahan_matrix(n);
    if (kind != "bubbles")
        options.fail(fmt::format("kind={} is not uniform, dominant, graded, randsvd, wilkinson, hilbert, kahan or "
                                 "bubbles",
                                 base::shortened(kind)));
    if (n % points != 0)
        options.fail(fmt::format(
            "{} unknowns are no whole number of bubbles of {} points: give a multiple of points=", n, points));
    return dense::bubble_matrix(dense::place_bubbles(n / points, points, phi, seed));
}

} // namespace

DenseProblem make_dense_problem(std::string_view text) {
    text::KeyValues options(text, text, "n kind seed kappa points phi file");
    if (const auto file = options.take("file")) {
        options.finish();
        return with_right_hand_side(std::string(text), dense::read_dense_matrix(std::string(*file), kMostRows));
    }
    return with_right_hand_side(std::string(text), made_matrix(options, text));
}

} // namespace mantissa
