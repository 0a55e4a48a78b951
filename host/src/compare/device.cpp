#include "device.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "text/toml_text.hpp"

namespace mantissa::compare {

namespace fs = std::filesystem;

namespace {

/// The tables [[memory]], two at most.
void read_memories(const text::TomlText& file, Device& d) {
    const toml::node* node = file.root().get("memory");
    if (node == nullptr) return;
    const std::uint32_t line = text::TomlText::line_of(file.root(), "memory");
    if (!node->is_array_of_tables()) file.fail(line, "memory must be tables: write [[memory]]");
    for (const toml::node& item : *node->as_array()) {
        const toml::table& t = *item.as_table();
        file.check_keys(t, "a memory", {"name", "count", "width", "depth", "narrow"});
        for (const char* key : {"name", "count", "width", "depth"})
            if (!t.contains(key))
                file.fail(line, fmt::format("a memory without {}: give it (see experiments/devices)", key));
        ChipMemory m;
        m.name = file.text(t, "name");
        m.count = file.whole(t, "count", 1, 10'000'000, 0);
        m.width = file.whole(t, "width", 1, 4096, 0);
        m.depth = file.whole(t, "depth", 1, 100'000'000, 0);
        m.narrow = file.whole(t, "narrow", 1, m.width, m.width);
        d.memories.push_back(std::move(m));
    }
    if (d.memories.size() > 2) file.fail(line, "more than two kinds of memory: give block RAM and the larger kind");
}

/// `channels` and `channel_bandwidth`, which go together.
void read_channels(const text::TomlText& file, Device& d) {
    const toml::table& t = file.root();
    if (t.contains("channels") != t.contains("channel_bandwidth"))
        file.fail(text::TomlText::line_of(t, t.contains("channels") ? "channels" : "channel_bandwidth"),
                  "channels and channel_bandwidth go together: give both, or neither");
    d.channels = file.whole(t, "channels", 1, 1024, 0);
    d.channel_bandwidth = file.number(t, "channel_bandwidth", 0, 1e15, 0);
    const double all = static_cast<double>(d.channels) * d.channel_bandwidth;
    if (d.bandwidth && all > 1.01 * *d.bandwidth)
        file.fail(text::TomlText::line_of(t, "channel_bandwidth"),
                  fmt::format("{} channels of {:.4g} bytes a second are more than the memory's bandwidth, {:.4g}: mend "
                              "one of them",
                              d.channels, d.channel_bandwidth, *d.bandwidth));
}

} // namespace

double Device::chip_bits() const {
    if (memories.empty()) return static_cast<double>(memory_bits);
    double bits = 0;
    for (const ChipMemory& m : memories) bits += static_cast<double>(m.bits());
    return bits;
}

Device parse_device(std::string_view text, std::string_view name) {
    const text::TomlText file(text, name);
    const toml::table& t = file.root();
    if (t.contains("delay_ratio"))
        file.fail(text::TomlText::line_of(t, "delay_ratio"),
                  "delay_ratio is the target's now, the same for all of its devices (docs/synthesis.md); leave it out, "
                  "or give clock_mhz");
    file.check_keys(t, "a device",
                    {"name", "kind", "target", "slices", "blocks", "memory_bits", "pins", "bandwidth", "link",
                     "max_mhz", "clock_mhz", "watts", "source", "memory", "channels", "channel_bandwidth"});
    for (const char* key : {"name", "target", "slices", "blocks", "memory_bits", "source"})
        if (!t.contains(key)) file.fail(1, fmt::format("a device without {}: give it (see experiments/devices)", key));
    Device d;
    d.id = fs::path(name).stem().string();
    d.name = file.text(t, "name");
    d.kind = file.text(t, "kind", "fpga");
    if (d.kind != "fpga") file.fail(text::TomlText::line_of(t, "kind"), "kind must be \"fpga\"");
    d.target = file.text(t, "target");
    if (d.target != "xc2v" && d.target != "xc7" && d.target != "xcup" && d.target != "ecp5")
        file.fail(text::TomlText::line_of(t, "target"), "target must be xc2v, xc7, xcup or ecp5");
    constexpr std::uint64_t kMost = 1'000'000'000'000;
    d.slices = file.whole(t, "slices", 1, kMost, 0);
    d.blocks = file.whole(t, "blocks", 0, kMost, 0);
    d.memory_bits = file.whole(t, "memory_bits", 0, kMost, 0);
    if (t.contains("pins")) d.pins = file.whole(t, "pins", 1, 1'000'000, 0);
    const auto figure = [&](const char* key, double high) -> std::optional<double> {
        if (!t.contains(key)) return std::nullopt;
        return file.number(t, key, 0, high, 0);
    };
    d.bandwidth = figure("bandwidth", 1e16);
    d.link = figure("link", 1e16);
    d.max_mhz = figure("max_mhz", 1e5);
    d.clock_mhz = figure("clock_mhz", 1e5);
    d.watts = figure("watts", 1e6);
    d.source = file.text(t, "source");
    read_channels(file, d);
    read_memories(file, d);
    return d;
}

std::string data_folder(const std::string& name) {
    std::error_code error;
    if (const std::string source = base::environment("MANTISSA_SOURCE"); !source.empty())
        if (const fs::path named = fs::path(source) / "experiments" / name; fs::is_directory(named, error))
            return named.string();
    const auto program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const auto installed = program.parent_path().parent_path() / "share/mantissa" / name;
        if (fs::is_directory(installed, error)) return installed.string();
    }
    return std::string(MANTISSA_SOURCE_DATA) + "/" + name;
}

Device find_device(const std::string& name, const std::string& folder) {
    if (name.ends_with(".toml")) {
        const std::string path = (fs::path(folder) / name).string(); // an absolute name stays itself
        return parse_device(base::read_file(path).view(), path);
    }
    const fs::path known = data_folder("devices");
    const fs::path path = known / (name + ".toml");
    std::error_code error;
    if (name.find('/') != std::string::npos || !fs::is_regular_file(path, error)) {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(known, error))
            if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
        std::sort(names.begin(), names.end());
        throw InvalidInput(fmt::format("device '{}': not one of {}; or give the path of a .toml file",
                                       text::printable(name), fmt::join(names, ", ")));
    }
    return parse_device(base::read_file(path.string()).view(), path.string());
}

} // namespace mantissa::compare
