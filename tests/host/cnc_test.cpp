// mantissa reproduce cnc, as it is typed.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/host/mesh.hpp"
#include "program.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void refused(const std::string& arguments, const std::string& part) {
    const Outcome o = run("reproduce cnc " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(o.out.empty()) << o.out;
    EXPECT_TRUE(has(o.err, part)) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
}

TEST(Cnc, RefusesWhatItCannotReproduce) {
    const Scratch folder;
    folder.write("other.json", R"({"device":"x","matrices":[]})");
    folder.write("text.json", "no json");
    folder.write("shape.json", R"({"kind":"blas1","runs":[{"operation":"axpy"}]})");
    const std::string svg = folder.path("f.svg");
    refused("", "give one of --figure");
    refused("--figure 3 --table 3 -o " + svg, "give one of --figure");
    refused("--figure 4", "give 3, 7, 8, 9, 10 or 11");
    refused("--table 2", "only Table 3");
    refused("--figure 3", "-o FILE.svg");
    refused("--table 3 -o " + svg, "only Figures 3 and 7");
    refused("--figure 8 --mesh x.obj", "read from stored runs");
    refused("--figure 7 --results x.json -o " + svg, "only Figures 8 to 11");
    refused("--figure 3 --mesh " + folder.path("none.obj") + " -o " + svg, "none.obj");
    refused("--figure 8 --results " + folder.path("none.json"), "cannot be read");
    refused("--figure 8 --results " + folder.path(""), "cannot be read");
    refused("--figure 8 --results " + folder.path("text.json"), "not a file that mantissa bench wrote");
    for (const char* figure : {"8", "9", "10", "11"})
        refused(std::string("--figure ") + figure + " --results " + folder.path("other.json"),
                std::string("Figure ") + figure + ": no stored run has");
    refused("--figure 8 --results " + folder.path("shape.json"), "Figure 8: a stored run has another shape");
}

TEST(Cnc, CountsTheUnknownsThatThePaperCounts) {
    const Outcome o = run("reproduce cnc --table 3 --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const Json list = Json::parse(o.out);
    ASSERT_EQ(list.size(), 2U);
    const Json& disk = list[0];
    const std::size_t v = disk.at("vertices");
    EXPECT_EQ(disk.at("parameterization").at("unknowns"), 2 * (v - 2));
    EXPECT_EQ(disk.at("smoothing").at("unknowns"), 3 * v);
    // Of 2 x 2 blocks for a vertex and its neighbours every place is taken; by area half of them cancel.
    EXPECT_GT(disk.at("parameterization").at("fill_bcrs2").get<double>(), 0.9);
    EXPECT_LT(disk.at("parameterization").at("numeric").get<double>(),
              0.6 * disk.at("parameterization").at("structural").get<double>());
    const Outcome text = run("reproduce cnc --table 3 --subdivide 1");
    EXPECT_EQ(text.code, 0);
    EXPECT_TRUE(has(text.out, "Phlegmatic Dragon"));
    EXPECT_TRUE(has(text.out, ", x 4"));
}

TEST(Cnc, DrawsFigures3And7) {
    const Scratch folder;
    write_mesh(folder.path("disk.obj"), make_hemisphere(14));
    write_mesh(folder.path("ball.ply"), make_sphere(3));
    const Outcome three = run("reproduce cnc --figure 3 --json -o " + folder.path("3.svg"));
    ASSERT_EQ(three.code, 0) << three.err;
    const Json j = Json::parse(three.out);
    EXPECT_LT(2 * j[1].at("bandwidth").get<int>(), j[0].at("bandwidth").get<int>());
    EXPECT_EQ(j[0].at("nonzeros"), j[1].at("nonzeros"));
    EXPECT_TRUE(folder.read("3.svg").ends_with("</svg>\n"));
    const Outcome seven = run("reproduce cnc --figure 7 --json --weight 10 --mesh " + folder.path("disk.obj") +
                              " --mesh " + folder.path("ball.ply") + " -o " + folder.path("7.svg"));
    ASSERT_EQ(seven.code, 0) << seven.err;
    const Json k = Json::parse(seven.out);
    EXPECT_EQ(k.at("flipped"), 0);
    EXPECT_LT(k.at("error_after").get<double>(), k.at("error_before").get<double>());
    EXPECT_TRUE(has(folder.read("7.svg"), "data:image/png;base64,"));
}

TEST(Cnc, ShowsStoredRunsBesideThePaper) {
    const Scratch folder;
    folder.write("blas1.json", R"({"kind":"blas1","device":"D","date":"2026-01-02","commit":"c",
        "peaks":{"float_operations_per_second":1e13,"double_operations_per_second":5e12,"bytes_per_second":1e12},
        "runs":[{"operation":"axpy","arithmetic":"float","n":1048576,"operations":2097152,"bytes":12582912,
                 "seconds":1.6e-5,"cublas_seconds":1.7e-5,"processor_seconds":3.2e-4,"share_of_copy":0.91}],
        "others":[{"operation":"gemm","arithmetic":"float","n":4,"operations":2e12,"bytes":1e9,"seconds":1.0}]})");
    folder.write("older.json", R"({"kind":"blas1","date":"2026-01-01","runs":[],"peaks":{},"others":[]})");
    const std::string results = " --results " + folder.path("older.json") + " --results " + folder.path("blas1.json");
    const Outcome eight = run("reproduce cnc --figure 8" + results);
    ASSERT_EQ(eight.code, 0) << eight.err;
    EXPECT_TRUE(has(eight.out, "axpy, GPU over CPU                              20.0   paper: 12.2 (ATI), 18 (NVIDIA)"))
        << eight.out;
    const Outcome ten = run("reproduce cnc --figure 10" + results);
    ASSERT_EQ(ten.code, 0) << ten.err;
    EXPECT_TRUE(has(ten.out, "78.6")) << ten.out; // 12 bytes an element over 16 us, of 1 TB/s
    EXPECT_TRUE(has(ten.out, "20.00")) << ten.out;

    folder.write("products.json", R"({"device":"D","date":"2026-01-02","commit":"c","matrices":[
        {"name":"lscm_face","rows":100,"nonzeros":1000,"products":[{"arithmetic":"float","formats":[
          {"name":"CRS","seconds":3e-6},{"name":"BCRS 2x2","seconds":2e-6},{"name":"BCRS 4x4","seconds":1e-6}],
          "cusparse":[{"name":"cuSPARSE CSR","seconds":1.5e-6}]}],
         "jacobi_cg":[{"iterations":10,"seconds":1e-4}],"jacobi_cg_processor":{"iterations":10,"seconds":8e-4}}]})");
    const Outcome nine = run("reproduce cnc --figure 9 --results " + folder.path("products.json"));
    ASSERT_EQ(nine.code, 0) << nine.err;
    EXPECT_TRUE(has(nine.out, "BCRS 4x4 over BCRS 2x2                          2.00")) << nine.out;
    EXPECT_TRUE(has(nine.out, "BCRS 2x2 over CRS                               1.50")) << nine.out;
    EXPECT_TRUE(has(nine.out, "step of Jacobi CG, GPU over CPU                 8.00")) << nine.out;

    folder.write("steps.json", R"({"kind":"textbook_cg","date":"2026-01-03","systems":[{"name":"dsi:x","rows":100,
        "nonzeros":1000,"runs":[{"arithmetic":"double","solves":[{"method":"textbook","us_per_iteration":2.0},
        {"method":"pipelined","us_per_iteration":1.0}]}],"processor":[{"iterations":10,"wall_seconds":1e-3}]}]})");
    const Outcome steps = run("reproduce cnc --figure 9 --results " + folder.path("products.json") + " --results " +
                              folder.path("steps.json"));
    ASSERT_EQ(steps.code, 0) << steps.err;
    EXPECT_TRUE(has(steps.out, "1.6         100.0   50.00")) << steps.out;
    EXPECT_TRUE(has(steps.out, "step of Jacobi CG, GPU over CPU                20.00")) << steps.out; // of 8 and 50

    folder.write("curves.json", R"({"kind":"residual_curves","date":"2026-01-02","systems":[{"problem":"lscm:x",
        "unknowns":9,"nonzeros":27,"curves":[{"spec":"float","engines":["emulated","gpu"],"refused":"","same_bits":true,
        "bits":"0","end":"passes","iteration":[0,10,20],"recursive":[1,1e-3,1e-8],"true":[1,1.1e-3,1e-5]}]}]})");
    const Outcome eleven = run("reproduce cnc --figure 11 --results " + folder.path("curves.json"));
    ASSERT_EQ(eleven.code, 0) << eleven.err;
    EXPECT_TRUE(has(eleven.out, "20         1.0e-05         1.0e-08")) << eleven.out;
    EXPECT_TRUE(has(eleven.out, "emulated, gpu: the same bits")) << eleven.out;
    EXPECT_TRUE(has(eleven.out, "CPU and GPU alike until iteration           the last   paper: 500")) << eleven.out;
}

} // namespace
