// A compiler that fails is a ToolFailure; a datapath that the engine does not take is InvalidInput.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/hls/kernel.hpp"

namespace {

TEST(HlsKernel, ACompilerThatFailsIsNoFaultOfTheRequest) {
    const char* const before = std::getenv("CXX");
    const std::string kept = before != nullptr ? before : "";
    ::setenv("CXX", "/bin/false", 1);
    try {
        (void)mantissa::hls::kernel_for(mantissa::parse_spec("s9e7")); // none that is compiled with the library
        ADD_FAILURE() << "nothing was thrown";
    } catch (const mantissa::ToolFailure& fault) {
        const std::string line = fault.what();
        EXPECT_NE(line.find("'s9e7' with /bin/false failed (exit status 1)"), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    } catch (const mantissa::InvalidInput& fault) {
        ADD_FAILURE() << "InvalidInput: " << fault.what();
    }
    before != nullptr ? ::setenv("CXX", kept.c_str(), 1) : ::unsetenv("CXX");
}

} // namespace
