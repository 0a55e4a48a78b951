// The search of `mantissa tune`, judged by spaces of which every point was solved (experiments/tune/oracles.json); the
// area model, judged by the netlists that it is fitted to, each left out in turn.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/files.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "tune/area/area_model.hpp"
#include "tune/area/cycle_model.hpp"
#include "tune/search/guess.hpp"
#include "tune/search/search.hpp"
#include "tune/solves.hpp"
#include "tune/space.hpp"

namespace {

using namespace mantissa::tuning;

/// A space whose every point is known; counts what is asked for.
class Oracle : public Contest {
public:
    explicit Oracle(const nlohmann::ordered_json& space) {
        for (const auto& [name, values] : space.at("axes").items()) sizes_.push_back(values.size());
        weights_ = space.at("weights").get<std::vector<double>>();
        for (const auto& i : space.at("iterations")) iterations_.push_back(i.is_null() ? 0 : i.get<double>());
    }
    const std::vector<std::size_t>& sizes() const override { return sizes_; }
    bool possible(const Choice& /*choice*/) override { return true; }
    double cost(const Choice& c, double log) override { return weights_[index(c)] * std::exp(log); }
    double least_log(const Choice& /*choice*/) override { return 0; }
    std::vector<Measured> measure(std::span<const Choice> choices, std::size_t /*rung*/) override {
        std::vector<Measured> list;
        for (const Choice& c : choices) {
            EXPECT_TRUE(asked_.insert(c).second) << "a point is measured twice";
            const double i = iterations_[index(c)];
            list.push_back(i == 0 ? Measured{std::log(4000.0), false} : Measured{std::log(i), true});
        }
        return list;
    }
    std::size_t points() const { return weights_.size(); }
    std::size_t asked() const { return asked_.size(); }
    double least() const {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (iterations_[i] != 0) least = std::min(least, weights_[i] * iterations_[i]);
        return least;
    }

private:
    std::size_t index(const Choice& c) const {
        std::size_t at = 0;
        for (std::size_t k = 0; k < sizes_.size(); ++k) at = at * sizes_[k] + c[k];
        return at;
    }
    std::vector<std::size_t> sizes_;
    std::vector<double> weights_, iterations_;
    std::set<Choice> asked_;
};

/// (Ordered: the order of the axes matters.)
std::vector<nlohmann::ordered_json> spaces() {
    const auto all =
        nlohmann::ordered_json::parse(mantissa::base::read_file(MANTISSA_TUNE_FOLDER "/oracles.json").view());
    return all.at("spaces").get<std::vector<nlohmann::ordered_json>>();
}

TEST(Judge, FindsTheBestWithATenthOfTheSolves) {
    int judged = 0;
    for (const nlohmann::ordered_json& space : spaces()) {
        int good = 0;
        double worst = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Oracle oracle(space);
            SearchOptions options;
            options.seed = seed;
            options.most = oracle.points() / 10;
            options.noise /= std::sqrt(space.value("sides", 1.0)); // (of a mean over right-hand sides)
            const SearchResult found = search(oracle, options);
            ASSERT_NE(found.best(), nullptr);
            EXPECT_LE(oracle.asked(), oracle.points() / 10);
            const double ratio = found.best()->cost / oracle.least();
            EXPECT_GE(ratio, 1 - 1e-12);
            worst = std::max(worst, ratio);
            good += ratio <= 1.02 ? 1 : 0;
        }
        std::printf("%s: %d of 20 seeds within 2 %%, the worst %.3f of the best\n",
                    space.at("problem").get<std::string>().c_str(), good, worst);
        EXPECT_GE(good, 19) << space.at("problem");
        ++judged;
    }
    EXPECT_EQ(judged, 4);
}

TEST(Search, TheSameSeedGivesTheSameAnswer) {
    const nlohmann::ordered_json space = spaces().front();
    const auto run = [&](std::uint64_t seed) {
        Oracle oracle(space);
        SearchOptions options;
        options.seed = seed;
        options.most = 30;
        std::vector<Choice> list;
        for (const Tried& t : search(oracle, options).tried) list.push_back(t.choice);
        return list;
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
}

TEST(Guess, PassesNearWhatItKnowsAndDoubtsElsewhere) {
    Guesser guesser(0.01);
    std::vector<Place> places;
    std::vector<double> values;
    for (int i = 0; i <= 10; ++i) {
        places.push_back({i / 10.0, 0.5});
        values.push_back(std::sin(3 * i / 10.0));
    }
    guesser.learn(places, values);
    for (std::size_t i = 0; i < places.size(); ++i) EXPECT_NEAR(guesser.at(places[i]).mean, values[i], 0.02);
    EXPECT_NEAR(guesser.at({0.55, 0.5}).mean, std::sin(1.65), 0.02);
    EXPECT_GT(guesser.at({0.5, 0.0}).sigma, 2 * guesser.at({0.55, 0.5}).sigma);
}

TEST(AreaModel, IsWithinItsLimitsOnCoresThatItWasNotFittedTo) {
    const AreaModel model(MANTISSA_TUNE_FOLDER "/cores.json");
    const auto spec = mantissa::parse_spec("fx18.16,u=fx25.21,operand=s14e8,scalar=s19e8:rne");
    std::size_t cores = 0;
    for (const char* target : {"xc2v", "xcup"}) {
        ASSERT_EQ(model.refusal(spec, target, "block", "constant"), "");
        const auto errors = model.errors(spec, target, "block", "constant");
        for (const auto& [part, e] : errors)
            std::printf("%s, %s: median %.3f, largest %.3f of %zu\n", target, to_string(part), e.median, e.largest,
                        e.cores);
        EXPECT_LT(errors.at(Part::slices).median, 0.05);
        EXPECT_LT(errors.at(Part::slices).largest, 0.15);
        EXPECT_EQ(errors.at(Part::blocks).largest, 0);
        EXPECT_EQ(errors.at(Part::memory_bits).largest, 0);
        EXPECT_LT(errors.at(Part::mhz).median, 0.08);
        cores += errors.at(Part::slices).cores;
    }
    EXPECT_GE(cores, 20U);
}

TEST(AreaModel, OfSparseRowsIsWithinItsLimits) {
    const AreaModel model(MANTISSA_TUNE_FOLDER "/cores.json");
    const auto spec = mantissa::parse_spec("fx20.16,u=fx27.21,operand=s14e8,coef=fx14.13,scalar=s19e8:rne");
    ASSERT_EQ(model.refusal(spec, "xcup", "block", "sparse"), "");
    const auto errors = model.errors(spec, "xcup", "block", "sparse");
    for (const auto& [part, e] : errors)
        std::printf("sparse, %s: median %.3f, largest %.3f of %zu\n", to_string(part), e.median, e.largest, e.cores);
    EXPECT_EQ(errors.at(Part::slices).cores, 12U);
    EXPECT_LT(errors.at(Part::slices).median, 0.05);
    EXPECT_LT(errors.at(Part::slices).largest, 0.15);
    EXPECT_EQ(errors.at(Part::blocks).largest, 0);
    EXPECT_NE(model.refusal(spec, "xc2v", "block", "sparse"), "");
}

TEST(AreaModel, OfCyclesIsWithinItsLimits) {
    const CycleModel model(MANTISSA_TUNE_FOLDER "/cores.json");
    const auto cycle = mantissa::parse_cycle_spec("v12,w=9,f=14");
    ASSERT_EQ(model.refusal(cycle, 4, "xcup"), "");
    const auto errors = model.errors("xcup");
    for (const auto& [part, e] : errors)
        std::printf("cycles, %s: median %.3f, largest %.3f of %zu\n", to_string(part), e.median, e.largest, e.cores);
    EXPECT_GE(errors.at(Part::slices).cores, 9U);
    EXPECT_LT(errors.at(Part::slices).median, 0.05);
    EXPECT_LT(errors.at(Part::slices).largest, 0.15);
    EXPECT_EQ(errors.at(Part::blocks).largest, 0);
    // More lanes and more steps take more.
    EXPECT_GT(model.at(cycle, 4, "xcup").area.slices, 2 * model.at(cycle, 1, "xcup").area.slices);
    EXPECT_GT(model.at(cycle, 1, "xcup").area.slices,
              model.at(mantissa::parse_cycle_spec("b1,w=9,f=14"), 1, "xcup").area.slices);
    EXPECT_NE(model.refusal(cycle, 256, "xcup"), "");
    EXPECT_NE(model.refusal(cycle, 1, "ecp5"), "");
}

TEST(AreaModel, RefusesWhatItHasNoCoresOf) {
    const AreaModel model(MANTISSA_TUNE_FOLDER "/cores.json");
    const auto spec = mantissa::parse_spec("fx18.16");
    EXPECT_NE(model.refusal(spec, "xc2v", "logic", "constant"), "");
    EXPECT_NE(model.refusal(mantissa::parse_spec("fx30.28"), "xc2v", "block", "constant"), "");
}

TEST(Space, IsNarrowedByNamesAndRanges) {
    Narrowing n;
    n.fix = {"inner=10"};
    n.vary = {"bits=12..14"};
    n.no = {"words=floating", "lanes=4"};
    const Space space("constant", n);
    EXPECT_EQ(space.points(), 3 * 2 * 3 * 8 * 5 * 2 * 3);
    Choice c(space.axes().size(), 0);
    const auto options = space.options(space.canonical(c), 1e-8);
    EXPECT_EQ(options.inner, 10U);
    EXPECT_EQ(options.spec.r, mantissa::parse_format("fx12.10"));
    EXPECT_EQ(options.tolerance, 1e-8);
}

TEST(Space, SaysInOneLineWhatItCannotTake) {
    const auto line = [](Narrowing n) -> std::string {
        try {
            const Space space("constant", n);
        } catch (const mantissa::InvalidInput& fault) {
            return fault.what();
        }
        return "";
    };
    EXPECT_NE(line({{"colour=red"}, {}, {}}).find("no such axis"), std::string::npos);
    EXPECT_NE(line({{"bits"}, {}, {}}).find("AXIS=VALUE"), std::string::npos);
    EXPECT_NE(line({{"bits=1,2"}, {}, {}}).find("--vary"), std::string::npos);
    EXPECT_NE(line({{}, {"bits=9..x"}, {}}).find("no values"), std::string::npos);
    // A range as wide as int is no list of four thousand million values.
    EXPECT_NE(line({{}, {"bits=-2000000000..2000000000"}, {}}).find("no values"), std::string::npos);
    EXPECT_NE(line({{}, {}, {"bits=18,"}}).find("no values"), std::string::npos);
    EXPECT_NE(line({{"inner=0"}, {}, {}}).find("inner takes whole numbers from 1 "), std::string::npos);
    EXPECT_NE(line({{}, {"bits=18,018"}, {}}).find("a value is given twice"), std::string::npos);
    EXPECT_NE(line({{}, {"order=circle"}, {}}).find("order takes"), std::string::npos);
    EXPECT_NE(line({{}, {}, {"inner=11"}}).find("none of its values"), std::string::npos);
    // The values of an axis come from one place.
    EXPECT_EQ(line({{"bits=18"}, {"bits=11..12"}, {}}),
              "--fix bits=18: bits is given twice, by --vary bits=11..12 too; leave one of the two out");
    EXPECT_NE(line({{"bits=18", "bits=20"}, {}, {}}).find("given twice, by --fix bits=18 too"), std::string::npos);
    EXPECT_NE(line({{}, {"bits=20,21", "bits=24"}, {}}).find("given twice, by --vary bits=20,21"), std::string::npos);
    EXPECT_NE(line({{}, {"bits=18,18"}, {}}).find("a value is given twice"), std::string::npos);
    EXPECT_EQ(line({{"inner=10"}, {"bits=11..14"}, {"bits=12", "bits=13"}}), "");
}

/// One of its own is no other, and what is asked for twice (rhs=) no problem at all.
TEST(Sides, AreOtherSeedsOfTheSameMatrix) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(other_sides("poisson2d:level=4", 2),
              (Names{"poisson2d:level=4,rhs=random,seed=1", "poisson2d:level=4,rhs=random,seed=2"}));
    EXPECT_EQ(other_sides("poisson2d:level=4,rhs=random,seed=1", 2),
              (Names{"poisson2d:level=4,rhs=random,seed=2", "poisson2d:level=4,rhs=random,seed=3"}));
    EXPECT_EQ(other_sides("mtx:a.mtx,rhs=random,seed=7", 1), (Names{"mtx:a.mtx,rhs=random,seed=1"}));
    EXPECT_TRUE(other_sides("mtx:a.mtx,rhs=file:b.mtx", 2).empty());
    EXPECT_TRUE(other_sides("poisson3d:level=3", 2).empty());
}

TEST(Sides, OfCoarserProblemsTheLevelIsTheProblemsOwn) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(coarser("diffusion2d:level=7,field=jump"),
              (Names{"diffusion2d:level=5,field=jump", "diffusion2d:level=6,field=jump"}));
    EXPECT_TRUE(coarser("mtx:level=7,b/a.mtx").empty()) << "a folder of that name";
    EXPECT_TRUE(coarser("mtx:here/level=7,b/a.mtx").empty());
}

} // namespace
