// What a simulation model's key is of, and what is said where it cannot be compiled.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/model_cache.hpp"
#include "mantissa/spec.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

class ModelFlags : public testing::Test {
protected:
    ModelFlags() {
        if (const char* const outside = std::getenv(kVariable)) outside_ = outside;
        request_.parameters = core_parameters(parse_spec("fx18.16"), test::poisson_stencil(9, 9));
    }
    ~ModelFlags() override { use(outside_); }
    static void use(const std::string& flags) { ::setenv(kVariable, flags.c_str(), 1); }

    static constexpr const char* kVariable = "MANTISSA_MODEL_FLAGS";
    std::string outside_;
    ModelRequest request_;
};

TEST_F(ModelFlags, ArePartOfTheKey) {
    use("");
    const std::string usual = model_key(request_, {});
    use("-O1");
    EXPECT_NE(model_key(request_, {}), usual);
    use("-O3 -funroll-loops");
    EXPECT_EQ(model_key(request_, {}), usual);
}

TEST_F(ModelFlags, ThatTheCompilerRefusesLeaveItsLog) {
    use("-fno-such-flag");
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "model_cache_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    ModelCacheOptions options;
    options.folder = folder.string();
    try {
        build_model(request_, options);
        FAIL() << "compiled";
    } catch (const ToolFailure& e) {
        const std::string said = e.what();
        EXPECT_NE(said.find("no-such-flag"), std::string::npos) << said;
        const std::size_t at = said.find("the log is ");
        ASSERT_NE(at, std::string::npos) << said;
        EXPECT_TRUE(std::filesystem::exists(said.substr(at + 11))) << said;
    }
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace mantissa::sim
