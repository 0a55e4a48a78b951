// A freshly made document, with the test that reading it and writing it again changes no byte.
#pragma once

#include <gtest/gtest.h>

#include "comparison/document.hpp"

namespace mantissa {

inline comparison::Json written(comparison::Json document) {
    EXPECT_EQ(comparison::to_json(comparison::document_from_json(document)).dump(), document.dump());
    return document;
}

} // namespace mantissa
