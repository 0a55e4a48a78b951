// Netlists that the sources ship: of this RTL, taken as they are, and refused where the file is none.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "program.hpp"
#include "synthesis/kept/kept_netlists.hpp"
#include "synthesis/sources.hpp"

namespace mantissa::synthesis {

namespace {

const std::string kFile = std::string(MANTISSA_SYNTHESIS_RESULTS) + "/kept.json";

SynthesisRequest request_of(const nlohmann::json& entry) {
    return {parse_spec(entry.at("spec").get<std::string>()),
            entry.at("target"),
            entry.at("multiplier"),
            entry.at("part"),
            false,
            entry.at("bands") == "constant"};
}

TEST(KeptNetlists, AreOfThisRtlAndTakenAsTheyAre) {
    const Scratch scratch;
    Synthesizer synthesizer(scratch.path("store.sqlite"), {});
    const nlohmann::json entries = nlohmann::json::parse(base::read_text(kFile));
    ASSERT_GE(entries.size(), 3U);
    for (const nlohmann::json& entry : entries) {
        const SynthesisRequest request = request_of(entry);
        EXPECT_FALSE(synthesizer.stored(request));
        EXPECT_TRUE(synthesizer.take_kept(request))
            << entry.at("spec")
            << ": the RTL, the recipe or yosys is another; experiments/synthesis/kept.toml says how "
            << "the netlists are made again";
        const auto figures = synthesizer.stored(request);
        ASSERT_TRUE(figures);
        EXPECT_EQ(figures->luts, entry.at("luts"));
        EXPECT_EQ(figures->flip_flops, entry.at("flip_flops"));
        EXPECT_EQ(figures->memory_bits, entry.at("memory_bits"));
        EXPECT_EQ(figures->io_bits, entry.at("io_bits"));
        EXPECT_EQ(figures->model_mhz, entry.at("model_mhz"));
        EXPECT_FALSE(synthesizer.take_kept(request)) << "what the store has stays";
    }
}

TEST(KeptNetlists, AreOfTheSameRtlWhateverItsComments) {
    const Scratch scratch;
    namespace fs = std::filesystem;
    for (const char* folder : {"rtl", "experiments/synthesis"}) {
        fs::create_directories(fs::path(scratch.path(folder)).parent_path());
        fs::copy(fs::path(sources_folder()) / folder, scratch.path(folder), fs::copy_options::recursive);
    }
    const SynthesisRequest request{.spec = parse_spec("fx18.16"), .constant_bands = true};
    const std::string source = fs::path(scratch.path("rtl")).parent_path().string();
    const auto hash_with = [&](const char* file, const std::string& added) {
        const std::string path = scratch.path(file), text = base::read_text(path);
        base::write_file(path, added + text);
        std::string hash = sources_hash(source, request);
        base::write_file(path, text);
        return hash;
    };
    const std::string core = "rtl/fixed/fx_core.sv", script = "experiments/synthesis/recipe.ys",
                      plain = hash_with(core.c_str(), "");
    EXPECT_EQ(plain, sources_hash(sources_folder(), request));
    const std::string line = hash_with(core.c_str(), "\n");
    EXPECT_NE(line, plain) << "names of cells have the number of their line";
    EXPECT_EQ(hash_with(core.c_str(), "  // a word about it\n"), line);
    EXPECT_NE(hash_with(core.c_str(), "// synthesis translate_off\n"), line);
    EXPECT_NE(hash_with(core.c_str(), "`define TEXT \"// no comment\"\n"),
              hash_with(core.c_str(), "`define TEXT \"\n"));
    EXPECT_EQ(hash_with(script.c_str(), "# a word about it\n"), hash_with(script.c_str(), "\n"));
    EXPECT_NE(hash_with(script.c_str(), "opt\n"), hash_with(script.c_str(), "\n"));
}

TEST(KeptNetlists, OfAnotherRtlOrNoFileAreNone) {
    const nlohmann::json entry = nlohmann::json::parse(base::read_text(kFile)).at(0);
    SynthesisKey key{entry.at("spec"), entry.at("target"),  entry.at("multiplier"), entry.at("part"),
                     entry.at("tool"), entry.at("sources"), entry.at("bands")};
    const auto kept = find_kept(kFile, key);
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->provenance.command.ends_with(" (kept)")) << kept->provenance.command;
    EXPECT_EQ(kept->provenance.date, entry.at("date"));
    EXPECT_FALSE(find_kept(kFile + ".none", key));
    key.sources[0] = key.sources[0] == '0' ? '1' : '0';
    EXPECT_FALSE(find_kept(kFile, key));
}

TEST(KeptNetlists, AFileThatIsNoneIsRefusedInOneLine) {
    const Scratch scratch;
    for (const char* text : {"", "[", "{\"spec\": 1}", "[{}]", "[1]", "[{\"spec\": \"s17e8\"}]"}) {
        const std::string file = scratch.write("kept.json", text);
        try {
            (void)find_kept(file, {"s17e8", "xc2v", "block", "core", "tool", "sources"});
            FAIL() << text;
        } catch (const InvalidInput& fault) {
            const std::string line = fault.what();
            EXPECT_EQ(line.find('\n'), std::string::npos) << line;
            EXPECT_NE(line.find(file), std::string::npos) << line;
        }
    }
}

} // namespace

} // namespace mantissa::synthesis
