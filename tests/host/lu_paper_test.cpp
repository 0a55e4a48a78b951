// mantissa reproduce lu, as it is typed.
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
    const Outcome o = run("reproduce lu " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(o.out.empty()) << o.out;
    EXPECT_TRUE(has(o.err, part)) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
}

TEST(LuPaper, RefusesWhatItCannotReproduce) {
    const Scratch folder;
    folder.write("other.json", R"({"kind":"blas1","runs":[]})");
    folder.write("text.json", "no json");
    folder.write("shape.json", R"({"kind":"lu_figures","runs":[{"n":"many"}]})");
    refused("", "give one of --figure");
    refused("--figure 5 --table 1", "give one of --figure");
    refused("--figure 4", "texture");
    refused("--figure 10", "clock");
    refused("--figure 3", "give 5, 6, 7");
    refused("--figure 15", "give 5, 6, 7");
    refused("--table 3", "give 1 or 2");
    refused("--table 1 --size 0", "--size 0");
    refused("--table 1 --size 70000", "--size 70000");
    refused("--table 1 --results " + folder.path("other.json"), "counted the kernels for n = ");
    refused("--figure 5 --mesh x.obj", "no meshes");
    refused("--figure 5 --results " + folder.path("none.json"), "cannot be read");
    refused("--figure 5 --results " + folder.path("text.json"), "not a file that mantissa bench wrote");
    for (const char* figure : {"5", "6", "7", "8", "9", "11", "12", "13", "14"}) {
        refused(std::string("--figure ") + figure + " --results " + folder.path("other.json"),
                std::string("Figure ") + figure + ": no stored run has");
        refused(std::string("--figure ") + figure + " --results " + folder.path("shape.json"),
                std::string("Figure ") + figure);
    }
}

/// Table 1's totals for n = 4096, worked out by hand from its formulas.
TEST(LuPaper, PrintsTheTablesToTheByte) {
    const Outcome one = run("reproduce lu --table 1");
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_TRUE(has(one.out, "549890031616")); // 8 n^2 (n + 1)
    EXPECT_TRUE(has(one.out, "366369669120")); // (8/3)(n - 1) n (2n - 1)
    EXPECT_TRUE(has(one.out, "100687872"));    // 6 n (n + 1)
    EXPECT_TRUE(has(one.out, "67125248"));     // 4 n (n + 1)
    const Outcome two = run("reproduce lu --table 2 --json --size 3");
    ASSERT_EQ(two.code, 0) << two.err;
    const Json rows = Json::parse(two.out);
    std::uint64_t divisions = 0, mads = 0;
    for (const Json& row : rows)
        if (row.at("algorithm") == "LU") {
            divisions += row.at("divisions").get<std::uint64_t>();
            mads += row.at("mads").get<std::uint64_t>();
        }
    EXPECT_EQ(divisions, 6U); // n (n + 1) / 2
    EXPECT_EQ(mads, 5U);      // (n - 1) n (2n - 1) / 6
}

constexpr const char* kRun = R"({"kind":"lu_figures","device":"a card","date":"2026-01-01","commit":"c",
"multiprocessors":8,"copy_bytes_per_second":1e12,"processor":{"library":"LibX","threads":4},
"runs":[
{"n":1024,"arithmetic":"float","none_seconds":0.004,"one_texel_seconds":0.002,"partial_seconds":0.006,"full_seconds":0.008,
 "table_bytes":8000000000,"memory_bytes":2000000000,"transfer_seconds":0.001,"processor_getrf_seconds":0.002,"processor_getc2_seconds":0.4},
{"n":2048,"arithmetic":"float","none_seconds":0.016,"one_texel_seconds":0.008,"partial_seconds":0.020,"full_seconds":0.040,
 "table_bytes":64000000000,"memory_bytes":8000000000,"transfer_seconds":0.001,"processor_getrf_seconds":0.024,"processor_getc2_seconds":null},
{"n":3500,"arithmetic":"float","none_seconds":0.05,"one_texel_seconds":0.04,"partial_seconds":0.10,"full_seconds":0.12,
 "table_bytes":64000000000,"memory_bytes":8000000000,"transfer_seconds":0.001,"processor_getrf_seconds":0.25,"processor_getc2_seconds":null}],
"by_multiprocessors":[{"n":1024,"multiprocessors":2,"seconds":0.012},{"n":1024,"multiprocessors":8,"seconds":0.004}],
"full":[{"n":1024,"arithmetic":"float","resident":true,"end":"factored","seconds":0.001,"bound_seconds":0.002,"bound_over_seconds":2,"teraflops":0.7}],
"gauss_jordan":[]})";

TEST(LuPaper, PrintsFiguresOfAStoredRun) {
    const Scratch folder;
    folder.write("run.json", kRun);
    const auto figure = [&](int number) {
        const Outcome o =
            run("reproduce lu --figure " + std::to_string(number) + " --results " + folder.path("run.json"));
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_TRUE(has(o.out, "a card, 2026-01-01, commit c")) << o.out;
        return o.out;
    };
    const auto line = [](const std::string& text, const std::string& start) {
        const std::size_t at = text.find(start);
        return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_TRUE(has(line(figure(5), "size from which"), " 2048 ")) << figure(5);
    EXPECT_TRUE(has(figure(5), "LibX, 4 threads"));
    EXPECT_TRUE(has(line(figure(5), "size from which"), "500 (6800)"));
    EXPECT_TRUE(has(line(figure(6), "getrf over ours at n = 3500"), "2.50   paper: 1.35 (7800)"));
    EXPECT_TRUE(has(line(figure(7), "getc2 over ours"), "50.0   paper: 10 (7800)"));
    EXPECT_TRUE(has(figure(7), "on the chip"));
    EXPECT_TRUE(has(line(figure(8), "partial over none"), "2.00   paper: 2 (GPUs)"));
    EXPECT_TRUE(has(line(figure(8), "full over none"), "2.50   paper: 3 (GPUs)"));
    EXPECT_TRUE(has(figure(9), "0.75"));
    EXPECT_TRUE(has(line(figure(11), "share of a copy's rate"), "0.50   paper: 0.94 (6800 Ultra)"));
    EXPECT_TRUE(has(figure(12), "0.80"));
    EXPECT_TRUE(has(line(figure(13), "getrf over ours at n = 2048"), "1.50   paper: 1.15 (6800 Ultra)"));
    EXPECT_TRUE(has(line(figure(14), "largest size"), " 1024   paper: 500 (6800 Ultra)"));
    const Outcome json = run("reproduce lu --figure 5 --json --results " + folder.path("run.json"));
    EXPECT_EQ(Json::parse(json.out).size(), 3U);
}

} // namespace
