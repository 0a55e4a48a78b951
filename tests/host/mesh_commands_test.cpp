// mantissa parameterize and mantissa smooth, as they are typed.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/host/mesh.hpp"
#include "program.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::json;

TEST(Parameterize, WritesTheMapAndSaysWhatItIsWorth) {
    const Scratch folder;
    const std::string in = folder.path("in.obj"), out = folder.path("out.obj"), picture = folder.path("map.svg");
    write_mesh(in, make_hemisphere(12));
    const Outcome o = run("parameterize " + in + " -o " + out + " --picture " + picture + " --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const Json j = Json::parse(o.out);
    EXPECT_EQ(j.at("unknowns"), 2 * 144 - 4);
    EXPECT_EQ(j.at("flipped"), 0);
    EXPECT_EQ(j.at("converged"), true);
    EXPECT_GT(j.at("mean_distortion").get<double>(), 1);
    EXPECT_LT(j.at("mean_distortion").get<double>(), 1.2);
    EXPECT_EQ(read_mesh(out).points, read_mesh(in).points);
    EXPECT_NE(folder.read("out.obj").find("vt "), std::string::npos);
    EXPECT_TRUE(folder.read("map.svg").ends_with("</svg>\n"));
    // In a reduced datapath, refined: the same map.
    const Outcome reduced =
        run("parameterize " + in + " -o " + folder.path("r.ply") + " --spec s14e8,u=s23e8,coef=s23e8");
    EXPECT_EQ(reduced.code, 0) << reduced.err;
    EXPECT_NE(reduced.out.find("converged"), std::string::npos);
}

TEST(Parameterize, CutsWhatIsNoDiskWhenAsked) {
    const Scratch folder;
    const std::string in = folder.path("ball.ply");
    write_mesh(in, make_sphere(3));
    const Outcome refused = run("parameterize " + in + " -o " + folder.path("out.obj"));
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("ball.ply: a closed surface"), std::string::npos) << refused.err;
    EXPECT_EQ(folder.files(), 1U);
    const Outcome cut = run("parameterize --cut " + in + " -o " + folder.path("out.obj"));
    EXPECT_EQ(cut.code, 0) << cut.err;
    EXPECT_TRUE(topology_of(read_mesh(folder.path("out.obj"))).disk());
}

TEST(Smooth, WritesASmootherMesh) {
    const Scratch folder;
    TriangleMesh noisy = make_sphere(3);
    for (std::size_t v = 0; v < noisy.points.size(); v += 2)
        for (double& x : noisy.points[v]) x *= 1.05;
    write_mesh(folder.path("in.ply"), noisy);
    const Outcome o = run("smooth " + folder.path("in.ply") + " -o " + folder.path("out.ply") +
                          " --weight 0.1 --json " + "--picture " + folder.path("both.svg"));
    ASSERT_EQ(o.code, 0) << o.err;
    const Json j = Json::parse(o.out);
    EXPECT_LT(j.at("roughness_after").get<double>(), 0.5 * j.at("roughness_before").get<double>());
    EXPECT_EQ(j.at("iterations").size(), 3U);
    EXPECT_EQ(read_mesh(folder.path("out.ply")).triangles, noisy.triangles);
    EXPECT_TRUE(folder.read("both.svg").ends_with("</svg>\n"));
}

/// Without a hold the mesh fell to a point, and the solve was called converged.
TEST(Smooth, AWeightThatIsLostIsRefused) {
    const Scratch folder;
    const std::string in = folder.path("in.obj"), command = "smooth " + in + " -o " + folder.path("out.obj");
    write_mesh(in, make_sphere(2));
    for (const char* weight : {"1e-200", "5e-324", "1e-15"}) {
        const Outcome o = run(command + " --weight " + weight);
        EXPECT_EQ(o.code, 2) << weight;
        EXPECT_NE(o.err.find(std::string("in.obj: a weight of ") + weight), std::string::npos) << o.err;
        EXPECT_EQ(folder.files(), 1U);
    }
    EXPECT_EQ(run(command + " --weight 1e-6").code, 0);
}

TEST(Smooth, SaysWhatItDoesNotKeep) {
    const Scratch folder;
    const std::string in = folder.path("in.obj"), command = "smooth " + in + " -o " + folder.path("out.obj");
    write_mesh(in, make_sphere(2));
    EXPECT_EQ(run(command).err, "");
    folder.write("in.obj", folder.read("in.obj") + "vt 0.5 0.5\n");
    const Outcome o = run(command);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.err.find("texture coordinates, groups and materials"), std::string::npos) << o.err;
}

/// A limit is of each coordinate, and the iterations are of all.
TEST(Smooth, SaysOfWhatItCountsIterations) {
    const Scratch folder;
    const std::string in = folder.path("in.obj");
    write_mesh(in, make_sphere(3));
    const Outcome o = run("smooth " + in + " -o " + folder.path("out.obj") + " --noise 0.1 --max-iterations 2");
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_NE(o.out.find("the limit of 2 iterations is reached; 6 iterations over 3 right-hand sides"),
              std::string::npos)
        << o.out;
}

/// Short names of schemes that stand for a recurrence are those of solve.
TEST(Smooth, TakesTheNamesOfRecurrences) {
    const Scratch folder;
    const std::string in = folder.path("in.obj");
    write_mesh(in, make_sphere(2));
    for (const char* scheme : {"bicgstab", "gmres", "flexible"}) {
        const Outcome o = run("smooth " + in + " -o " + folder.path("out.obj") + " --noise 0.1 --scheme " + scheme);
        EXPECT_EQ(o.code, 0) << scheme << o.err;
        EXPECT_NE(o.out.find("converged in"), std::string::npos) << o.out;
    }
    const std::string plane = folder.path("plane.obj");
    write_mesh(plane, make_plane(5, 0.2));
    const Outcome map = run("parameterize " + plane + " -o " + folder.path("map.obj") + " --scheme bicgstab");
    EXPECT_EQ(map.code, 0) << map.err;
}

TEST(Parameterize, SubdividesFirst) {
    const Scratch folder;
    const std::string in = folder.path("in.obj");
    write_mesh(in, make_plane(5, 0.2));
    const Outcome o = run("parameterize " + in + " -o " + folder.path("out.obj") + " --subdivide 2 --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const Json j = Json::parse(o.out);
    EXPECT_EQ(j.at("vertices"), 17 * 17);
    EXPECT_LT(j.at("true_residual").get<double>(), 1e-6);
    EXPECT_EQ(read_mesh(folder.path("out.obj")).points, subdivided(subdivided(read_mesh(in))).points);
}

TEST(Parameterize, TakesTheMultilevelScheme) {
    const Scratch folder;
    const std::string in = folder.path("in.obj");
    write_mesh(in, make_hemisphere(40));
    const auto map = [&](const std::string& more) {
        const Outcome o = run("parameterize " + in + " -o " + folder.path("out.obj") + " --json " + more);
        EXPECT_EQ(o.code, 0) << o.err;
        return Json::parse(o.out);
    };
    const Json jacobi = map(""), multilevel = map("--scheme multilevel-pcg");
    EXPECT_LT(multilevel.at("true_residual").get<double>(), 1e-6);
    EXPECT_LT(3 * multilevel.at("iterations").get<int>(), jacobi.at("iterations").get<int>());
    EXPECT_NEAR(multilevel.at("mean_distortion").get<double>(), jacobi.at("mean_distortion").get<double>(), 1e-4);
    EXPECT_GT(multilevel.at("seconds_of").at("system").get<double>(), 0);
    for (const auto& [arguments, part] :
         {std::pair{"parameterize " + in + " --scheme multilevel-pcg --format s17e8", "solves in double by itself"},
          std::pair{"smooth " + in + " --scheme multilevel-pcg", "made for maps"}}) {
        const Outcome o = run(arguments + " -o " + folder.path("out.obj"));
        EXPECT_EQ(o.code, 2) << arguments;
        EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
    }
}

TEST(JacobiPcgScheme, SolvesSparseRowsAndRefusesWhatItIsNot) {
    const Scratch folder;
    const std::string in = folder.path("in.obj");
    write_mesh(in, make_hemisphere(9));
    const std::string solve = "solve --problem lscm:" + in + " --scheme jacobi-pcg ";
    const Outcome o = run(solve + "--format double --tolerance 1e-9 --json");
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_LT(Json::parse(o.out).at("true_residual").get<double>(), 1.001e-9);
    for (const auto& [more, part] : {std::pair{"--format s17e8", "it works in double precision"},
                                     std::pair{"--format double --jacobi", "it divides by the diagonal itself"}}) {
        const Outcome refused = run(solve + more);
        EXPECT_EQ(refused.code, 2) << more;
        EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
    }
    const Outcome grid = run("solve --problem poisson2d:level=3 --scheme jacobi-pcg --format double");
    EXPECT_EQ(grid.code, 2);
    EXPECT_NE(grid.err.find("it takes sparse rows"), std::string::npos) << grid.err;
}

/// A grid of `along` x `across` cells on half a cylinder, `height` high, moved by `shift`.
TriangleMesh half_cylinder(std::uint32_t across, std::uint32_t along, double height, const Point3& shift) {
    TriangleMesh mesh;
    for (std::uint32_t i = 0; i <= across; ++i)
        for (std::uint32_t k = 0; k <= along; ++k) {
            const double angle = M_PI * i / across;
            mesh.points.push_back(
                {shift[0] + std::cos(angle), shift[1] + std::sin(angle), shift[2] + height * k / along});
        }
    for (std::uint32_t i = 0; i < across; ++i)
        for (std::uint32_t k = 0; k < along; ++k) {
            const std::uint32_t a = i * (along + 1) + k, b = a + along + 1;
            mesh.triangles.push_back({a, b, b + 1});
            mesh.triangles.push_back({a, b + 1, a + 1});
        }
    return mesh;
}

TEST(Parameterize, SaysThatAMapFoldsOver) {
    const Scratch folder;
    const std::string in = folder.path("in.obj"), out = folder.path("out.obj");
    for (const auto& [height, folds] : {std::pair{1e-6, true}, std::pair{3e-6, true}, std::pair{1e-7, true},
                                        std::pair{1e6, true}, std::pair{1.0, false}}) {
        write_mesh(in, half_cylinder(16, 8, height, {}));
        const Outcome o = run("parameterize " + in + " -o " + out + " --json");
        const Json j = Json::parse(o.out);
        EXPECT_EQ(j.at("flipped").get<int>() + j.at("collapsed").get<int>() > 0, folds) << height;
        EXPECT_EQ(o.err.find("triangles lie upside down in the map") != std::string::npos, folds) << o.err;
        EXPECT_EQ(j.contains("warning"), folds) << height;
        EXPECT_GE(j.at("mean_distortion").get<double>(), folds ? 0 : 1) << height;
    }
}

/// The vertices after a command, or the texture coordinates of the OBJ that it wrote.
std::vector<Point3> written(const std::string& path, const std::string& word) {
    std::vector<Point3> list;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first != word) continue;
        Point3 p{};
        words >> p[0] >> p[1] >> p[2];
        list.push_back(p);
    }
    return list;
}

TEST(MeshCommands, AMeshFarAwayIsTheSameMesh) {
    const Scratch folder;
    const std::string near = folder.path("near.obj"), far = folder.path("far.obj"), out = folder.path("out.obj");
    write_mesh(near, with_noise(half_cylinder(12, 12, 2, {}), 0.1));
    for (const Point3& shift :
         {Point3{524288, 5e6, 100}, Point3{-4e6, 0, 3e5}, Point3{100, 100, 100}, Point3{1e3, -7e7, 0}}) {
        TriangleMesh moved = read_mesh(near);
        for (Point3& p : moved.points)
            for (std::size_t k = 0; k < 3; ++k) p[k] += shift[k];
        write_mesh(far, moved);
        const double ulp = 2e-16 * std::max({std::abs(shift[0]), std::abs(shift[1]), std::abs(shift[2])});
        for (const char* command : {"smooth ", "smooth --format s23e8 ", "smooth --weight 0.1 --tolerance 1e-9 "}) {
            ASSERT_EQ(run(command + near + " -o " + out).code, 0);
            const std::vector<Point3> here = written(out, "v");
            ASSERT_EQ(run(command + far + " -o " + out).code, 0);
            const std::vector<Point3> there = written(out, "v");
            ASSERT_EQ(here.size(), there.size());
            for (std::size_t v = 0; v < here.size(); ++v)
                for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(there[v][k] - shift[k], here[v][k], 1e-6 + 100 * ulp);
        }
        for (const char* scheme : {"", "--scheme multilevel-pcg "}) {
            ASSERT_EQ(run("parameterize --tolerance 1e-9 " + near + " -o " + out + " " + scheme).code, 0);
            const std::vector<Point3> here = written(out, "vt");
            ASSERT_EQ(run("parameterize --tolerance 1e-9 " + far + " -o " + out + " " + scheme).code, 0);
            const std::vector<Point3> there = written(out, "vt");
            ASSERT_EQ(here.size(), there.size());
            for (std::size_t v = 1; v < here.size(); ++v)
                for (std::size_t k = 0; k < 2; ++k)
                    EXPECT_NEAR(there[v][k] - there[0][k], here[v][k] - here[0][k], 1e-5 + 1e4 * ulp);
        }
        // solve --solution writes the mesh's coordinate, too.
        ASSERT_EQ(run("solve --problem dsi:" + far + ",coordinate=y --scheme jacobi-pcg --format double --solution " +
                      out + "y")
                      .code,
                  0);
        const std::string text = folder.read("out.objy");
        EXPECT_NE(text.find("the origin that the solve took off is added again"), std::string::npos);
        EXPECT_NEAR(std::stod(text.substr(text.find(" 1\n") + 3)), moved.points[0][1], 1);
    }
}

TEST(MeshCommands, RefuseBeforeTheyWork) {
    const Scratch folder;
    const std::string in = folder.path("in.obj");
    write_mesh(in, make_plane(4, 0));
    const auto refused = [&](const std::string& arguments, const char* part) {
        const Outcome o = run(arguments);
        EXPECT_EQ(o.code, 2) << arguments;
        EXPECT_NE(o.err.find(part), std::string::npos) << arguments << ": " << o.err;
        EXPECT_EQ(folder.files(), 1U);
    };
    refused("parameterize " + in + " -o " + folder.path("out.stl"), "ends in .obj or .ply");
    refused("parameterize " + in + " -o /nowhere/out.obj", "/nowhere");
    refused("parameterize " + in + " -o " + folder.path("out.obj") + " --weight heavy", "--weight heavy");
    refused("parameterize " + in + " -o " + folder.path("out.obj") + " --tolerance 2", "--tolerance 2");
    refused("smooth " + in + " -o " + folder.path("out.obj") + " --weight 0", "--weight 0");
    refused("smooth " + in + " -o " + folder.path("out.obj") + " --mu odd", "--mu odd");
    refused("smooth " + folder.path("none.obj") + " -o " + folder.path("out.obj"), "none.obj");
}

} // namespace
