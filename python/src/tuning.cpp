// The search of `mantissa tune` over any measurement, for mt.tune.
#include "tuning.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "mantissa/errors.hpp"
#include "tune/search/search.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

// The search works on logarithms: that of an error that is 0, and of one that is no number or infinite.
constexpr double kLeastError = 1e-300;
constexpr double kFailed = 1e30;

/// Costs and errors by Python functions of a choice.
class ErrorContest : public tuning::Contest {
public:
    ErrorContest(std::vector<std::size_t> sizes, nb::callable cost, nb::callable measure, double limit)
        : sizes_(std::move(sizes)), cost_(std::move(cost)), measure_(std::move(measure)), limit_(limit),
          log_limit_(std::log(limit)) {}
    [[nodiscard]] const std::vector<std::size_t>& sizes() const override { return sizes_; }
    bool possible(const tuning::Choice& choice) override { return known_cost(choice) < kInfinite; }
    double cost(const tuning::Choice& choice, double log) override {
        return log <= log_limit_ ? known_cost(choice) : kInfinite;
    }
    double least_log(const tuning::Choice& /*choice*/) override { return std::log(kLeastError); }
    std::vector<tuning::Measured> measure(std::span<const tuning::Choice> choices, std::size_t /*rung*/) override {
        std::vector<tuning::Measured> list;
        for (const tuning::Choice& c : choices) {
            const double error = errors_[c] = nb::cast<double>(measure_(c));
            list.push_back({log_of(error), true});
        }
        return list;
    }
    /// As it was returned.
    [[nodiscard]] double error(const tuning::Choice& choice) const { return errors_.at(choice); }

private:
    static constexpr double kInfinite = std::numeric_limits<double>::infinity();
    /// On the side of the limit's logarithm on which the error is of the limit, which rounding may not change.
    [[nodiscard]] double log_of(double error) const {
        const double log = std::log(std::isfinite(error) ? std::max(error, kLeastError) : kFailed);
        return error <= limit_ ? std::min(log, log_limit_) : std::max(log, std::nextafter(log_limit_, kInfinite));
    }
    double known_cost(const tuning::Choice& choice) {
        const auto it = costs_.find(choice);
        if (it != costs_.end()) return it->second;
        const double cost = nb::cast<double>(cost_(choice));
        return costs_.emplace(choice, std::isnan(cost) ? kInfinite : cost).first->second;
    }
    std::vector<std::size_t> sizes_;
    nb::callable cost_, measure_;
    double limit_, log_limit_;
    std::map<tuning::Choice, double> costs_, errors_;
};

nb::dict search_of(std::vector<std::size_t> sizes, const nb::callable& cost, const nb::callable& measure, double limit,
                   std::uint64_t seed, std::size_t points) {
    ErrorContest contest(std::move(sizes), cost, measure, limit);
    tuning::SearchOptions options;
    options.seed = seed;
    options.most = points;
    options.batch = 1; // (measured one after the other: each tells the next)
    const tuning::SearchResult found = tuning::search(contest, options);
    nb::list tried;
    for (const tuning::Tried& t : found.tried) tried.append(nb::make_tuple(t.choice, contest.error(t.choice)));
    nb::dict d;
    d["tried"] = tried;
    d["best"] = found.best() == nullptr ? nb::object(nb::none()) : nb::cast(found.best()->choice);
    d["open"] = found.open;
    d["end"] = found.end;
    return d;
}

} // namespace

void bind_tuning(nb::module_& m) {
    m.def("search", &search_of, "sizes"_a, "cost"_a, "measure"_a, "limit"_a, "seed"_a, "points"_a);
}

} // namespace mantissa::python
