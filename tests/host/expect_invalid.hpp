// Bad input must be refused with one line that says what is asked for.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"

/// Runs `action` and expects InvalidInput: one line that holds `part`.
template <class Action> void expect_invalid(const Action& action, const std::string& part) {
    try {
        action();
        ADD_FAILURE() << "accepted; expected an error with '" << part << "'";
    } catch (const mantissa::InvalidInput& fault) {
        const std::string line = fault.what();
        EXPECT_NE(line.find(part), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
}
