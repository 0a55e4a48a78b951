// Two engines side by side: the first bit in which they differ is named, with the clock at which the core formed it.
#include "mantissa/checked_engine.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

/// The emulated engine with one bit of q flipped in one pass: the check must find exactly it.
class Wrong final : public Session {
public:
    explicit Wrong(std::unique_ptr<Session> inner) : inner_(std::move(inner)) {}
    void write(Vec v, std::size_t first, std::span<const double> values) override { inner_->write(v, first, values); }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        inner_->read(v, first, values);
        if (v == Vec::q && passes_ == 3 && first <= 17 && 17 < first + values.size())
            values[17 - first] *= 1.0 + 0x1p-17;
    }
    void clear(Vec v) override { inner_->clear(v); }
    void set_scalars(double alpha, double beta) override { inner_->set_scalars(alpha, beta); }
    Scalars scalars() const override { return inner_->scalars(); }
    RunReport run(const RunRequest& request) override {
        passes_ += request.passes;
        return inner_->run(request);
    }

private:
    std::unique_ptr<Session> inner_;
    std::uint64_t passes_ = 0;
};
class WrongEngine final : public Engine {
public:
    std::string name() const override { return "wrong"; }
    std::string description() const override { return "emulated with one wrong bit"; }
    std::string refusal(const DatapathSpec&, const System&, const SessionOptions&) const override { return {}; }
    std::unique_ptr<Session> load(const System& s, const DatapathSpec& d, const SessionOptions& o) const override {
        return std::make_unique<Wrong>(make_emulated_engine()->load(s, d, o));
    }
};

TEST(Check, NamesTheFirstDifferingBit) {
    const auto rtl = make_rtl_engine();
    const WrongEngine wrong;
    const auto checked = make_checked_engine(*rtl, wrong);
    const System system = test::random_bands(9, 7, 4);
    const auto session = checked->load(system, parse_spec("s17e8"), {});
    std::vector<double> d(system.size(), 0.125);
    session->write(Vec::r, 0, d);
    session->set_scalars(0, 0);
    EXPECT_EQ(session->run({2}).passes, 2U);
    try {
        session->run({5});
        FAIL() << "the wrong bit was not found";
    } catch (const Mismatch& m) {
        EXPECT_EQ(m.difference.iteration, 3U);
        EXPECT_EQ(m.difference.signal, "q");
        EXPECT_EQ(m.difference.element, 17U);
        EXPECT_NE(m.difference.subject, m.difference.reference);
        ASSERT_TRUE(m.difference.first_clock);
        EXPECT_LT(*m.difference.first_clock, *m.difference.last_clock);
        EXPECT_NE(std::string(m.what()).find("iteration 3, q element 17"), std::string::npos) << m.what();
    }
}

} // namespace
} // namespace mantissa::sim
