// Expectations about InvalidInput: one line that holds a phrase.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"

namespace mantissa::test {

/// `action` throws InvalidInput with one line that contains `phrase`.
template <class Action> void expect_line(Action action, const std::string& phrase) {
    try {
        action();
        ADD_FAILURE() << "accepted; expected: " << phrase;
    } catch (const InvalidInput& e) {
        const std::string what = e.what();
        EXPECT_NE(what.find(phrase), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
}

} // namespace mantissa::test
