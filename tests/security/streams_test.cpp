// Streams that are closed or full, limits of the system, numbers and keys as nobody meant them: one line and exit code
// 2, or the answer; never a signal.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sched.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/cores.hpp"
#include "program.hpp"

namespace {

const std::string kSmall = "solve --threads 1 --problem poisson2d:level=3 ";

TEST(Streams, StandardErrorThatIsClosedOrFullEndsNothing) {
    for (const char* where : {" 2>&-", " 2>/dev/full", " 2>/dev/null"}) {
        EXPECT_EQ(run(kSmall + where).code, 0) << where;
        EXPECT_EQ(run("solve --problem none" + std::string(where)).code, 2) << where;
        EXPECT_EQ(run(kSmall + "--tolerance nonsense" + where).code, 2) << where;
        EXPECT_EQ(run(kSmall + "--solution - >/dev/null" + where).code, 0) << where;
        EXPECT_EQ(run(kSmall + ">/dev/full" + where).code, 2) << where;
    }
}

TEST(Streams, AFileBeyondTheLimitIsAWriteThatFails) {
    for (const char* option : {"--history ", "--solution ", "--history x --solution "}) {
        const Scratch scratch;
        scratch.write("out", "old");
        const Outcome o = run(std::string("solve --threads 1 --problem poisson2d:level=7 ") + option + "out",
                              "cd " + scratch.path("") + " && ulimit -f 1 &&");
        EXPECT_EQ(o.code, 2) << option << o.err;
        EXPECT_NE(o.err.find("File too large"), std::string::npos) << o.err;
        EXPECT_EQ(scratch.read("out"), "old") << "the old file stays";
        for (const auto& entry : std::filesystem::directory_iterator(scratch.path("")))
            EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
    }
}

TEST(Streams, WholeNumbersAreDecimal) {
    const auto same = [](const std::string& with, const std::string& without) {
        const Outcome a = run(kSmall + "--json " + with), b = run(kSmall + "--json " + without);
        ASSERT_EQ(a.code, b.code) << with << a.err;
        if (a.code != 0) return;
        auto one = nlohmann::json::parse(a.out), two = nlohmann::json::parse(b.out);
        for (const char* key : {"seconds", "command", "date"}) one.erase(key), two.erase(key);
        for (auto* j : {&one, &two})
            if (j->contains("provenance")) j->erase("provenance");
        EXPECT_EQ(one.dump(), two.dump()) << with;
    };
    same("--scheme defect-correction --inner 010", "--scheme defect-correction --inner 10");
    same("--scheme defect-correction --inner 08", "--scheme defect-correction --inner 8");
    same("--max-iterations 0012", "--max-iterations 12");
    same("--max-iterations 000", "--max-iterations 0");
}

TEST(Streams, CoresAreThoseThatMayBeUsed) {
    cpu_set_t before, some;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&some);
    int wanted = 0;
    for (int core = 0; core < CPU_SETSIZE && wanted < 3; ++core) {
        if (!CPU_ISSET(core, &before)) continue;
        CPU_SET(core, &some);
        ++wanted;
        ASSERT_EQ(::sched_setaffinity(0, sizeof some, &some), 0);
        EXPECT_EQ(mantissa::base::usable_cores(), wanted);
    }
    ::sched_setaffinity(0, sizeof before, &before);
    EXPECT_EQ(mantissa::base::usable_cores(), CPU_COUNT(&before));
}

TEST(Streams, ThreadsThatCannotBeHadAreOneLine) {
    // The limit counts a user's processes, and root has none: a user of no other process runs the command.
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become a user without processes";
    for (const char* threads : {"8", "5", "3"}) {
        const Outcome o =
            run("solve --problem poisson2d:level=3 --threads " + std::string(threads),
                "setpriv --reuid=64321 --regid=64321 --clear-groups bash -c 'ulimit -u 2; exec \"$@\"' x");
        EXPECT_EQ(o.code, 2) << o.err;
        EXPECT_NE(o.err.find("ulimit -u"), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
    const Outcome one = run("solve --problem poisson2d:level=3 --threads 1",
                            "setpriv --reuid=64321 --regid=64321 --clear-groups bash -c 'ulimit -u 1; exec \"$@\"' x");
    EXPECT_EQ(one.code, 0) << one.err;
}

TEST(Streams, AKeyOfThousandsOfPartsIsRefused) {
    const Scratch scratch;
    const auto repeated = [](const char* part, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += part;
        return text;
    };
    const std::string deep = repeated("a.", 40000) + "a";
    for (const std::string& text :
         {deep + " = 1\n", "[" + deep + "]\nb = 1\n", "[[grid]]\n'x'." + deep + " = 'y'\n",
          "x = { " + deep + " = 1 }\n", "[[" + deep + "]]\n", "x = { " + repeated("a . ", 17) + "a = 1 }\n"}) {
        const Outcome o = run("sweep --dry-run " + scratch.write("s.toml", text));
        EXPECT_EQ(o.code, 2) << text.substr(0, 20);
        EXPECT_NE(o.err.find("too many parts"), std::string::npos) << o.err;
    }
    const std::string dots = repeated("..", 40);
    for (const std::string& text :
         {"# " + dots + "\n[[grid]]\nproblem = \"poisson2d:level=2\"\ntolerance = [1.0e-3, 1.0e-4]\n",
          std::string(
              "store = \"./././././././././././././././././././s.sqlite\"\n[[grid]]\nproblem = 'poisson2d:level=2'\n")})
        EXPECT_EQ(run("sweep --dry-run " + scratch.write("s.toml", text)).code, 0) << text;
}

} // namespace
