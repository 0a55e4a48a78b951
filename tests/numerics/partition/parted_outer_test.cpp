// The outer loop's vectors over parts: the bits of the whole, and no part that holds it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/nine_point.hpp"
#include "mantissa/outer/certain.hpp"
#include "mantissa/outer/defect.hpp"
#include "mantissa/outer/elements.hpp"
#include "mantissa/outer_order.hpp"
#include "mantissa/partition/parted_cg.hpp"
#include "mantissa/partition/parted_engine.hpp"

namespace mantissa {
namespace {

constexpr std::size_t kPart = outer_order::kPart;

/// A ring with chords whose ends lie far from each other.
System ring(std::uint32_t rows) {
    std::vector<std::vector<std::uint32_t>> neighbour(rows);
    const auto couple = [&](std::uint32_t i, std::uint32_t j) {
        neighbour[i].push_back(j);
        neighbour[j].push_back(i);
    };
    for (std::uint32_t i = 0; i + 1 < rows; ++i) couple(i, i + 1);
    for (std::uint32_t i = 0; i < rows / 2; i += 97) couple(i, rows - 1 - i / 3);
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        neighbour[i].push_back(i);
        std::ranges::sort(neighbour[i]);
        for (const std::uint32_t j : neighbour[i]) {
            column.push_back(j);
            value.push_back(i == j ? 1.75 : -0.25 - static_cast<double>((i * j) % 5) / 64);
        }
        begin.push_back(column.size());
    }
    return CompressedRows(std::move(begin), std::move(column), std::move(value));
}

System stencil(std::size_t edge) {
    return Stencil(edge, edge, {-0.125, -0.125, -0.125, -0.125, 1, -0.125, -0.125, -0.125, -0.125});
}

/// Couplings to the east and the north, and row sums.
SymmetricBands symmetric(std::size_t edge) {
    std::mt19937 random(4);
    SymmetricBands::Array weights;
    for (std::size_t d = 0; d < kWeights; ++d)
        for (std::size_t i = 0; i < edge * edge; ++i) {
            const std::size_t x = i % edge, y = i / edge;
            const bool inside = (d == 0 || y + 1 < edge) && (d == 1 ? x > 0 : d == 2 || x + 1 < edge);
            weights[d].push_back(inside ? static_cast<double>(1 + random() % 127) / 1024 : 0.0);
        }
    return {edge, std::move(weights), std::vector<double>(edge * edge, 0.03125)};
}

/// Of any size and sign, +0 on a stencil's edge.
std::vector<double> numbers(const System& system, unsigned seed, double size) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<double> v(system.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = system.on_edge(i) ? 0.0 : size * unit(random);
    return v;
}

double norm_of(const std::vector<double>& v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); i += outer_order::kNormBlock)
        sum += outer_order::block_squares(v.data() + i, std::min(outer_order::kNormBlock, v.size() - i), 1);
    return outer_order::squares_suffice(sum) ? std::sqrt(sum) : outer_order::scaled_norm(v);
}

std::vector<double> read(const Session& session, Vec v, std::size_t size) {
    std::vector<double> values(size);
    session.read(v, 0, values);
    return values;
}

/// The outer loop on whole vectors, as OuterVectors defines it.
class Whole {
public:
    Whole(const System& system, const DatapathSpec& spec, Session& session, double size)
        : u(numbers(system, 1, size)), b(numbers(system, 2, size)), d(numbers(system, 3, size)), system_(system),
          elements_(spec), session_(session) {}
    double dot(double scale) {
        const std::vector<double> r = direction(scale), p = read(session_, Vec::p, u.size());
        double total = 0;
        for (std::size_t at = 0; at < u.size(); at += kPart)
            total += outer_order::part_sum(std::min(kPart, u.size() - at),
                                           [&](std::size_t i) { return r[at + i] * p[at + i]; });
        return total;
    }
    void restart(double scale, double share) {
        const std::vector<double> r = direction(scale);
        std::vector<double> p = read(session_, Vec::p, u.size());
        for (std::size_t i = 0; i < p.size(); ++i) p[i] -= share * r[i];
        session_.write(Vec::r, 0, r);
        session_.write(Vec::p, 0, p);
        session_.clear(Vec::u);
        session_.clear(Vec::q);
    }
    bool correct(double scale, double alpha) {
        const std::vector<double> p = read(session_, Vec::p, u.size());
        std::vector<double> c = read(session_, Vec::u, u.size());
        elements_.step(alpha, p, c);
        const auto bad = std::ranges::find_if(c, [](double x) { return !std::isfinite(x); });
        const auto end = bad == c.end() ? c.size() : static_cast<std::size_t>(bad - c.begin()) / kPart * kPart;
        for (std::size_t i = 0; i < end; ++i) u[i] += scale * c[i];
        return bad == c.end();
    }
    void defect() { outer::defect_piece(system_, 0, system_.size(), u.data(), b.data(), d.data()); }

    std::vector<double> u, b, d;

private:
    [[nodiscard]] std::vector<double> direction(double scale) const {
        std::vector<double> r(d.size());
        elements_.direction(scale, d, r);
        return r;
    }
    const System& system_;
    outer::Elements elements_;
    Session& session_;
};

/// Two outer steps, everything compared.
void expect_same(const System& system, const DatapathSpec& spec, std::uint32_t parts, CutMethod method,
                 double size = 1) {
    SCOPED_TRACE(std::to_string(parts) + " parts of " + to_string(system.kind()) + ", " + to_string(method) + ", " +
                 to_string(spec));
    const auto whole_session = make_emulated_engine()->load(system, spec, {});
    const auto session = make_parted_engine(make_threads_space(parts), method)->load(system, spec, {});
    Whole whole(system, spec, *whole_session, size);
    const auto vectors = session->outer(system, nullptr);
    ASSERT_NE(vectors, nullptr);
    ASSERT_NE(vectors->spread(), nullptr);
    vectors->load(whole.u, whole.b, whole.d);
    const auto expect_vectors = [&] {
        std::vector<double> u(system.size()), d(system.size());
        vectors->read(u, d);
        EXPECT_EQ(u, whole.u);
        EXPECT_EQ(d, whole.d);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q})
            EXPECT_EQ(read(*session, v, system.size()), read(*whole_session, v, system.size()));
    };
    for (Session* s : {whole_session.get(), session.get()}) s->set_scalars(0, 0);
    for (int step = 0; step < 2; ++step) {
        const double norm = norm_of(whole.d);
        EXPECT_EQ(vectors->norm(), norm);
        const double scale = spec.fixed_vectors() ? std::exp2(std::ceil(std::log2(norm)) + 1) : norm;
        const double share = whole.dot(scale);
        EXPECT_EQ(vectors->dot(scale), share);
        whole.restart(scale, share);
        vectors->restart(scale, share);
        expect_vectors();
        for (Session* s : {whole_session.get(), session.get()}) {
            s->set_scalars(0, 0.125);
            EXPECT_EQ(s->run({.passes = 3}).end, RunEnd::passes);
        }
        const double alpha = whole_session->scalars().alpha;
        EXPECT_TRUE(whole.correct(scale, alpha));
        EXPECT_TRUE(vectors->correct(scale, alpha));
        whole.defect();
        vectors->defect();
        expect_vectors();
    }
    EXPECT_EQ(vectors->norm(), norm_of(whole.d));
}

TEST(PartedOuter, SparseRowsHaveTheBitsOfTheWhole) {
    const System system = ring(3 * kPart / 2 + 77);
    for (const std::uint32_t parts : {1U, 2U, 3U, 5U})
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee, CutMethod::bisection}) {
            if (method == CutMethod::bisection && !has_metis()) continue;
            for (const char* spec : {"fx22.18", "s17e8,dot=fixed[20:-40]"})
                expect_same(system, parse_spec(spec), parts, method);
        }
}

TEST(PartedOuter, GridsHaveTheBitsOfTheWhole) {
    for (const System& system : {stencil(300), System(symmetric(270)), System(symmetric(270).bands())})
        for (const std::uint32_t parts : {1U, 2U, 3U, 5U})
            for (const char* spec : {"fx22.18", "s17e8,dot=fixed[20:-40]"})
                expect_same(system, parse_spec(spec), parts, CutMethod::contiguous);
}

// Squares beyond double precision: the norm takes a power of two out, over all parts the same.
TEST(PartedOuter, NormsBeyondTheRangeOfSquares) {
    for (const double size : {1e-200, 1e200})
        expect_same(ring(kPart + 100), parse_spec("s17e8,dot=fixed[20:-40]"), 3, CutMethod::contiguous, size);
}

// A correction that is not finite: u stands as on the host, where whole pieces in front of it are done.
TEST(PartedOuter, ACorrectionThatIsNotFinite) {
    const System system = ring(2 * kPart + 5);
    const DatapathSpec spec = parse_spec("double,dot=fixed[20:-40]");
    for (const std::uint32_t parts : {1U, 3U}) {
        const auto whole_session = make_emulated_engine()->load(system, spec, {});
        const auto session = make_parted_engine(make_threads_space(parts))->load(system, spec, {});
        Whole whole(system, spec, *whole_session, 1);
        const auto vectors = session->outer(system, nullptr);
        vectors->load(whole.u, whole.b, whole.d);
        std::vector<double> p(system.size(), 1.0);
        p[kPart + 7] = 1e300;
        for (Session* s : {whole_session.get(), session.get()}) s->write(Vec::p, 0, p);
        EXPECT_FALSE(whole.correct(2, 1e10));
        EXPECT_FALSE(vectors->correct(2, 1e10));
        std::vector<double> u(system.size()), d(system.size());
        vectors->read(u, d);
        EXPECT_EQ(u, whole.u);
        EXPECT_EQ(u[0], numbers(system, 1, 1)[0] + 2e10);
        EXPECT_EQ(u[kPart], numbers(system, 1, 1)[kPart]);
        EXPECT_FALSE(vectors->correct(1, std::numeric_limits<double>::infinity()));
    }
}

TEST(PartedOuter, TheVerdictsSumsHaveTheOrderOfTheWhole) {
    const System system = ring(kPart + 1000);
    for (const std::uint32_t parts : {1U, 2U, 5U})
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee}) {
            const auto session =
                make_parted_engine(make_threads_space(parts), method)->load(system, parse_spec("fx18.16"), {});
            const auto vectors = session->outer(system, nullptr);
            std::vector<double> u = numbers(system, 1, 1);
            const std::vector<double> b = numbers(system, 2, 1);
            vectors->load(u, b, b);
            SpreadIterate& spread = *vectors->spread();
            const auto term = [](std::size_t i, double x) { return x / static_cast<double>(i + 3); };
            double sum = 0;
            for (std::size_t i = 0; i < u.size(); ++i) sum += term(i, u[i]);
            EXPECT_EQ(spread.sum_in_order(term), sum);
            EXPECT_EQ(spread.whole_at_first(), u);
            EXPECT_EQ(spread.whole(), u);
            EXPECT_TRUE(spread.finite());
            std::vector<double> d(u.size());
            const certain::RowSizes sizes = certain::defect_piece(system, 0, u.size(), u.data(), b.data(), d.data());
            const certain::Norm want = certain::norm_of(norm_of(d), sizes.error(), d.size()),
                                got = spread.defect_norm();
            EXPECT_EQ(got.value, want.value);
            EXPECT_EQ(got.error, want.error);
            u[u.size() - 3] = std::numeric_limits<double>::quiet_NaN();
            vectors->load(u, b, b);
            EXPECT_FALSE(spread.finite());
        }
}

// What a part holds falls with the number of parts: u, b, d, a piece for sums and what is on its way there.
TEST(PartedOuter, APartHoldsItsShare) {
    const std::size_t edge = 800, size = edge * edge; // ten pieces of kPart, the last one not full
    const System system = stencil(edge);
    for (const std::uint32_t parts : {1U, 2U, 5U, 10U}) {
        const auto session = make_parted_engine(make_threads_space(parts))->load(system, parse_spec("fx18.16"), {});
        const auto vectors = session->outer(system, nullptr);
        const std::vector<double> v = numbers(system, 1, 1);
        vectors->load(v, v, v);
        vectors->defect();
        EXPECT_GT(vectors->norm(), 0);
        const std::size_t held = vectors->spread()->held();
        if (parts == 1) {
            EXPECT_EQ(held, 4 * size);
            continue;
        }
        // Three vectors of a share with two ghost rows at most; a piece of whole kPart, which differs from the share
        // by less than kPart a part that lies in front of it: so much is on its way, out and in.
        const std::size_t share = size / parts, piece = (10 + parts - 1) / parts * kPart;
        EXPECT_GE(held, 3 * share);
        EXPECT_LE(held, 3 * (share + 2 * edge) + piece + 2 * (10 * kPart - size) + 2 * edge) << parts;
        EXPECT_LT(held, 4 * size * 3 / 2 / parts) << parts;
    }
}

TEST(PartedOuter, CgInDoubleHoldsItsShare) {
    const System system = stencil(800);
    const std::vector<double> b = numbers(system, 2, 1);
    std::size_t whole = 0;
    for (const std::uint32_t parts : {1U, 2U, 5U}) {
        std::size_t held = 0;
        double norm = 0;
        PartedCgOptions o;
        o.max_iterations = 2;
        o.at_end = [&](SpreadIterate& x) {
            norm = x.defect_norm().value;
            held = x.held();
        };
        std::vector<double> x = {1};
        EXPECT_EQ(parted_cg(make_threads_space(parts), system, b, x, o).end, PcgEnd::limit);
        EXPECT_TRUE(x.empty()); // nobody gathered it
        EXPECT_GT(norm, 0);
        if (parts == 1) whole = held;
        EXPECT_GE(whole, 9 * system.size()); // six vectors of CG, three of the verdict
        EXPECT_LT(held, parts == 1 ? 11 * system.size() : whole * 6 / 5 / parts) << parts;
    }
}

TEST(PartedOuter, RefusesOtherSizes) {
    const System system = ring(100);
    const auto session = make_parted_engine(make_threads_space(2))->load(system, parse_spec("fx18.16"), {});
    const auto vectors = session->outer(system, nullptr);
    const std::vector<double> right(100), wrong(99);
    EXPECT_THROW(vectors->load(wrong, right, right), InvalidInput);
    EXPECT_THROW(vectors->load(right, right, wrong), InvalidInput);
    // (A moving point is restarted from whole vectors, on the host.)
    const auto moving = make_parted_engine(make_threads_space(2))->load(system, parse_spec("fx20.18,point=moving"), {});
    EXPECT_EQ(moving->outer(system, nullptr), nullptr);
}

} // namespace
} // namespace mantissa
