// The document of a comparison, read and written again: the bytes stay.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "comparison/document.hpp"
#include "text/json_text.hpp"

namespace {

using namespace mantissa;
using comparison::Json;

/// What an earlier version wrote, which lacks keys of this one.
TEST(Document, TheStoredDocumentIsReadAndWrittenToTheByte) {
    std::ifstream file(std::string(MANTISSA_EXPERIMENTS) + "/results/compare.json");
    std::stringstream text;
    text << file.rdbuf();
    std::string wrong;
    const auto document = comparison::document_from_json(Json::parse(text.str()), &wrong);
    EXPECT_EQ(wrong, "");
    ASSERT_FALSE(document.sparse);
    ASSERT_EQ(document.rows.size(), 322U);
    EXPECT_EQ(json_text(comparison::to_json(document)) + "\n", text.str());
}

TEST(Document, EveryTextOfAClosedSetIsOfItsValue) {
    EXPECT_EQ(comparison::value_of<comparison::Bound>("fixed clocks"), comparison::Bound::fixed_clocks);
    EXPECT_EQ(comparison::text_of(comparison::Bound::channels), "channels");
    EXPECT_EQ(comparison::text_of(comparison::Ending::not_solved), "not solved");
    EXPECT_EQ(comparison::value_of<comparison::Kind>("guessed"), comparison::Kind::none);
    EXPECT_EQ(comparison::value_of<comparison::Stage>("row sum"), comparison::Stage::row_sum);
    // What this program makes itself is in the set, or it is a mistake.
    EXPECT_EQ(comparison::known_value_of<comparison::Kind>(""), comparison::Kind::none);
    EXPECT_EQ(comparison::known_value_of<comparison::Kind>("given"), comparison::Kind::given);
    EXPECT_THROW((void)comparison::known_value_of<comparison::Kind>("guessed"), std::logic_error);
}

TEST(Document, WhatIsMissingOrOfAnotherTypeIsPassedOver) {
    for (const Json& json : {Json(), Json(3), Json::array()})
        EXPECT_EQ(comparison::document_from_json(json).name, "") << json;
    const auto document = comparison::document_from_json(Json::parse(
        R"({"name": 4, "rows": [null, {"seconds": "fast", "cores": -1, "bound": 7, "resident": null}], "later": 1})"));
    std::string wrong;
    (void)comparison::document_from_json(
        Json::parse(R"({"name": "x", "later": 1, "peers": null, "rows": [{"cores": 1, "seconds": "fast"}]})"), &wrong);
    EXPECT_EQ(wrong, "seconds");
    EXPECT_EQ(document.name, "");
    ASSERT_EQ(document.rows.size(), 1U);
    EXPECT_EQ(document.rows[0].seconds, 0);
    EXPECT_EQ(document.rows[0].cores, 0U);
    EXPECT_EQ(document.rows[0].bound, comparison::Bound::none);
    EXPECT_FALSE(document.rows[0].resident);
    EXPECT_FALSE(document.rows[0].resident.lacks);
    EXPECT_TRUE(document.rows[0].energy_joules.lacks);
}

} // namespace
