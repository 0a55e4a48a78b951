// Parts have the bits of the whole: every vector, every scalar, every report, whatever the cuts.
#include "mantissa/partition/parted_engine.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/nine_point.hpp"

namespace mantissa {
namespace {

/// A symmetric, diagonally dominant matrix with rows of unequal length, some of them a diagonal alone.
System sparse_system(std::uint32_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::map<std::uint32_t, double>> entry(rows);
    for (std::uint32_t i = 0; i < rows; ++i)
        for (std::uint32_t k = random() % 4; k > 0; --k) {
            const auto j = static_cast<std::uint32_t>(random() % rows);
            if (j != i) entry[i][j] = entry[j][i] = -static_cast<double>(1 + random() % 255) / 1024;
        }
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        double sum = 0.125;
        for (const auto& [j, v] : entry[i]) sum += std::abs(v);
        entry[i][i] = sum;
        for (const auto& [j, v] : entry[i]) {
            column.push_back(j);
            value.push_back(v);
        }
        begin.push_back(column.size());
    }
    return CompressedRows(begin, column, value);
}

System bands_system(std::size_t width, std::size_t height) {
    std::mt19937 random(5);
    Bands::Array bands;
    for (auto& band : bands) band.assign(width * height, 0.0);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (int b = 0; b < kBands; ++b) {
                const int dx = b % 3 - 1, dy = b / 3 - 1;
                const bool inside = (dx >= 0 || x > 0) && (dx <= 0 || x + 1 < width) && (dy >= 0 || y > 0) &&
                                    (dy <= 0 || y + 1 < height);
                if (!inside) continue;
                bands[static_cast<std::size_t>(b)][y * width + x] =
                    b == 4 ? 1.5 : -static_cast<double>(random() % 128) / 1024;
            }
    return Bands(width, std::move(bands));
}

System stencil_system(std::size_t width, std::size_t height) {
    return Stencil(width, height, {-0.125, -0.125, -0.125, -0.125, 1, -0.125, -0.125, -0.125, -0.125});
}

/// Runs both engines alike and compares everything they show.
void expect_same(const Engine& whole, const Engine& parted, const System& system, const DatapathSpec& spec,
                 Recurrence recurrence, bool too_large = false, int threads = 1) {
    SCOPED_TRACE(to_string(spec));
    SessionOptions options;
    options.recurrence = recurrence;
    options.threads = threads;
    ASSERT_EQ(parted.refusal(spec, system, options), "");
    const auto a = whole.load(system, spec, options), b = parted.load(system, spec, options);
    std::mt19937 random(11);
    std::vector<double> r(system.size());
    for (std::size_t i = 0; i < r.size(); ++i)
        r[i] = system.on_edge(i) ? 0.0 : (static_cast<double>(random() % 2001) / 1000 - 1) / 8;
    if (too_large) r[r.size() / 2] = 1e6;
    const std::size_t half = r.size() / 2 + 3; // two writes that meet inside some part
    for (Session* s : {a.get(), b.get()}) {
        for (const Vec v : {Vec::r, Vec::p}) {
            s->write(v, 0, std::span(r).first(half));
            s->write(v, half, std::span(r).subspan(half));
        }
        s->set_scalars(0, 0);
    }
    for (const std::uint64_t passes : {1U, 2U, 9U}) {
        const RunReport x = a->run({passes, 0, 1}), y = b->run({passes, 0, 1});
        EXPECT_EQ(x.passes, y.passes);
        EXPECT_EQ(x.end, y.end);
        EXPECT_EQ(x.sigma_guards, y.sigma_guards);
        if (spec.fixed_vectors()) {
            EXPECT_EQ(x.words, y.words);
        }
        const Scalars m = a->scalars(), n = b->scalars();
        EXPECT_EQ(m.rho, n.rho);
        EXPECT_EQ(m.pq, n.pq);
        EXPECT_EQ(m.qq, n.qq);
        EXPECT_EQ(m.alpha, n.alpha);
        EXPECT_EQ(m.beta, n.beta);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            std::vector<double> s(system.size()), t(system.size());
            a->read(v, 0, s);
            b->read(v, 0, t);
            EXPECT_EQ(s, t) << "vector " << static_cast<int>(v);
        }
        if (x.end != RunEnd::passes) return;
    }
    for (Session* s : {a.get(), b.get()}) s->clear(Vec::p);
    std::vector<double> cleared(system.size(), 1.0);
    b->read(Vec::p, 0, cleared);
    EXPECT_EQ(cleared, std::vector<double>(system.size(), 0.0));
}

const char* const kSpecs[] = {"fx18.16",
                              "fx20.18,point=moving",
                              "fx22.20,u=s23e8",
                              "fx18.16,dot=fixed[20:-30]",
                              "s17e8,dot=fixed[20:-40]",
                              "s23e8,order=tree,dot=fixed[12:-50]"};

TEST(PartedEngine, SparseRowsInAnyNumberOfParts) {
    const auto whole = make_emulated_engine();
    const System system = sparse_system(211, 3);
    for (const std::uint32_t parts : {1U, 2U, 3U, 4U, 5U, 8U})
        for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee, CutMethod::bisection}) {
            if (method == CutMethod::bisection && !has_metis()) continue;
            SCOPED_TRACE(std::to_string(parts) + " parts, " + to_string(method));
            const auto parted = make_parted_engine(make_threads_space(parts), method);
            for (const char* text : kSpecs)
                expect_same(*whole, *parted, system, parse_spec(text), Recurrence::pipelined);
            expect_same(*whole, *parted, system, parse_spec("fx18.16"), Recurrence::plain);
            expect_same(*whole, *parted, system, parse_spec("s17e8,dot=fixed[20:-40]"), Recurrence::plain);
        }
}

TEST(PartedEngine, GridsInStrips) {
    const auto whole = make_emulated_engine();
    for (const System& system : {stencil_system(17, 33), bands_system(13, 21)})
        for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 8U}) {
            SCOPED_TRACE(std::to_string(parts) + " parts of " + to_string(system.kind()));
            const auto parted = make_parted_engine(make_threads_space(parts));
            for (const char* text : kSpecs)
                expect_same(*whole, *parted, system, parse_spec(text), Recurrence::pipelined);
            if (system.kind() != System::Kind::stencil) continue;
            expect_same(*whole, *parted, system, parse_spec("s17e8,order=flux,dot=fixed[20:-40]"),
                        Recurrence::pipelined);
            expect_same(*whole, *parted, system, parse_spec("s17e8,order=second-difference,dot=fixed[20:-40]"),
                        Recurrence::pipelined);
        }
}

/// Couplings of a nine-point grid with row sums here and there, or none.
SymmetricBands symmetric_bands(std::size_t width, std::size_t height, bool row_sums) {
    std::mt19937 random(9);
    SymmetricBands::Array weights;
    for (std::size_t d = 0; d < kWeights; ++d)
        for (std::size_t i = 0; i < width * height; ++i) {
            const std::size_t x = i % width, y = i / width;
            const bool inside = (d == 0 || y + 1 < height) && (d == 1 ? x > 0 : d == 2 || x + 1 < width);
            weights[d].push_back(inside ? static_cast<double>(random() % 128) / 1024 : 0.0);
        }
    std::vector<double> sums;
    // (Of the rows in the middle alone: most parts have none.)
    if (row_sums)
        for (std::size_t i = 0; i < width * height; ++i)
            sums.push_back(i / width == height / 2 ? static_cast<double>(random() % 64) / 1024 : 0.0);
    return {width, std::move(weights), std::move(sums)};
}

TEST(PartedEngine, SymmetricBandsInStrips) {
    const auto whole = make_emulated_engine();
    for (const bool row_sums : {false, true})
        for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 8U}) {
            SCOPED_TRACE(std::to_string(parts) + " parts");
            const SymmetricBands bands = symmetric_bands(13, 21, row_sums);
            const auto parted = make_parted_engine(make_threads_space(parts));
            for (const char* text : kSpecs)
                expect_same(*whole, *parted, bands, parse_spec(text), Recurrence::pipelined);
            for (const char* text : {"s17e8,order=flux,dot=fixed[20:-40]", "s10e5,order=flux,dot=fixed[20:-40]",
                                     "s40e11,order=flux,dot=fixed[20:-40]"}) {
                expect_same(*whole, *parted, bands, parse_spec(text), Recurrence::pipelined);
                expect_same(*whole, *parted, bands.bands(), parse_spec(text), Recurrence::pipelined);
                expect_same(*whole, *parted, bands, parse_spec(text), Recurrence::plain);
            }
            expect_same(*whole, *parted, bands, parse_spec("fx18.16"), Recurrence::plain);
        }
}

// Strips of several chunks, with several threads in each part.
TEST(PartedEngine, LongStripsAndSeveralThreads) {
    const auto whole = make_emulated_engine();
    for (const System& system : {stencil_system(129, 200), bands_system(129, 200),
                                 System(symmetric_bands(129, 200, true)), sparse_system(30000, 7)})
        for (const int threads : {1, 3, 6}) {
            SCOPED_TRACE(std::to_string(threads) + " threads, " + to_string(system.kind()));
            const auto parted = make_parted_engine(make_threads_space(2));
            for (const char* text :
                 {"fx18.16", "fx18.16,dot=fixed[20:-30]", "s17e8,dot=fixed[20:-40]", "double,dot=fixed[20:-40]"})
                expect_same(*whole, *parted, system, parse_spec(text), Recurrence::pipelined, false, threads);
            expect_same(*whole, *parted, system, parse_spec("s17e8,dot=fixed[20:-40]"), Recurrence::plain, false,
                        threads);
        }
}

// Through the host's memory: the same bits, and as many synchronisations as the recurrence has sums and an exchange.
TEST(PartedEngine, ThroughTheHost) {
    const auto whole = make_emulated_engine();
    const System sparse = sparse_system(211, 3);
    for (const std::uint32_t parts : {1U, 2U, 3U})
        for (const char* text :
             {"fx18.16", "fx20.18,point=moving", "s17e8,dot=fixed[20:-40]", "s40e11,dot=fixed[20:-40]"}) {
            const ExchangeOptions host{ExchangeWay::host, std::make_shared<ExchangeCounts>()};
            const auto parted = make_parted_engine(make_threads_space(parts), CutMethod::contiguous, host);
            expect_same(*whole, *parted, stencil_system(9, 17), parse_spec(text), Recurrence::pipelined);
            expect_same(*whole, *parted, sparse, parse_spec(text), Recurrence::pipelined);
        }
    for (const ExchangeWay way : {ExchangeWay::neighbours, ExchangeWay::host})
        for (const Recurrence recurrence : {Recurrence::pipelined, Recurrence::plain}) {
            const ExchangeOptions counted{way, std::make_shared<ExchangeCounts>()};
            const auto parted = make_parted_engine(make_threads_space(3), CutMethod::contiguous, counted);
            expect_same(*whole, *parted, sparse, parse_spec("s17e8,dot=fixed[20:-40]"), recurrence);
            const ExchangeCounts& c = *counted.counts;
            EXPECT_EQ(c.iterations, 12U);
            // (The plain recurrence forms r.r once more before its first pass.)
            EXPECT_EQ(c.synchronisations, recurrence == Recurrence::plain ? 3 * c.iterations + 1 : 2 * c.iterations);
            EXPECT_GT(c.elements, 0U);
        }
}

TEST(PartedEngine, AWordThatDoesNotFitEndsTheRunOfEveryPart) {
    const auto whole = make_emulated_engine();
    const auto parted = make_parted_engine(make_threads_space(3));
    expect_same(*whole, *parted, sparse_system(101, 4), parse_spec("fx18.16"), Recurrence::pipelined, true);
    expect_same(*whole, *parted, stencil_system(9, 17), parse_spec("fx18.16"), Recurrence::plain, true);
    expect_same(*whole, *parted, stencil_system(9, 17), parse_spec("s17e8,dot=fixed[20:-40]"), Recurrence::pipelined,
                true);
}

TEST(PartedEngine, RefusesWhatWouldDependOnTheCuts) {
    const auto parted = make_parted_engine(make_threads_space(3));
    const SessionOptions options;
    EXPECT_NE(parted->refusal(parse_spec("s17e8"), sparse_system(9, 1), options).find("depend on their order"),
              std::string::npos);
    EXPECT_NE(parted->refusal(parse_spec("fx18.16"), sparse_system(2, 1), options).find("rows for at most 2"),
              std::string::npos);
    EXPECT_NE(parted->refusal(parse_spec("fx18.16"), stencil_system(5, 5), options).find("rows for at most 2"),
              std::string::npos);
    EXPECT_THROW(static_cast<void>(parted->load(stencil_system(5, 5), parse_spec("fx18.16"), options)), InvalidInput);
    EXPECT_THROW(make_threads_space(0), InvalidInput);
}

} // namespace
} // namespace mantissa
