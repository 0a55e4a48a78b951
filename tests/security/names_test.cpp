// Names that a shell, a terminal or a spreadsheet would obey.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/quoted.hpp"
#include "mantissa/base/shell_words.hpp"
#include "program.hpp"
#include "sqlite.hpp"

namespace {

using mantissa::base::shell_quoted;
using mantissa::base::shell_word;

const std::string kMatrix = "%%MatrixMarket matrix coordinate real symmetric\n4 4 7\n1 1 4\n2 2 4\n3 3 4\n4 4 4\n"
                            "2 1 -1\n3 2 -1\n4 3 -1\n";

/// Names of files; none has a slash.
std::vector<std::string> odd_names() {
    return {"a'b.mtx",       "$(touch x).mtx", "`touch x`.mtx", "a b.mtx",       "a\nb.mtx",         "a;touch x.mtx",
            "-x.mtx",        "a\\b.mtx",       "a\"b.mtx",      "a\x1b[31m.mtx", "\xe2\x80\xae.mtx", "\xff\x9b.mtx",
            "a&touch x.mtx", "#a.mtx",         "~a.mtx",        "!a.mtx",        "a\tb.mtx",         "\xc3\xa9.mtx"};
}

std::string output_of(const std::string& command) {
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    ::pclose(pipe);
    return text;
}

TEST(Names, AShellReadsThemBack) {
    if (std::system("bash -c true") != 0) GTEST_SKIP() << "no bash";
    const Scratch scratch;
    for (const std::string& name : odd_names())
        for (const std::string& word : {shell_quoted(name), shell_word(name)}) {
            EXPECT_EQ(word.find('\n'), std::string::npos);
            scratch.write("s", "printf %s " + word);
            EXPECT_EQ(output_of("cd " + scratch.path("") + " && bash s"), name) << word;
        }
    EXPECT_FALSE(std::filesystem::exists(scratch.path("x")));
    EXPECT_EQ(shell_word("mtx:a/b_c.mtx"), "mtx:a/b_c.mtx");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(Names, WhatIsAdvisedCanBeRun) {
    const Scratch scratch;
    for (const std::string& name : {odd_names()[0], odd_names()[1], odd_names()[4], odd_names()[11]}) {
        scratch.write(name, kMatrix);
        const Outcome o = run("solve --advise --problem " + shell_quoted("mtx:" + name),
                              "cd " + scratch.path("") + " && OMP_NUM_THREADS=1");
        ASSERT_EQ(o.code, 0) << o.err;
        const std::size_t at = o.out.find("  mantissa solve");
        ASSERT_NE(at, std::string::npos) << o.out;
        const std::string line = o.out.substr(at + 2, o.out.find('\n', at) - at - 2);
        scratch.write("s", std::string(MANTISSA_PROGRAM) + line.substr(8));
        EXPECT_EQ(std::system(("cd " + scratch.path("") + " && bash s >/dev/null 2>&1").c_str()), 0) << line;
        EXPECT_FALSE(std::filesystem::exists(scratch.path("x")));
    }
}

/// No command to a terminal, nor a character that turns the direction of writing.
void expect_harmless(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        EXPECT_FALSE((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) << i << " in " << text;
        if (byte == 0xC2) {
            EXPECT_GE(static_cast<unsigned char>(text[i + 1]), 0xA0) << text;
        }
    }
    for (const char* turn : {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\xd8\x9c", "\x9b"})
        EXPECT_EQ(text.find(turn), std::string::npos) << text;
}

TEST(Names, ATerminalIsNotCommanded) {
    const Scratch scratch;
    for (const std::string name : {"a\x1b]0;t\x07.mtx",
                                   "\xc2\x9b"
                                   "31m.mtx",
                                   "\xe2\x80\xae.mtx", "\xe2\x81\xa6.mtx",
                                   "\x9b"
                                   "31m.mtx",
                                   "\xd8\x9c"
                                   "a\r.mtx",
                                   "\x7f"
                                   "a.mtx"}) {
        scratch.write(name, kMatrix);
        const std::string problem = " --problem " + shell_quoted("mtx:" + scratch.path(name));
        const Outcome good = run("solve --threads 1" + problem), json = run("solve --threads 1 --json" + problem),
                      bad = run("solve --threads 1 --spec nonsense" + problem),
                      none = run("solve --problem " + shell_quoted("mtx:" + scratch.path("none" + name)));
        EXPECT_EQ(good.code, 0) << good.err;
        EXPECT_EQ(json.code, 0) << json.err;
        EXPECT_TRUE(nlohmann::json::accept(json.out)) << json.out;
        EXPECT_EQ(bad.code, 2);
        EXPECT_EQ(none.code, 2);
        for (const Outcome* o : {&good, &json, &bad, &none}) {
            expect_harmless(o->out);
            expect_harmless(o->err);
        }
    }
}

TEST(Names, ASpreadsheetFindsNoFormula) {
    const Scratch scratch;
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=2\"\n");
    ASSERT_EQ(run("sweep --threads 1 " + toml).code, 0);
    for (const char* formula : {"=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "\t=1"}) {
        execute(scratch.path("s.sqlite"),
                std::string("UPDATE points SET problem = '") + formula + "', detail = '-1.5'");
        ASSERT_EQ(run("sweep --threads 1 " + toml + " --csv " + scratch.path("p.csv")).code, 0);
        const std::string text = scratch.read("p.csv");
        EXPECT_NE(text.find(std::string("\n'") + formula), std::string::npos) << text;
        EXPECT_NE(text.find(",-1.5,"), std::string::npos) << "a number stays one";
        execute(scratch.path("s.sqlite"), "DELETE FROM points WHERE id > 1");
    }
}

} // namespace
