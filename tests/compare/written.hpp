// A freshly made document as JSON, with the test that reading it and writing it again changes no byte.
#pragma once

#include <gtest/gtest.h>

#include "comparison/document.hpp"

namespace mantissa {

inline comparison::Json written(const comparison::ComparisonDocument& document) {
    comparison::Json json = comparison::to_json(document);
    EXPECT_EQ(comparison::to_json(comparison::document_from_json(json)).dump(), json.dump());
    return json;
}

} // namespace mantissa
