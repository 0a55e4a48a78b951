// A fixture that skips where no device can run the kernels.
#pragma once

#include <gtest/gtest.h>

#include "mantissa/gpu/device.hpp"

namespace mantissa::testing {

class DeviceTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string missing = gpu::device_missing(); !missing.empty()) GTEST_SKIP() << missing;
    }
};

} // namespace mantissa::testing
