#include <bit>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "../comparison_file.hpp"
#include "cycle_cores.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "synthesis/recipe.hpp"
#include "text/toml_text.hpp"

namespace mantissa::compare {

namespace {

constexpr int kAnyLevel = 5;

std::vector<std::size_t> devices_of(const text::TomlText& file, const toml::table& t, const Comparison& c) {
    std::vector<std::size_t> devices;
    for (const auto& [text, line] : file.texts(t, "device")) {
        const std::string id = std::filesystem::path(text).stem().string();
        std::size_t at = 0;
        while (at < c.devices.size() && c.devices[at].id != id) ++at;
        if (at == c.devices.size())
            file.fail(line, fmt::format("device {} is not among those above", text::printable(text)));
        devices.push_back(at);
    }
    for (std::size_t at = 0; devices.size() < c.devices.size() && !t.contains("device"); ++at) devices.push_back(at);
    return devices;
}

} // namespace

std::vector<CycleDesign> read_cycle_designs(const text::TomlText& file, const Comparison& comparison,
                                            const std::string& folder) {
    std::vector<CycleDesign> designs;
    const toml::node* node = file.root().get("cycle");
    if (node == nullptr) return designs;
    if (!node->is_array_of_tables())
        file.fail(text::TomlText::line_of(file.root(), "cycle"), "cycle must be tables: write [[cycle]]");
    for (const toml::node& item : *node->as_array()) {
        const toml::table& t = *item.as_table();
        file.check_keys(t, "a cycle core",
                        {"cycle", "lanes", "cores", "mapped", "outer", "device", "clock_mhz", "gpu"});
        CycleDesign design;
        constexpr int kMostLanes = 256, kMostCores = 16;
        design.lanes = file.wholes(t, "lanes", 1, kMostLanes, 1);
        design.cores = file.wholes(t, "cores", 1, kMostCores, 1);
        if (t.contains("mapped")) design.mapped = file.wholes(t, "mapped", 1, kMostLanes, 1);
        for (const char* key : {"lanes", "mapped"})
            for (const std::uint64_t lanes : std::string_view(key) == "lanes" ? design.lanes : design.mapped)
                if (!std::has_single_bit(lanes))
                    file.fail(text::TomlText::line_of(t, key),
                              fmt::format("{} of a cycle core are powers of two, as 64", key));
        const std::uint32_t outer_line = text::TomlText::line_of(t, "outer");
        design.outer =
            file.at_line(outer_line, [&] { return parse_format(file.text(t, "outer", to_string(kCycleIterate))); });
        if (!design.outer.is_fixed() || design.outer.word_bits != 64)
            file.fail(outer_line, "outer must be a fixed-point format of 64 bits, as fx64.62");
        design.devices = devices_of(file, t, comparison);
        if (t.contains("clock_mhz")) design.clock_mhz = file.number(t, "clock_mhz", 0, 1e5, 0);
        for (const auto& run : file.texts(t, "gpu"))
            design.gpu_runs.push_back((std::filesystem::path(folder) / run.text).string());
        const auto cycles = file.texts(t, "cycle");
        if (cycles.empty())
            file.fail(text::TomlText::line_of(t, "cycle"), "a cycle core without cycle: give cycle = \"b2,w=10\"");
        for (const auto& [text, line] : cycles) {
            design.cycle = file.at_line(line, [&] { return parse_cycle_spec(text); });
            if (design.cycle.in_double) file.fail(line, "a cycle core has words: give bits, as w=10");
            // (What the core refuses of a cycle does not depend on the grid's size.)
            file.at_line(line, [&] { return synthesis::cycle_core({design.cycle, kAnyLevel, kAnyLevel, 1}); });
            designs.push_back(design);
        }
    }
    return designs;
}

} // namespace mantissa::compare
