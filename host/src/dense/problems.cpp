#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "dense/bubbles.hpp"
#include "dense/kinds.hpp"
#include "dense/matrix_file.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "running/memory.hpp"
#include "text/key_values.hpp"

namespace mantissa {

namespace {

/// 16384 rows are 2 GiB; the sums behind the factors are as large again.
constexpr std::size_t kMostRows = 16384;
constexpr std::string_view kKinds[] = {"uniform",   "dominant", "graded", "randsvd",
                                       "wilkinson", "hilbert",  "kahan",  "bubbles"};
constexpr std::string_view kUnseeded[] = {"wilkinson", "hilbert", "kahan"};

DenseProblem with_right_hand_side(std::string name, DenseMatrix a) {
    std::vector<double> b(a.size(), 0.0);
    double each = 1;
    for (bool again = true; again; each = again ? each / 2 : each) {
        again = false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            b[i] = 0;
            for (const double x : a.row(i)) b[i] += each * x;
            again = again || !std::isfinite(b[i]);
        }
        // Elements that are not finite have no such sum.
        if (again && each < 0x1p-40) break;
    }
    return {std::move(name), std::move(a), std::move(b), each};
}

/// A problem's text, taken apart.
struct Parts {
    std::string file;  ///< empty: a matrix that is made
    std::string right; ///< the file of its right-hand side; empty: made
    std::string kind;
    std::size_t n = 0, points = 0;
    std::uint64_t seed = 0;
    double kappa = 0, phi = 0;

    /// With every key that counts, in one order.
    [[nodiscard]] std::string canonical() const {
        if (!file.empty()) return "file=" + file + (right.empty() ? "" : ",rhs=file:" + right);
        std::string text = fmt::format("n={},kind={}", n, kind);
        if (kind == "randsvd") text += ",kappa=" + text::shortest(kappa);
        if (kind == "bubbles") text += fmt::format(",points={},phi={}", points, text::shortest(phi));
        if (std::ranges::find(kUnseeded, kind) == std::end(kUnseeded)) text += fmt::format(",seed={}", seed);
        return text;
    }
};

Parts take_apart(std::string_view text) {
    text::KeyValues options(text, text, "n kind seed kappa points phi file rhs");
    Parts p;
    const auto right = options.take("rhs");
    if (const auto file = options.take("file")) {
        options.none_beside("file=", {"n", "kind", "seed", "kappa", "points", "phi"});
        options.finish();
        if (file->empty()) options.fail("file= names no file");
        p.file = *file;
        if (!right) return p;
        if (!right->starts_with("file:") || right->size() == 5)
            options.fail(fmt::format("rhs={}: write rhs=file:FILE", base::shortened(std::string(*right))));
        p.right = right->substr(5);
        return p;
    }
    if (right) options.fail("rhs= is of file=: give that, or leave it out");
    p.n = options.integer("n", 1, kMostRows, {});
    p.kind = options.take("kind").value_or("uniform");
    if (std::ranges::find(kKinds, p.kind) == std::end(kKinds))
        options.fail(fmt::format("kind={} is none of {}", base::shortened(p.kind), fmt::join(kKinds, ", ")));
    for (const char* key : {"points", "phi"}) options.only_with(key, p.kind == "bubbles", "kind=bubbles");
    options.only_with("kappa", p.kind == "randsvd", "kind=randsvd");
    if (std::ranges::find(kUnseeded, p.kind) != std::end(kUnseeded))
        options.none_beside(fmt::format("kind={}, which has nothing random", p.kind), {"seed"});
    p.seed = options.integer("seed", 0, UINT64_MAX, 1);
    p.kappa = options.positive("kappa", 1e6);
    p.phi = options.positive("phi", 0.02);
    p.points = options.integer("points", 4, kMostRows, 64);
    options.finish();
    if (p.kappa < 1) options.fail("kappa= is a condition: 1 or more");
    if (p.kind == "bubbles" && p.n % p.points != 0)
        options.fail(fmt::format(
            "{} unknowns are no whole number of bubbles of {} points: give a multiple of points=", p.n, p.points));
    return p;
}

DenseMatrix made_matrix(const Parts& p) {
    if (p.kind == "dominant") return dense::dominant_matrix(p.n, p.seed);
    if (p.kind == "graded") return dense::graded_matrix(p.n, p.seed);
    if (p.kind == "randsvd") return dense::randsvd_matrix(p.n, p.kappa, p.seed);
    if (p.kind == "wilkinson") return dense::wilkinson_matrix(p.n);
    if (p.kind == "hilbert") return dense::hilbert_matrix(p.n);
    if (p.kind == "kahan") return dense::kahan_matrix(p.n);
    if (p.kind == "bubbles") return dense::bubble_matrix(dense::place_bubbles(p.n / p.points, p.points, p.phi, p.seed));
    return dense::uniform_matrix(p.n, p.seed);
}

/// The matrix, its scaled copy, the factors, and the sums behind them, which take up to 16 bytes each.
constexpr std::size_t kBytesAnElement = 8 + 8 + 8 + 16;

/// So many unknowns fit this machine's memory.
std::size_t fitting_rows() {
    return static_cast<std::size_t>(
        std::sqrt(static_cast<double>(running::physical_memory()) / static_cast<double>(kBytesAnElement)));
}

} // namespace

DenseOutline outline_dense_problem(std::string_view text) {
    const Parts p = take_apart(text);
    return {p.canonical(), p.file.empty() ? p.n : dense::read_dense_rows(p.file, kMostRows)};
}

std::vector<std::string> dense_problem_files(std::string_view text) {
    const Parts p = take_apart(text);
    std::vector<std::string> files;
    for (const std::string& file : {p.file, p.right})
        if (!file.empty()) files.push_back(file);
    return files;
}

DenseProblem make_dense_problem(std::string_view text) {
    const Parts p = take_apart(text);
    if (!p.file.empty()) {
        DenseMatrix a = dense::read_dense_matrix(p.file, std::min(kMostRows, fitting_rows()));
        if (p.right.empty()) return with_right_hand_side(p.canonical(), std::move(a));
        std::vector<double> b = read_vector(p.right, a.size());
        return {p.canonical(), std::move(a), std::move(b), 0};
    }
    if (p.n > fitting_rows())
        throw InvalidInput(fmt::format("'{}': {} unknowns need {:.1f} GB with their factors, and this machine has "
                                       "{:.1f}; {} unknowns fit",
                                       p.canonical(), p.n, 1e-9 * static_cast<double>(kBytesAnElement * p.n * p.n),
                                       1e-9 * static_cast<double>(running::physical_memory()), fitting_rows()));
    return with_right_hand_side(p.canonical(), made_matrix(p));
}

} // namespace mantissa
