// Two engines side by side: after every pass the same bits, the same end, the same longest words.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/checked_engine.hpp"
#include "test_systems.hpp"

namespace mantissa::testing {

inline std::string text_of(const WordUse& w) {
    return "u " + std::to_string(w.u) + ", r " + std::to_string(w.r) + ", p " + std::to_string(w.p) + ", q " +
           std::to_string(w.q);
}

/// From `start` in r, up to `passes` passes one at a time; fewer where a run ends. Returns the passes that went on.
inline std::size_t expect_alike(const Engine& subject, const Engine& reference, const std::string& text,
                                const System& system, std::size_t passes, const std::vector<double>& start) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " row length " + std::to_string(system.row_length()) +
                 " size " + std::to_string(system.size()));
    const DatapathSpec spec = parse_spec(text);
    const auto a = subject.load(system, spec, {}), b = reference.load(system, spec, {});
    for (Session* s : {a.get(), b.get()}) s->write(Vec::r, 0, start);
    for (std::size_t pass = 1; pass <= passes; ++pass) {
        const RunReport got = a->run({.passes = 1}), want = b->run({.passes = 1});
        EXPECT_EQ(to_string(got.end), to_string(want.end)) << "after pass " << pass << ": " << a->fault();
        EXPECT_EQ(got.sigma_guards, want.sigma_guards) << "after pass " << pass;
        EXPECT_EQ(text_of(got.words), text_of(want.words)) << "after pass " << pass;
        if (const auto d = compare_sessions(*a, *b, spec, system.size())) {
            ADD_FAILURE() << d->signal << "[" << d->element << "] after pass " << pass << ": got " << d->subject
                          << ", want " << d->reference;
            return 0;
        }
        if (want.end != RunEnd::passes) return pass - 1;
    }
    return passes;
}

} // namespace mantissa::testing
