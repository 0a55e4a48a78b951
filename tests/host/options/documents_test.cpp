// What is written from the table of options is in step with it: mantissa help options, mantissa help keywords.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "../program.hpp"
#include "mantissa/host/options.hpp"

namespace {

std::string file(const std::string& path) {
    std::ifstream in(std::string(MANTISSA_SOURCE) + "/" + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(OptionDocuments, TheReferenceIsTheTables) {
    EXPECT_EQ(file("docs/options.md"), run("help options").out) << "mantissa help options > docs/options.md";
}

TEST(OptionDocuments, ThePythonKeywordsAreTheTables) {
    EXPECT_EQ(file("python/mantissa/_options.py"), run("help keywords").out)
        << "mantissa help keywords > python/mantissa/_options.py";
}

TEST(OptionDocuments, HelpHasGroupsAndTheAxes) {
    const std::string page = run("help solve").out;
    std::size_t at = 0;
    for (const mantissa::options::Group group : mantissa::options::kGroups) {
        const std::size_t next = page.find(std::string("\n") + mantissa::options::title(group) + ":", at);
        ASSERT_NE(next, std::string::npos) << mantissa::options::title(group);
        at = next;
    }
    for (const mantissa::options::SchemeAxes& s : mantissa::options::schemes())
        EXPECT_NE(page.find("\n  " + std::string(s.name) + " "), std::string::npos) << s.name;
    EXPECT_EQ(run("solve --problem poisson2d:level=3 --couplings s5e8 --spec fx18.16")
                  .err.find("mantissa: couplings: a floating format"),
              0u);
}

} // namespace
