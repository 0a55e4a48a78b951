// Comparison and device files: what they mean, and one line for what they cannot.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

#include "compare/comparison_file.hpp"
#include "expect_invalid.hpp"
#include "mantissa/format.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

constexpr const char* kSmall = "problem = \"poisson2d:level=5\"\ndevice = \"xc2v8000\"\n";

Comparison parse(const std::string& text) {
    return parse_comparison(text, "c.toml", ".");
}

TEST(ComparisonFile, ReadsEveryKey) {
    const Comparison c = parse(R"(
name = "n"
store = "s.sqlite"
problem = ["poisson2d:level=5", "poisson2d:level=05", "diffusion2d:level=4"]
device = ["xc2v8000", "lfe5u-85f"]
scheme = "defect-correction"
inner = [25, 50, 25]
tolerance = 1e-8
engine = "hls"
passes = 6
bands = "constant"
words = "packed"
fill = 0.5
place = true
seeds = 3
cpu = false
gpu = ["g.json"]
[[design]]
spec = ["s17e8", "s23e8"]
multiplier = ["block", "logic"]
device = "lfe5u-85f"
engine = ["emulated", "rtl"]
clock_mhz = 90
[[design]]
spec = "s52e11"
area = false
[[design]]
spec = "s17e8"
device = "xc2v8000"
clock_mhz = 90.0
[section55]
narrow = "s17e8"
wide = "s52e11"
problem = "poisson2d:level=5"
target = "ecp5"
)");
    EXPECT_EQ(c.name, "n");
    EXPECT_EQ(c.store, "s.sqlite");
    ASSERT_EQ(c.problems.size(), 2U) << "texts of the same problem count once";
    EXPECT_EQ(c.scheme, Scheme::defect_correction);
    EXPECT_EQ(c.inner, (std::vector<std::uint64_t>{25, 50}));
    EXPECT_EQ(c.tolerance, 1e-8);
    EXPECT_EQ(c.passes, 6U);
    EXPECT_TRUE(c.constant_bands && c.packed && c.place && !c.cpu);
    EXPECT_EQ(c.fill, 0.5);
    EXPECT_EQ(c.seeds, 3);
    EXPECT_EQ(c.gpu, std::vector<std::string>{"./g.json"});
    ASSERT_EQ(c.designs.size(), 3U);
    using Cores = std::vector<Design::Core>;
    EXPECT_EQ(c.designs[0].cores, (Cores{{1, "block"}, {1, "logic"}, {0, "block"}}));
    EXPECT_EQ(c.designs[0].engines, (std::vector<std::string>{"emulated", "rtl", "hls"}));
    EXPECT_EQ(c.designs[0].clock_mhz, 90.0);
    EXPECT_TRUE(c.designs[2].cores.empty());
    EXPECT_EQ(c.designs[2].engines, std::vector<std::string>{"hls"});
    ASSERT_TRUE(c.section55);
    EXPECT_EQ(c.section55->narrow, parse_spec("s17e8"));
    EXPECT_EQ(c.section55->target, "ecp5");
}

TEST(ComparisonFile, HasDefaults) {
    const Comparison c = parse(std::string(kSmall) + "[[design]]\nspec = \"s17e8\"\n");
    EXPECT_EQ(c.name, "c");
    EXPECT_EQ(c.scheme, Scheme::residual_guided);
    EXPECT_EQ(c.designs.at(0).engines, std::vector<std::string>{"emulated"});
    EXPECT_EQ(c.designs.at(0).cores, (std::vector<Design::Core>{{0, "block"}}));
    EXPECT_FALSE(c.constant_bands || c.packed || c.place);
}

TEST(ComparisonFile, ShippedFilesParse) {
    for (const char* name : {"compare.toml", "quickstart_compare.toml", "compare_cycles.toml", "compare_resident.toml",
                             "synthesis/kept.toml"})
        EXPECT_NO_THROW(read_comparison(std::string(MANTISSA_EXPERIMENTS) + "/" + name)) << name;
}

/// The example with every key: in the header after "//     ", in docs/compare.md between "```toml" and "```".
std::string example_of(const std::string& file, const std::string& begin, const std::string& end,
                       const std::string& prefix) {
    std::ifstream in(std::string(MANTISSA_SOURCE) + "/" + file);
    std::string text;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (inside && line == end) break;
        if (inside) text += (line.starts_with(prefix) ? line.substr(prefix.size()) : line == "//" ? "" : line) + "\n";
        if (line == begin) inside = true;
    }
    return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

TEST(ComparisonFile, TheReferencesExampleIsReadAndHasEveryKey) {
    const std::string header = example_of("host/src/compare/comparison_file.hpp",
                                          "// An example with every key:", "// clang-format on", "//     "),
                      page = example_of("docs/compare.md", "```toml", "```", "");
    EXPECT_EQ(header, page);
    const Comparison c = parse(page);
    EXPECT_EQ(c.name, "example");
    EXPECT_EQ(c.designs.size(), 6U);
    EXPECT_EQ(c.gpu.size(), 1U);
    ASSERT_TRUE(c.section55);
    // The keys that the reader knows are those of its complaint; each stands in the example, in the header and the
    // page.
    const auto keys_of = [](const std::string& text) {
        try {
            parse(text);
        } catch (const InvalidInput& fault) {
            const std::string line = fault.what(), mark = "the keys are ";
            return line.substr(line.find(mark) + mark.size());
        }
        return std::string();
    };
    const std::string design = "[[design]]\nspec = [\"s23e8\", \"s52e11\"]\n";
    const std::string keys = keys_of(std::string(kSmall) + "colour = 1\n" + design) + ", " +
                             keys_of(std::string(kSmall) + design + "colour = 1\n") + ", " +
                             keys_of(std::string(kSmall) + design + "[[cycle]]\ncolour = 1\n") + ", " +
                             keys_of(std::string(kSmall) + design + "[[published]]\ncolour = 1\n") + ", " +
                             keys_of(std::string(kSmall) + design + "[section55]\ncolour = 1\n");
    std::ifstream head(std::string(MANTISSA_SOURCE) + "/host/src/compare/comparison_file.hpp"),
        doc(std::string(MANTISSA_SOURCE) + "/docs/compare.md");
    const std::string whole_header{std::istreambuf_iterator<char>(head), {}},
        whole_page{std::istreambuf_iterator<char>(doc), {}};
    std::istringstream list(keys);
    std::size_t count = 0;
    for (std::string key; std::getline(list >> std::ws, key, ',');) {
        if (key == "design" || key == "published" || key == "section55") continue;
        ++count;
        EXPECT_NE(("\n" + page).find("\n" + key + " = "), std::string::npos) << key;
        EXPECT_NE(whole_header.find("//   " + key + " "), std::string::npos) << key;
        EXPECT_NE(whole_page.find("| `" + key + "` | "), std::string::npos) << key;
    }
    EXPECT_EQ(count, 52U);
}

TEST(ComparisonFile, RefusesWithFileAndLine) {
    const std::string small = kSmall, design = "[[design]]\nspec = \"s17e8\"\n";
    const auto refused = [](const std::string& text, const std::string& part) {
        expect_invalid([&] { parse(text); }, "c.toml:");
        expect_invalid([&] { parse(text); }, part);
    };
    refused(small + design + "area = false\nclock_mhz = 90\n", "c.toml:6: clock_mhz is of a core");
    refused("", "no problem");
    refused("problem = \"poisson2d:level=5\"\n", "no device");
    refused(small, "no [[design]]");
    refused(small + "design = 1\n", "c.toml:3: design must be tables");
    refused(small + "[[design]]\n", "c.toml:3: no spec");
    refused(small + "colour = 1\n" + design, "c.toml:3: no key 'colour'");
    refused(small + design + "colour = 1\n", "c.toml:5: no key 'colour' in a design");
    refused(small + "inner = 0\n" + design, "c.toml:3: inner must be a whole number from 1");
    refused(small + "inner = []\n" + design, "inner must have 1 to 20 values");
    refused(small + "inner = [10, 0]\n" + design, "c.toml:3: each inner must be a whole number from 1");
    refused(small + "inner = -4\n" + design, "inner must be a whole number");
    refused(small + "fill = 1.5\n" + design, "fill must be a number above 0 and up to 1");
    refused(small + "fill = nan\n" + design, "fill must be a number");
    refused(small + "cpu = 1\n" + design, "cpu must be true or false");
    refused(small + "bands = \"some\"\n" + design, "bands must be \"streamed\" or \"constant\"");
    refused(small + "scheme = \"direct\"\n" + design, "scheme must be residual-guided or defect-correction");
    refused(small + "engine = \"abacus\"\n" + design, "abacus");
    refused(small + "gpu = [1]\n" + design, "gpu must be text");
    refused(small + "[[design]]\nspec = \"s99e8\"\n", "c.toml:4: ");
    refused(small + "[[design]]\nspec = []\n", "c.toml:4: spec is an empty list");
    refused(small + design + design, "c.toml:6: s17e8 with block multipliers on xc2v8000 stands above");
    refused(small + design + "clock_mhz = 50\n" + design + "multiplier = \"logic\"\n", "another clock_mhz");
    refused(small + design + "multiplier = \"brick\"\n", "c.toml:5: multiplier must be");
    refused(small + design + "device = \"lfe5u-85f\"\n", "c.toml:5: device lfe5u-85f is not among");
    refused("problem = \"poisson2d:level=99\"\ndevice = \"xc2v8000\"\n" + design, "c.toml:1: ");
    refused("problem = \"poisson2d:level=5\"\ndevice = \"xc9\"\n" + design, "c.toml:2: device 'xc9': not one of ");
    refused("problem = \"poisson2d:level=5\"\ndevice = \"../x\"\n" + design, "c.toml:2: device '../x'");
    refused(small + design + "[section55]\nwide = \"s17e8\"\n", "narrow: not among the designs");
    refused(small + design + "[section55]\nwide = \"s17e8\"\nnarrow = \"s17e8\"\ntarget = \"ecp5\"\n",
            "target: none of the devices");
    refused("problem = \"poisson2d\nx\n", "correct the TOML");
    refused(std::string("\0\1\2", 3), "c.toml:");
}

TEST(ComparisonFile, RefusesKeysThatNothingHasAUseFor) {
    const std::string design = "[[design]]\nspec = \"s17e8\"\n", gpu = "gpu = \"g.json\"\n",
                      ecp5 = "problem = \"poisson2d:level=5\"\ndevice = [\"xc2v8000\", \"lfe5u-85f\"]\n";
    const std::string sparse = "problem = \"poisson3d:level=3\"\ndevice = \"alveo-u280\"\n",
                      sparse_design = "[[design]]\nspec = \"fx24.18,coef=fx18.16\"\nsparse = true\n",
                      published = "[[published]]\nproblem = \"poisson3d:level=3\"\nlabel = \"a\"\n"
                                  "seconds_per_iteration = 1e-5\nsource = \"a table\"\n";
    const auto refused = [](const std::string& text, const std::string& part) {
        expect_invalid([&] { parse(text); }, part);
    };
    refused(kSmall + ("seeds = 1\n" + design), "c.toml:3: seeds are of place and route: give place = true");
    refused(ecp5 + "seeds = 3\nplace = false\n" + design, "c.toml:3: seeds are of place and route");
    refused(kSmall + ("place = true\n" + design), "c.toml:3: place is for cores that stream a grid on a device of");
    refused(ecp5 + "place = true\n" + design + "device = \"xc2v8000\"\n", "c.toml:3: place is for cores");
    refused(ecp5 + "place = true\n" + design + "area = false\n", "c.toml:3: place is for cores");
    refused(ecp5 + "place = true\n[[design]]\nspec = \"fx20.18\"\nbands = \"constant\"\nresident = true\n",
            "c.toml:3: place is for cores");
    EXPECT_TRUE(parse(ecp5 + "place = true\nseeds = 3\n" + design).place);
    EXPECT_FALSE(parse(kSmall + ("place = false\n" + design)).place);
    refused(sparse + "gpu_watts = 700\n" + sparse_design, "c.toml:3: gpu_watts is of the GPU in the files under gpu");
    refused(kSmall + (gpu + "gpu_watts = 700\n" + design), "c.toml:4: gpu_watts is for the rows beside sparse");
    EXPECT_EQ(parse(sparse + gpu + "gpu_watts = 700\n" + sparse_design).gpu_watts, 700.0);
    refused("problem = \"poisson3d:level=3\"\ndevice = \"xc2v8000\"\n" + design + published,
            "published times stand beside sparse designs");
    EXPECT_EQ(parse(sparse + sparse_design + published).published.size(), 1U);
}

TEST(ComparisonFile, CycleCoresMayStandAlone) {
    const std::string cycle = "[[cycle]]\ncycle = \"b2,w=10\"\nclock_mhz = 100\n";
    const Comparison c = parse(kSmall + cycle);
    EXPECT_TRUE(c.designs.empty());
    EXPECT_EQ(c.cycles.size(), 1U);
    EXPECT_EQ(parse(kSmall + ("tolerance = 1e-8\ncpu = false\ngpu = \"g.json\"\n" + cycle)).tolerance, 1e-8);
    for (const char* key : {"scheme = \"defect-correction\"", "inner = 10", "engine = \"rtl\"", "passes = 0",
                            "bands = \"streamed\"", "words = \"packed\"", "fill = 0.5"}) {
        const std::string name(key, std::string_view(key).find(' '));
        expect_invalid([&] { parse(kSmall + (std::string(key) + "\n" + cycle)); },
                       "c.toml:3: " + name + " is for designs, and there are cycle cores alone");
        EXPECT_NO_THROW(parse(kSmall + (std::string(key) + "\n[[design]]\nspec = \"s17e8\"\n" + cycle))) << key;
    }
    expect_invalid([&] { parse(kSmall + std::string("cycle = 1\n")); }, "c.toml:3: cycle must be tables");
    expect_invalid([&] { parse(kSmall); }, "no [[design]]: give at least one, with its spec, or a [[cycle]]");
}

TEST(DeviceFile, ShippedOnesAreWhole) {
    for (const char* name : {"xc2v8000", "lfe5u-85f", "xc7vx690t", "xc7z020", "alveo-u280", "alveo-v80"}) {
        const Device d = find_device(name, ".");
        EXPECT_EQ(d.id, name);
        EXPECT_GT(d.slices, 1000U);
        EXPECT_GT(d.blocks, 100U);
        EXPECT_GT(d.memory_bits, 1'000'000U);
        EXPECT_FALSE(d.source.empty());
        EXPECT_TRUE(d.pins || d.bandwidth) << name;
        ASSERT_FALSE(d.memories.empty()) << name;
        EXPECT_EQ(d.memories.front().bits(), d.memory_bits) << name; // cores take theirs from the first kind
    }
    EXPECT_EQ(find_device("xc2v8000", ".").slices, 46592U); // FCCM'06
    EXPECT_EQ(find_device("xc2v8000", ".").blocks, 168U);
    EXPECT_EQ(find_device("xc7z020", ".").slices, 13300U); // 53,200 LUTs
    EXPECT_EQ(find_device("xc7z020", ".").channels, 4U);
}

TEST(DeviceFile, MemoriesOnTheChip) {
    EXPECT_EQ(find_device("alveo-u280", ".").memories.at(1).bits(), 960U * 288U * 1024U);
    const std::string text = "name = \"Mine\"\ntarget = \"xc7\"\nslices = 10\nblocks = 0\nmemory_bits = 0\n"
                             "source = \"me\"\n[[memory]]\nname = \"RAM\"\ncount = 2\nwidth = 36\n";
    const Device d = parse_device(text + "depth = 512\n", "d.toml");
    ASSERT_EQ(d.memories.size(), 1U);
    EXPECT_EQ(d.memories.front().narrow, 36U) << "no other shapes, unless narrow says so";
    expect_invalid([&] { parse_device(text, "d.toml"); }, "d.toml:7: a memory without depth");
    expect_invalid([&] { parse_device(text + "depth = 512\nnarrow = 40\n", "d.toml"); }, "narrow must be");
    expect_invalid([&] { parse_device(text + "depth = 512\nports = 2\n", "d.toml"); }, "no key 'ports'");
}

TEST(ComparisonFile, ResidentDesigns) {
    const std::string head = "problem = \"poisson2d:level=5\"\ndevice = \"alveo-u280\"\n[[design]]\n";
    const Comparison c = parse(head + "spec = \"fx20.18\"\nbands = \"constant\"\nresident = true\n"
                                      "[[design]]\nspec = \"fx20.18\"\n");
    ASSERT_EQ(c.designs.size(), 2U);
    EXPECT_TRUE(c.designs[0].resident);
    EXPECT_EQ(to_string(*c.designs[0].outer), "fx64.54");
    EXPECT_STREQ(c.designs[0].core_bands(), "constant");
    EXPECT_FALSE(c.designs[1].resident);
    EXPECT_FALSE(c.designs[1].outer);
    EXPECT_STREQ(c.designs[1].core_bands(), "streamed");
    EXPECT_NE(c.designs[0].key(), c.designs[1].key());
    expect_invalid([&] { parse(head + "spec = \"fx20.18\"\nouter = \"fx64.62\"\n"); }, "outer is for resident");
    expect_invalid([&] { parse(head + "spec = \"fx20.18\"\nresident = true\nouter = \"s52e11\"\n"); },
                   "outer must be a fixed-point format");
    const std::string held = "bands = \"constant\"\nresident = true\n";
    expect_invalid([&] { parse(head + "spec = \"fx20.18,lanes=2\"\n" + held); }, "leave lanes out");
    expect_invalid([&] { parse(head + "spec = \"fx20.18\"\nouter = \"fx48.40\"\n" + held); }, "of 64 bits");
    expect_invalid([&] { parse(head + "spec = \"fx20.18\"\nresident = true\n"); }, "holds its stencil");
    expect_invalid([&] { parse(head + "spec = \"s17e8\"\n" + held); }, "vectors are floating");
    expect_invalid([&] { parse(head + "spec = \"fx20.18,q=fx22.18\"\n" + held); }, "give them one format");
    expect_invalid([&] { parse(head + "spec = \"fx20.18\"\nbands = \"some\"\n"); }, "bands must be");
}

// The floating core's second differences hold their stencil, whatever a comparison streams.
TEST(ComparisonFile, CoresOfSecondDifferencesHoldTheirStencil) {
    const std::string head = "problem = \"poisson2d:level=5\"\ndevice = \"xc2v8000\"\n[[design]]\n";
    const std::string second = "spec = \"s17e8,order=second-difference\"\n";
    EXPECT_STREQ(parse(head + second).designs[0].core_bands(), "constant");
    EXPECT_STREQ(parse(head + "spec = \"fx18.16,order=second-difference\"\n").designs[0].core_bands(), "streamed");
    expect_invalid([&] { parse(head + second + "bands = \"streamed\"\n"); }, "leave bands out");
}

TEST(DeviceFile, UserFilesByPath) {
    const Scratch scratch;
    const std::string text = "name = \"Mine\"\ntarget = \"xc7\"\nslices = 10\nblocks = 0\nmemory_bits = 0\n"
                             "watts = 5\nclock_mhz = 100\nsource = \"me\"\n";
    scratch.write("mine.toml", text);
    const Device d = find_device("mine.toml", scratch.path(""));
    EXPECT_EQ(d.id, "mine");
    EXPECT_EQ(d.watts, 5.0);
    EXPECT_EQ(d.clock_mhz, 100.0);
    EXPECT_FALSE(d.pins);
    expect_invalid([&] { find_device("yours.toml", scratch.path("")); }, "yours.toml");
    expect_invalid([&] { parse_device(text + "speed = 1\n", "d.toml"); }, "d.toml:9: no key 'speed'");
    expect_invalid([&] { parse_device(text + "delay_ratio = 1.5\n", "d.toml"); },
                   "d.toml:9: delay_ratio is the target's");
    expect_invalid([&] { parse_device("name = \"x\"\n", "d.toml"); }, "d.toml:1: a device without target");
    expect_invalid(
        [&] {
            parse_device("name = \"x\"\ntarget = \"z80\"\nslices = 1\nblocks = 1\nmemory_bits = 1\n"
                         "source = \"s\"\n",
                         "d.toml");
        },
        "d.toml:2: target must be");
    expect_invalid(
        [&] {
            parse_device("name = \"x\"\ntarget = \"xc7\"\nslices = 0\nblocks = 1\nmemory_bits = 1\n"
                         "source = \"s\"\n",
                         "d.toml");
        },
        "d.toml:3: slices must be a whole number");
}

} // namespace
