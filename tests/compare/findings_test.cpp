// The sentences of a comparison, each on figures where the naive sentence would be false.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "findings/findings.hpp"
#include "findings/iteration_contest.hpp"
#include "findings/verdict.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::ordered_json;

constexpr const char* kProblem = "poisson2d:level=7";

Json design(const std::string& spec, std::uint64_t iterations, const std::string& status = "converged") {
    return {{"spec", spec},
            {"problem", kProblem},
            {"unknowns", 16641},
            {"status", status},
            {"inner_iterations", iterations}};
}

Json row(const std::string& spec, double seconds, double share, std::uint64_t cores = 1,
         const std::string& device = "chip", const std::string& multiplier = "block") {
    return {{"problem", kProblem}, {"device", device},
            {"spec", spec},        {"multiplier", multiplier},
            {"cores", cores},      {"bound", "io"},
            {"inner", 10},         {"inner_iterations", 300},
            {"seconds", seconds},  {"seconds_outer", seconds / 50},
            {"area_share", share}, {"area_time", share * seconds}};
}

Json document(const std::vector<Json>& designs, const std::vector<Json>& rows = {}) {
    Json d = {{"name", "c"},
              {"scheme", "residual-guided"},
              {"inner", 10},
              {"tolerance", 1e-10},
              {"devices", {{{"id", "chip"}}}},
              {"designs", designs},
              {"rows", rows},
              {"references", {{{"problem", kProblem}, {"iterations", 171}}}}};
    return d;
}

std::vector<std::string> sentences_of(const Json& document, const std::vector<findings::SolveBeside>& beside) {
    return findings::sentences(comparison::document_from_json(document), beside);
}
std::optional<findings::Verdict> verdict_of(const Json& document) {
    return findings::verdict_of(comparison::document_from_json(document));
}

findings::SolveBeside beside(const std::string& spec, std::uint64_t iterations) {
    findings::SolveBeside s;
    s.problem = kProblem;
    s.spec = spec;
    s.converged = true;
    s.iterations = iterations;
    return s;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The only sentence that begins so, or "".
std::string sentence(const std::vector<std::string>& list, const std::string& start) {
    EXPECT_LE(std::count_if(list.begin(), list.end(), [&](const auto& s) { return s.starts_with(start); }), 1);
    const auto it = std::find_if(list.begin(), list.end(), [&](const auto& s) { return s.starts_with(start); });
    return it == list.end() ? "" : *it;
}

TEST(VectorBits, WordsCountWhatIsBesideTheSign) {
    EXPECT_EQ(findings::vector_bits("s17e8,u=s23e8"), 17);
    EXPECT_EQ(findings::vector_bits("fx18.16"), 17); // an 18-bit multiplier takes either
    EXPECT_EQ(findings::vector_bits("fx18.60"), 17); // wherever the point is
    EXPECT_FALSE(findings::vector_bits("1:s17e8;0.5:s10e8"));
}

TEST(Findings, CycleCoresStandBesideCgAndTheGpu) {
    const auto core = [](const char* problem, double seconds, double clocks, std::uint64_t lanes, std::uint64_t cores) {
        return Json{{"problem", problem},
                    {"device", "chip"},
                    {"cycle", "b2,w=10"},
                    {"outer", "fx64.54"},
                    {"lanes", lanes},
                    {"cores", cores},
                    {"cycles", 15},
                    {"clocks", clocks},
                    {"clock_hz", 3e8},
                    {"clock_kind", "given"},
                    {"seconds", seconds},
                    {"seconds_core", seconds},
                    {"seconds_link", lanes > 1 ? Json(1e-6) : Json()}};
    };
    Json d = document({}, {row("s17e8", 4e-3, 0.1), row("s23e8", 5e-3, 0.1)});
    const Json gpu{
        {"problem", kProblem}, {"device", "a GPU"}, {"cycle", "v11,w=10"}, {"cycles", 14}, {"seconds", 5e-4}};
    d["cycle_cores"] = {core(kProblem, 6e-4, 2e5, 1, 1), core(kProblem, 1e-4, 3e4, 16, 2),
                        core("poisson2d:level=5", 1e-5, 1e3, 1, 1), gpu};
    EXPECT_EQ(sentences_of(d, {}).back(),
              "Fastest of 2 cycle cores on chip at poisson2d:level=7: b2,w=10, u fx64.54 (2 cores of 16 lanes), 100 us "
              "(modelled, b and u over the bus included) for 15 cycles, 40 times as fast as the fastest design of CG "
              "there, s17e8; a GPU takes 500 us with v11,w=10 (measured, transfers not included).");
    d["rows"] = Json::array();
    d["cycle_cores"] = Json::array({core(kProblem, 6e-4, 2e5, 1, 1)});
    EXPECT_EQ(sentences_of(d, {}).back(),
              "The only cycle core on chip at poisson2d:level=7: b2,w=10, u fx64.54 (1 lane), 600 us (modelled, "
              "transfers not included) for 15 cycles.");
}

TEST(Findings, TheFewestIterationsAreThoseOfAllThatTheResultsHold) {
    const Json d = document({design("s52e11", 172), design("s23e8", 287), design("s17e8", 374)});
    const std::string alone = sentences_of(d, {}).at(0);
    EXPECT_TRUE(has(alone, "Of the 2 datapaths") || has(alone, "of the 2 datapaths")) << alone;
    EXPECT_TRUE(has(alone, "of this comparison")) << alone;
    EXPECT_TRUE(has(alone, "s23e8 needs the fewest, 287 (1.68 times as many)")) << alone;
    // A float at 260 and rows with six more bits at 245 are on the same page.
    const std::string all =
        sentences_of(d, {beside("s23e8:rne:subnormals", 260), beside("s17e8,row=s23e8", 245)}).at(0);
    EXPECT_TRUE(has(all, "of the 4 datapaths below 30 fraction bits that these results hold")) << all;
    EXPECT_TRUE(has(all, "s17e8,row=s23e8 needs the fewest, 245")) << all;
    EXPECT_FALSE(has(all, "287")) << all;
}

TEST(Findings, SolvesOfAnotherSettingTakeNoPart) {
    const Json d = document({design("s23e8", 287), design("s17e8", 374)});
    std::vector<findings::SolveBeside> others(7, beside("s20e8", 1));
    others[0].problem = "poisson2d:level=6";
    others[1].options.scheme = Scheme::defect_correction;
    others[2].options.inner = 50;
    others[3].options.tolerance = 1e-6;
    others[4].options.jacobi = true;
    others[5].options.middle = {parse_format("s36e11")};
    others[6].converged = false;
    others[6].spec = "s17e8"; // is there already, converged
    EXPECT_EQ(sentences_of(d, others), sentences_of(d, {}));
}

TEST(Findings, TiesAreNamed) {
    const Json d = document({design("s23e8", 287), design("s23e8,dot=fixed[13:-50]", 287), design("s17e8", 374)});
    const std::string text = sentences_of(d, {}).at(0);
    EXPECT_TRUE(has(text, "s23e8 and s23e8,dot=fixed[13:-50] need the fewest, 287")) << text;
    const std::string equal = sentences_of(document({design("s23e8", 287), design("s17e8", 287)}), {}).at(0);
    EXPECT_TRUE(has(equal, "all need 287")) << equal;
    EXPECT_FALSE(has(equal, "fewest")) << equal;
}

TEST(Findings, ShortestVectorsAreThoseOfAll) {
    const Json d = document({design("s23e8", 287), design("s7e8,row=s13e8", 900), design("s7e8", 800)});
    const std::string text = sentences_of(d, {}).at(0);
    EXPECT_TRUE(has(text, "of the 2 with the shortest vectors, s7e8 needs the fewest, 800")) << text;
}

TEST(Findings, OneEntrantHasNoSuperlative) {
    const Json d = document({design("s52e11", 172), design("s23e8", 287)}, {row("s23e8", 1, 0.25)});
    const auto list = sentences_of(d, {});
    for (const std::string& text : list)
        for (const char* word : {"fewest", "Fastest", "fastest", "Least", "least", "shortest", "Best", "next"})
            EXPECT_FALSE(has(text, word)) << text;
    EXPECT_TRUE(has(list.at(0), "s23e8, the only datapath below 30 fraction bits of this comparison")) << list.at(0);
    EXPECT_TRUE(has(list.at(1), "the only design on chip")) << list.at(1);
    EXPECT_EQ(list.size(), 2U) << "the least area times time of one row is no finding";
}

TEST(Findings, WhatDidNotConvergeIsCounted) {
    const Json d = document({design("s23e8", 287), design("s17e8", 374), design("s4e8", 20, "stagnated")});
    const std::string text = sentences_of(d, {}).at(0);
    EXPECT_TRUE(has(text, "of the 3 datapaths")) << text;
    EXPECT_TRUE(has(text, "of which 1 did not converge, s23e8 needs the fewest, 287")) << text;
    const std::string none =
        sentences_of(document({design("s4e8", 20, "stagnated"), design("s5e8", 9, "diverged")}), {}).at(0);
    EXPECT_TRUE(has(none, "none of the 2 datapaths")) << none;
    const std::string one = sentences_of(document({design("s4e8", 20, "stagnated"), design("s5e8", 9)}), {}).at(0);
    EXPECT_TRUE(has(one, "only s5e8 converged, and needs 9")) << one;
    EXPECT_FALSE(has(one, "fewest")) << one;
}

TEST(Findings, FastestSaysAmongHowManyAndWhatIsNext) {
    const Json d =
        document({design("s52e11", 172), design("s23e8", 287)},
                 {row("s52e11", 2, 0.8), row("s23e8", 1, 0.25, 2), row("s23e8", 1.8, 0.125), row("s17e8", 1.002, 0.2)});
    const auto list = sentences_of(d, {});
    const std::string fast = sentence(list, "Fastest of 3 designs on chip");
    EXPECT_TRUE(has(fast, "s23e8 (2 cores, hard multipliers), 1 s (modelled), 2 times as fast as s52e11")) << fast;
    EXPECT_TRUE(has(fast, "next is s17e8, less than 1 % slower")) << fast;
    const std::string least = sentence(list, "Least area times time of 3 designs on chip");
    EXPECT_TRUE(has(least, "s17e8")) << least;
    EXPECT_TRUE(has(least, "next is s23e8")) << least;
}

TEST(Findings, TheLinkIsNamedWhereItTakesTheTime) {
    Json slow = row("s17e8", 1, 0.25);
    slow["seconds_outer"] = 0.75;
    slow["seconds_link"] = 0.5;
    const auto list = sentences_of(document({design("s17e8", 172)}, {slow}), {});
    const std::string text = sentence(list, "s17e8 (1 core");
    EXPECT_TRUE(has(text,
                    "75 % of the time goes into the double-precision outer loop, 50 % into its way over the link; "
                    "what holds a pass back is"))
        << text;
}

TEST(Findings, ADesignOnSeveralDevicesIsOne) {
    Json d = document({design("s17e8", 172)}, {row("s17e8", 1, 0.25), row("s17e8", 2, 0.25, 1, "other")});
    d["devices"].push_back({{"id", "other"}});
    const auto verdict = verdict_of(d);
    ASSERT_TRUE(verdict);
    EXPECT_TRUE(has(verdict->sentence, "the only design here")) << verdict->sentence;
}

/// "Solve with it here, to the same bits": with the outer loop and the tolerance that its iterations were counted with.
TEST(Findings, TheCommandToTypeIsTheWinnersSolve) {
    Json streamed = design("fx18.16", 310), kept = design("fx18.16", 300), winner = row("fx18.16", 1, 0.25);
    streamed["headroom"] = 1;
    kept["resident"] = true;
    winner["resident"] = {{"outer_words", "fx64.54"}};
    Json d = document({streamed, kept}, {winner});
    d["tolerance"] = 1.23456789e-7;
    const std::string begin = std::string("mantissa solve --problem '") + kProblem + "' --spec 'fx18.16' --inner 10 ";
    EXPECT_EQ(verdict_of(d)->next.at(0).command, begin + "--tolerance 1.23456789e-07 --resident --outer fx64.54");
    d["scheme"] = "defect-correction";
    d["rows"] = {row("fx18.16", 1, 0.25)};
    EXPECT_EQ(verdict_of(d)->next.at(0).command,
              begin + "--tolerance 1.23456789e-07 --scheme defect-correction --headroom 1");
}

TEST(Findings, AWinnerWithTheLongestVectorsIsComparedWithNoLongerOne) {
    const Json d = document({}, {row("s23e8", 1, 0.25), row("s17e8", 2, 0.125)});
    const auto list = sentences_of(d, {});
    EXPECT_FALSE(list.empty());
    for (const std::string& text : list) {
        EXPECT_FALSE(has(text, "than s23e8")) << text;
        EXPECT_FALSE(has(text, "no better")) << text;
    }
}

TEST(Findings, OneDesignOnSeveralNumbersOfCores) {
    const Json d = document({}, {row("s17e8", 2, 0.1), row("s17e8", 1.5, 0.2, 2)});
    const auto list = sentences_of(d, {});
    ASSERT_EQ(list.size(), 2U);
    EXPECT_TRUE(has(list[0], "s17e8 (2 cores, hard multipliers), the only design on chip")) << list[0];
    EXPECT_TRUE(has(list[1], "Of its 2 numbers of cores, s17e8 has the least area times time")) << list[1];
}

TEST(Findings, OneSpecificationOnBothKindsOfMultipliersIsTwoDesigns) {
    const Json d = document({}, {row("s17e8", 1, 0.2), row("s17e8", 2, 0.4, 1, "chip", "logic")});
    EXPECT_TRUE(has(sentences_of(d, {}).at(0), "Fastest of 2 designs")) << sentences_of(d, {}).at(0);
    EXPECT_TRUE(has(sentences_of(d, {}).at(0), "s17e8 with logic multipliers, 100 % slower"))
        << sentences_of(d, {}).at(0);
    EXPECT_EQ(findings::designs_on(comparison::document_from_json(d), kProblem, "chip"), 2U);
}

TEST(Findings, StagesSayOfHowMany) {
    Json d = document({}, {row("s17e8", 1, 0.2), row("s14e8", 1.004, 0.1)});
    const auto stage = [](const std::string& name, const std::vector<Json>& choices) {
        return Json{{"problem", kProblem},
                    {"device", "chip"},
                    {"by", "time"},
                    {"stage", name},
                    {"format", choices[0]["format"]},
                    {"choices", choices}};
    };
    const Json first = {{"format", "s17e8"}, {"seconds", 1.0}}, second = {{"format", "s14e8"}, {"seconds", 1.004}},
               third = {{"format", "s12e8"}, {"seconds", 3.0}};
    d["stages"] = {stage("vectors", {first, second, third}), stage("iterate", {first})};
    const std::string text = sentence(sentences_of(d, {}), "Best format for each stage");
    EXPECT_TRUE(has(text, "among those of its 2 designs")) << text;
    EXPECT_TRUE(has(text, "vectors s17e8 (of 3; s14e8 less than 1 % slower)")) << text;
    EXPECT_TRUE(has(text, "iterate s17e8 (the only one)")) << text;
    d["stages"] = {stage("vectors", {first})};
    EXPECT_EQ(sentence(sentences_of(d, {}), "Best format"), "");
}

TEST(Findings, ARunThatMissedTheToleranceIsNotTheFastest) {
    Json d = document({}, {row("s17e8", 1, 0.2), row("s14e8", 2, 0.1)});
    const auto peer = [](const std::string& label, double seconds, bool reached) {
        return Json{{"problem", kProblem}, {"engine", "gpu"},        {"label", label},
                    {"seconds", seconds},  {"true_residual", 1e-10}, {"reached", reached}};
    };
    d["peers"] = {peer("hasty", 0.001, false), peer("exact", 0.5, true), peer("slow", 0.75, true)};
    const std::string text = sentence(sentences_of(d, {}), "Beside it");
    EXPECT_TRUE(has(text, "exact takes 500 ms")) << text;
    EXPECT_TRUE(has(text, "the fastest of the 2 runs on a GPU that reached the tolerance (1 missed it)")) << text;
    EXPECT_TRUE(has(text, "the fastest of 2 designs, s17e8 on chip")) << text;
    d["peers"] = {peer("hasty", 0.001, false)};
    const std::string none = sentence(sentences_of(d, {}), "Beside it");
    EXPECT_TRUE(has(none, "no run on a GPU reached the tolerance")) << none;
    EXPECT_FALSE(has(none, "hasty")) << none;
}

/// The headline whose sentence begins so.
findings::Headline headline(const Json& document, const std::string& what) {
    const auto verdict = verdict_of(document);
    if (verdict)
        for (const findings::Headline& h : verdict->numbers)
            if (h.what == what) return h;
    ADD_FAILURE() << "no headline " << what;
    return {};
}

// A bare ratio says not who is ahead: the words do.
TEST(Findings, TheTimeBesideAGpuHasADirection) {
    Json d = document({}, {row("s17e8", 1, 0.2)});
    const double own = d.at("rows")[0].at("seconds").get<double>();
    const auto with = [&](double gpu) {
        d["peers"] = {Json{{"problem", kProblem}, {"engine", "gpu"}, {"label", "a GPU"}, {"seconds", gpu}}};
        return headline(d, "time of the fastest design").value;
    };
    EXPECT_EQ(with(own / 21), "21 times slower than the GPU");
    EXPECT_EQ(with(own / 2.5), "2.50 times slower than the GPU");
    EXPECT_EQ(with(own * 4), "4.00 times faster than the GPU");
    EXPECT_EQ(with(own * 130), "130 times faster than the GPU");
}

// A comparison of sparse cores alone has a head too.
TEST(Findings, SparseCoresHaveAVerdict) {
    const auto ours = [](const char* problem, const char* label, double seconds) {
        return Json{
            {"problem", problem}, {"device", "chip"}, {"label", label}, {"clock_hz", 3e8}, {"seconds", seconds}};
    };
    Json d{{"tolerance", 1e-10}, {"devices", {Json{{"id", "chip"}, {"name", "a chip"}}}}};
    EXPECT_FALSE(verdict_of(d));
    d["sparse"] = {ours("mtx:a.mtx", "small", 1e-5), ours("mtx:b.mtx", "slow", 0.5), ours("mtx:b.mtx", "fast", 0.25),
                   Json{{"problem", "mtx:b.mtx"}, {"label", "a GPU"}, {"seconds", 0.125}}};
    const auto verdict = verdict_of(d);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->sentence,
              "fast on a chip solves mtx:b.mtx to 1e-10 in 250 ms (modelled): the fastest of 2 sparse "
              "cores.");
    EXPECT_EQ(verdict->devices, std::vector<std::string>{"chip"});
    EXPECT_EQ(headline(d, "time beside the others").value, "2.00 times slower than the others");
    EXPECT_EQ(headline(d, "iterations against CG in double").value, "") << "no solve in double beside it";
    EXPECT_EQ(headline(d, "of the device").value, "") << "of no core is the area known";
    Json& fast = d["sparse"][2];
    for (const auto& [name, value] : {std::pair{"iterations", 30}, {"slices", 500}, {"blocks", 7}}) fast[name] = value;
    fast["spec"] = "fx18.16";
    fast["bound"] = "blocks";
    fast["area_share"] = 0.25;
    d["references"] = {Json{{"problem", "mtx:b.mtx"}, {"iterations", 20}}};
    EXPECT_TRUE(has(verdict_of(d)->sentence, "fx18.16 with fast on a chip solves")) << d;
    EXPECT_EQ(headline(d, "iterations against CG in double").value, "1.50 \u00D7");
    EXPECT_EQ(headline(d, "of the device").value, "25 %");
    EXPECT_EQ(headline(d, "of the device").note,
              "fast of fx18.16: 500 slices, 7 multipliers; twice the lanes would lack multipliers");
    d["sparse"].push_back(ours("mtx:b.mtx", "elsewhere", 3));
    d["sparse"].back()["device"] = "other";
    EXPECT_EQ(verdict_of(d)->devices, (std::vector<std::string>{"chip", "other"}));
    EXPECT_EQ(headline(d, "time beside the processor").value, "") << "none was timed";
    d["peers"] = {
        Json{{"problem", "mtx:b.mtx"}, {"engine", "cpu"}, {"label", "CG"}, {"seconds", 1.0}, {"reached", true}},
        Json{{"problem", "mtx:b.mtx"}, {"engine", "cpu"}, {"label", "no"}, {"seconds", 0.1}, {"reached", false}}};
    EXPECT_EQ(headline(d, "time beside the processor").value, "4.00 times faster than the processor");
    d["sparse"] = {ours("mtx:b.mtx", "alone", 0.25)};
    EXPECT_TRUE(has(verdict_of(d)->sentence, "the only sparse core here"));
}

// A core that holds a stencil is no measure beside one that streams its bands.
TEST(Findings, SlicesAreOfCoresWithTheSameBands) {
    const auto core = [](const char* spec, const char* bands, int slices) {
        return Json{{"spec", spec},   {"target", "xc2v"}, {"part", "core"},   {"multiplier", "block"},
                    {"bands", bands}, {"lanes", 1},       {"slices", slices}, {"blocks", 4}};
    };
    Json d = document({}, {row("s17e8", 1, 0.2)});
    d["devices"] = {Json{{"id", "chip"}, {"name", "a chip"}, {"target", "xc2v"}}};
    const auto with = [&](const Json& own, const Json& wide) {
        d["cores"] = {own, wide};
        return headline(d, "slices of a core against double's");
    };
    EXPECT_EQ(with(core("s17e8", "constant", 130), core("s52e11", "streamed", 1000)).value, "");
    EXPECT_EQ(with(core("s17e8", "streamed", 130), core("s52e11", "constant", 1000)).value, "");
    const auto streamed = with(core("s17e8", "streamed", 500), core("s52e11", "streamed", 1000));
    EXPECT_TRUE(has(streamed.value, "0.50")) << streamed.value;
    EXPECT_TRUE(has(streamed.note, "both with streamed bands")) << streamed.note;
    EXPECT_TRUE(has(with(core("s17e8", "constant", 250), core("s52e11", "constant", 1000)).value, "0.25"));
}

TEST(Findings, AnyDocumentWillDo) {
    for (const Json& d : {Json(), Json(3), Json::object(), Json::array(), Json{{"rows", 4}, {"designs", {1, "x"}}},
                          Json{{"rows", {{{"problem", 3}, {"seconds", "fast"}}, nullptr}}, {"section55", {1}}}})
        EXPECT_TRUE(sentences_of(d, {}).empty()) << d;
}

// What is kept in the repository says what its own figures say.
TEST(Findings, TheStoredDocumentsAreThoseOfItsFigures) {
    std::ifstream file(std::string(MANTISSA_EXPERIMENTS) + "/results/compare.json");
    const Json d = Json::parse(file);
    EXPECT_EQ(d.at("findings").get<std::vector<std::string>>(), sentences_of(d, {}));
    // The clock of a row that the model gave is that of a core of its specification, streamed or with a constant
    // stencil.
    std::size_t compared = 0;
    for (const Json& r : d.at("rows")) {
        if (r.at("clock_kind") != "modelled" || !r.at("resident").is_null()) continue;
        bool found = false;
        for (const Json& device : d.at("devices"))
            for (const Json& core : d.at("cores"))
                found = found ||
                        (device.at("id") == r.at("device") && device.at("target") == core.at("target") &&
                         core.at("part") == "core" && core.at("spec") == r.at("spec") &&
                         core.at("multiplier") == r.at("multiplier") &&
                         std::fabs(r.at("clock_hz").get<double>() / (1e6 * core.at("mhz").get<double>()) - 1) < 1e-12);
        EXPECT_TRUE(found) << "one core, one clock: " << r.at("spec") << " on " << r.at("device");
        ++compared;
    }
    EXPECT_GT(compared, 0U);
}

} // namespace
