// The help that the program carries agrees with what the program takes.
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "../program.hpp"

namespace {

std::set<std::string> long_options(const std::string& text) {
    std::set<std::string> found;
    const std::regex option("--[a-z][a-z-]*");
    for (std::sregex_iterator i(text.begin(), text.end(), option), end; i != end; ++i) found.insert(i->str());
    return found;
}

/// The names that `mantissa --help` lists.
std::vector<std::string> subcommands() {
    std::istringstream help(run("--help").out);
    std::vector<std::string> names;
    bool listed = false;
    for (std::string line; std::getline(help, line);) {
        if (listed && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
        listed = listed || line.starts_with("Subcommands:");
    }
    return names;
}

TEST(Help, SpecsNameEveryKeyThatASpecTakes) {
    const std::string page = run("help spec").out;
    const Outcome refused = run("solve --problem poisson2d:level=3 --spec s17e8,bogus=1");
    ASSERT_EQ(refused.code, 2);
    for (const char* key :
         {"u", "r", "p", "q", "coef", "operand", "row", "order", "point", "product", "dot", "scalar", "lanes", "sum"}) {
        EXPECT_NE(page.find(std::string(key) + "="), std::string::npos) << key;
        EXPECT_NE(refused.err.find(key), std::string::npos) << "a spec no longer takes " << key << ": " << refused.err;
    }
}

TEST(Help, ProblemsNameEveryKind) {
    const std::string page = run("help problem").out;
    const Outcome refused = run("solve --problem bogus:x");
    ASSERT_EQ(refused.code, 2);
    const std::regex kind("[a-z0-9]+:");
    std::set<std::string> kinds;
    for (std::sregex_iterator i(refused.err.begin(), refused.err.end(), kind), end; i != end; ++i)
        if (i->str() != "mantissa:" && i->str() != "bogus:") kinds.insert(i->str());
    EXPECT_GE(kinds.size(), 3u) << refused.err;
    for (const std::string& name : kinds) EXPECT_NE(page.find("  " + name), std::string::npos) << name;
}

TEST(Help, TheManualAndTheCompletionHaveEveryOption) {
    const std::string manual = std::regex_replace(run("help man").out, std::regex(R"(\\-)"), "-");
    const std::string completion = run("help completion").out;
    const auto names = subcommands();
    ASSERT_GE(names.size(), 12u);
    for (const std::string& name : names) {
        const Outcome page = run("help " + name);
        EXPECT_EQ(page.code, 0);
        EXPECT_EQ(page.out, run(name + " --help").out) << name;
        if (name != "help") {
            EXPECT_NE(page.out.find("Examples:\n  mantissa " + name), std::string::npos) << name;
        }
        const std::size_t list = completion.find("    " + name + ") words=");
        ASSERT_NE(list, std::string::npos) << name;
        const std::string words = completion.substr(list, completion.find('\n', list) - list);
        for (const std::string& option : long_options(page.out.substr(0, page.out.find("Examples:")))) {
            if (option != "--help") {
                EXPECT_NE(manual.find(option), std::string::npos) << name << " " << option;
            }
            // Those of another subcommand, which a text names, are not this one's.
            if (page.out.find("  " + option) != std::string::npos) {
                EXPECT_NE(words.find(option), std::string::npos) << name << " " << option;
            }
        }
    }
}

TEST(Help, CompletionWorksInBash) {
    const auto completed = [](const std::string& words, int at) {
        return run_program("bash -c 'source <(" MANTISSA_PROGRAM " help completion); COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(at) + "; _mantissa; echo ${COMPREPLY[@]}'",
                           "")
            .out;
    };
    EXPECT_EQ(completed("mantissa swe", 1), "sweep\n");
    EXPECT_EQ(completed("mantissa solve --probl", 2), "--problem\n");
    EXPECT_EQ(completed("mantissa solve --scheme jac", 3), "jacobi-pcg\n") << "what an option takes";
    EXPECT_EQ(completed("mantissa help exit", 2), "exit-codes\n");
    EXPECT_EQ(completed("mantissa solve --solution /et", 3), "/etc\n") << "files";
}

TEST(Help, RefusesAPageThatIsNotThere) {
    const Outcome o = run("help bogus");
    EXPECT_EQ(o.code, 2);
    EXPECT_NE(o.err.find("exit-codes"), std::string::npos) << o.err;
    EXPECT_EQ(run("help").code, 0);
}

} // namespace
