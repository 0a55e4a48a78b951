// The outer loop's vectors beside a session over parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/outer/elements.hpp"
#include "parted_iterate.hpp"

namespace mantissa::detail {

/// One part's session.
struct PartSession {
    std::uint32_t part;
    std::vector<std::uint32_t> owned; ///< where its rows are in its own session, ascending
    std::unique_ptr<Session> session;

    /// Elements of owned rows, from the first-th on.
    void read(Vec v, std::size_t first, std::span<double> values) const;
    void write(Vec v, std::size_t first, std::span<const double> values) const;
};

class PartedOuter final : public OuterVectors {
public:
    /// `sessions`, of the parts of `iterate` in its order, and what `changed` refers to must live as long. changed() is
    /// called where vectors of the sessions were written.
    PartedOuter(std::unique_ptr<PartedIterate> iterate, std::span<const PartSession> sessions, const DatapathSpec& spec,
                std::function<void()> changed)
        : iterate_(std::move(iterate)), sessions_(sessions), elements_(spec), changed_(std::move(changed)) {}

    void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) override;
    void read(std::span<double> u, std::span<double> d) const override;
    double dot(double scale) override;
    void restart(double scale, std::optional<double> share) override;
    bool correct(double scale, double alpha) override;
    void defect() override { iterate_->defect(); }
    double norm() override { return iterate_->norm(); }
    [[nodiscard]] SpreadIterate* spread() override { return iterate_.get(); }

private:
    void direction(const IterateShare& share, double scale, std::size_t first, std::span<double> r) const;
    /// body(first, r, p) for some owned rows after others.
    template <class Body> static void for_some(const PartSession& part, Body&& body);

    std::unique_ptr<PartedIterate> iterate_;
    std::span<const PartSession> sessions_;
    outer::Elements elements_;
    std::function<void()> changed_;
};

} // namespace mantissa::detail
