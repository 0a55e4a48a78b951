// mantissa reproduce cevahir, as it is typed.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "scratch.hpp"

namespace {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void refused(const std::string& arguments, const std::string& part) {
    const Outcome o = run("reproduce " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(o.out.empty()) << o.out;
    EXPECT_TRUE(has(o.err, part)) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
}

/// A path of `rows` nodes whose last half has `chords` further couplings, to the next nodes but one.
std::string path_matrix(int rows) {
    std::string entries;
    int count = 0;
    for (int i = 1; i <= rows; ++i) {
        entries += std::to_string(i) + " " + std::to_string(i) + " 4\n";
        ++count;
        for (const int step : {1, 2})
            if (i - step >= 1 && (step == 1 || i > rows / 2)) {
                entries += std::to_string(i) + " " + std::to_string(i - step) + " -1\n";
                ++count;
            }
    }
    return "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(rows) + " " + std::to_string(rows) +
           " " + std::to_string(count) + "\n" + entries;
}

TEST(Cevahir, RefusesWhatItCannotReproduce) {
    const Scratch folder;
    folder.write("other.json", R"({"kind":"blas1","runs":[]})");
    folder.write("text.json", "no json");
    folder.write("shape.json", R"({"matrices":[{"name":"a","products":[{"arithmetic":"float"}]}]})");
    refused("cevahir", "give one of --figure");
    refused("cevahir --figure 4 --table communication", "give one of --figure");
    refused("cevahir --figure 3", "give 4 or 5");
    refused("cevahir --table 1", "--table communication");
    refused("cevahir --figure 4 --mesh x.obj", "no meshes");
    refused("cevahir --figure 4 --problem x", "leave it out");
    refused("cevahir --table communication --results x.json", "leave it out");
    refused("cevahir --table communication --problem poisson2d:level=4", "cut in strips");
    refused("cevahir --table communication --parts 0 --problem x", "--parts");
    refused("cnc --table communication", "cevahir");
    refused("lu --table 1 --problem x", "cevahir");
    refused("cevahir --figure 4 --results " + folder.path("none.json"), "cannot be read");
    refused("cevahir --figure 4 --results " + folder.path("text.json"), "not a file that mantissa bench wrote");
    for (const char* figure : {"4", "5"})
        refused(std::string("cevahir --figure ") + figure + " --results " + folder.path("other.json"),
                std::string("Figure ") + figure + ": no stored run has");
    refused("cevahir --figure 4 --results " + folder.path("shape.json"), "another shape");
}

// Counted by hand: a row of the first half has 3 entries, one of the second up to 5.
TEST(Cevahir, CountsWhatPartsExchange) {
    const Scratch folder;
    const std::string matrix = folder.write("path.mtx", path_matrix(32));
    const Outcome o = run("reproduce cevahir --table communication --parts 2 --json --problem mtx:" + matrix);
    ASSERT_EQ(o.code, 0) << o.err;
    const Json list = Json::parse(o.out);
    ASSERT_GE(list.size(), 2U);
    const Json& first = list[0];
    EXPECT_EQ(first.at("matrix"), "path.mtx");
    EXPECT_EQ(first.at("cut"), "contiguous");
    // 32 + 2 (31 + 16) entries; the first 19 rows have 2 + 13 x 3 + 2 x 4 + 3 x 5 = 64, the first to reach half.
    EXPECT_EQ(first.at("nonzeros"), 126);
    EXPECT_EQ(first.at("largest_part"), 19);
    EXPECT_DOUBLE_EQ(first.at("row_imbalance").get<double>(), 19.0 / 16 - 1);
    EXPECT_EQ(first.at("most_sent"), 2); // two rows on either side of the cut
    EXPECT_EQ(first.at("most_received"), 2);
    const Outcome text = run("reproduce cevahir --table communication --problem mtx:" + matrix);
    ASSERT_EQ(text.code, 0) << text.err;
    for (const char* part : {"path.mtx", "nd24k", "crankseg_2", "    96 %", "   100 %"})
        EXPECT_TRUE(has(text.out, part)) << part << "\n" << text.out;
}

TEST(Cevahir, PrintsTheFigureOfAStoredRun) {
    const Scratch folder;
    const std::string file = folder.write(
        "run.json", R"({"device":"a device","date":"2026-01-01","commit":"c0ffee","copy_bytes_per_second":1e12,
"matrices":[{"name":"lscm:x.obj","rows":1,"nonzeros":1,"products":[]},
{"name":"big","rows":1000,"nonzeros":2000000,"products":[{"arithmetic":"double","formats":[]},{"arithmetic":"float",
"formats":[{"name":"CRS","traffic":1,"seconds":4e-5},{"name":"JDS","traffic":1,"seconds":2e-5},
{"name":"JDS by rows","traffic":18000000,"seconds":1e-5},{"name":"SELL","traffic":1,"seconds":5e-6}]}]},
{"name":"small","rows":10,"nonzeros":1000,"products":[{"arithmetic":"float","formats":[
{"name":"CRS","traffic":1,"seconds":2e-6},{"name":"JDS","traffic":1,"seconds":2e-6},
{"name":"JDS by rows","traffic":9000,"seconds":1e-6}]}]}]})");
    const Outcome o = run("reproduce cevahir --figure 4 --results " + file);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_LT(o.out.find("small"), o.out.find("big ")); // by nonzeros
    EXPECT_FALSE(has(o.out, "lscm"));
    for (const char* part : {"a device", "GFlop/s of JDS by rows                         201.0   paper: 6.52",
                             "JDS by rows over CSR                            3.00   paper: 4.76",
                             "JDS over CSR                                    1.50   paper: 1.97", "9.0   paper: 11.9",
                             "today's fastest over JDS by rows                1.50",
                             "CPU over CSR                                       -"})
        EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
}

// A matrix that two runs have counts once, as the later run has it; a run of grids alone is passed over.
TEST(Cevahir, PrintsSpeedUpsOfStoredRuns) {
    const Scratch folder;
    const auto stored = [&](const std::string& file, const std::string& date, const std::string& matrices) {
        return folder.write(file, R"({"kind":"gpus","device":"a device","commit":"c0ffee","date":")" + date +
                                      R"(","sparse":{"matrices":[)" + matrices + "]}}");
    };
    const auto matrix = [](const std::string& name, const std::string& two, const std::string& speed_up) {
        return R"({"name":")" + name +
               R"(","rows":1000000,"nonzeros":4000000,"precisions":[{"arithmetic":"float","runs":[{"gpus":1,"seconds":4e-5,)"
               R"("speed_up":1},{"gpus":2,"seconds":)" +
               two + R"(,"speed_up":)" + speed_up + R"(,"rival":{"ratio":2.5}}]}]})";
    };
    const std::string late = stored("late.json", "2026-02-01", matrix("a", "2e-5", "2")),
                      early =
                          stored("early.json", "2026-01-01", matrix("a", "4e-5", "1") + "," + matrix("b", "4e-5", "1")),
                      grids = folder.write("grids.json", R"({"kind":"gpus","date":"2026-03-01","grids":{}})");
    const Outcome o =
        run("reproduce cevahir --figure 5 --results " + late + " --results " + early + " --results " + grids);
    ASSERT_EQ(o.code, 0) << o.err;
    for (const char* part :
         {"means over 2 matrices", "GFlop/s of float on 1                            500   paper: 6.02",
          "GFlop/s of float on 2                            750   paper: 9.58",
          "speed-up of float on 2                          1.50   paper: 1.59",
          "library over ours of float on 2                 2.50", "Run on 2 GPUs at most", "2.47"})
        EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
    EXPECT_FALSE(has(o.out, "grids.json"));
    refused("cevahir --figure 5 --results " + grids, "Figure 5: no stored run has");
}

} // namespace
