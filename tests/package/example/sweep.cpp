// A sweep from text into a results file, resumed, read back and exported.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <mantissa/host/registry.hpp>
#include <mantissa/host/store.hpp>
#include <mantissa/host/sweep.hpp>

int main() {
    const std::string file = (std::filesystem::temp_directory_path() / "mantissa_example_sweep.sqlite").string();
    std::filesystem::remove(file);
    const mantissa::Sweep sweep = mantissa::parse_sweep(R"(
        [[grid]]
        problem = "poisson2d:level=4"
        format = ["s10e8", "s17e8"]
        inner = [5, 10]
    )",
                                                        "example");
    std::size_t solved = 0;
    for (int round = 0; round < 2; ++round) { // the second finds all points stored
        mantissa::Store store(file);
        std::vector<mantissa::Point> missing;
        for (const mantissa::Point& point : sweep.points)
            if (!store.contains(point)) missing.push_back(point);
        mantissa::solve_points(missing, 2, [&](std::size_t i, const mantissa::PointOutcome& outcome) {
            if (!outcome.refused.empty()) return;
            store.put(missing[i], outcome.result, outcome.unknowns, mantissa::current_provenance("example"));
            ++solved;
        });
    }
    const mantissa::Store store(file);
    std::uint64_t iterations = 0;
    for (const mantissa::Point& point : sweep.points)
        if (const auto result = store.find(point)) iterations += result->inner_iterations;
    store.export_csv(file + ".csv");
    std::printf("%zu points, %zu solved, %zu stored, %llu iterations in all; engines:", sweep.points.size(), solved,
                store.size(), static_cast<unsigned long long>(iterations));
    for (const mantissa::EngineEntry& engine : mantissa::list_engines())
        if (engine.missing.empty()) std::printf(" %s", engine.name.c_str());
    std::printf("\n");
    const bool good =
        solved == 4 && store.size() == 4 && iterations > 0 && std::filesystem::file_size(file + ".csv") > 0;
    for (const char* end : {"", "-wal", "-shm", ".csv"}) std::filesystem::remove(file + end);
    return good ? 0 : 1;
}
