#include "mantissa/host/system_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "assembly.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

std::vector<double> BuiltSystem::start(std::size_t s) const {
    std::vector<double> x(free_.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = values_.at(s)[free_[i]];
        if (!origin_.empty()) x[i] -= origin_.at(s)[free_[i]];
    }
    return x;
}

void BuiltSystem::put_back(std::vector<std::vector<double>> values, std::vector<std::vector<double>> origin) {
    const auto alike = [&](const auto& lists) {
        bool good = lists.size() == values_.size();
        for (std::size_t s = 0; good && s < lists.size(); ++s) good = lists[s].size() == values_[s].size();
        return good;
    };
    if (!alike(values) || !alike(origin))
        throw InvalidInput("BuiltSystem: put_back takes a value and an origin for each variable of each system");
    values_ = std::move(values);
    origin_ = std::move(origin);
}

std::vector<double> BuiltSystem::origin(std::size_t s) const {
    std::vector<double> o;
    if (origin_.empty()) return o;
    o.reserve(free_.size());
    for (const std::uint32_t v : free_) o.push_back(origin_.at(s)[v]);
    return o;
}

std::vector<double> BuiltSystem::values(std::span<const double> x, std::size_t s) const {
    if (x.size() != free_.size())
        throw InvalidInput(
            fmt::format("BuiltSystem: a solution of {} elements for {} free variables", x.size(), free_.size()));
    std::vector<double> all = values_.at(s);
    for (std::size_t i = 0; i < x.size(); ++i) all[free_[i]] = origin_.empty() ? x[i] : x[i] + origin_[s][free_[i]];
    return all;
}

SystemBuilder::SystemBuilder(const BuilderOptions& options) : options_(options) {
    if (options.variables == 0 || options.variables > std::numeric_limits<std::uint32_t>::max())
        throw InvalidInput(fmt::format("SystemBuilder: {} variables: give 1 to 4294967295 of them", options.variables));
    if (options.systems == 0) throw InvalidInput("SystemBuilder: 0 systems: give at least one right-hand side");
    if (!(options.drop < 1)) throw InvalidInput(fmt::format("SystemBuilder: drop {}: give less than 1", options.drop));
    values_.assign(options.systems, std::vector<double>(options.variables, 0.0));
    locked_.assign(options.variables, 0);
    row_right_.assign(options.systems, 0.0);
    rest_.resize(options.systems);
    direct_right_.resize(options.systems);
}

void SystemBuilder::need(State state, const char* call, const char* mend) const {
    if (state_ != state) throw InvalidInput(fmt::format("SystemBuilder: {}() out of order: {}", call, mend));
}

void SystemBuilder::check_variable(std::size_t variable, const char* call) const {
    if (variable >= options_.variables)
        throw InvalidInput(fmt::format("SystemBuilder: {}(): variable {} of {} (they count from 0)", call, variable,
                                       options_.variables));
}

void SystemBuilder::check_system(std::size_t system, const char* call) const {
    if (system >= options_.systems)
        throw InvalidInput(fmt::format("SystemBuilder: {}(): right-hand side {} of {} (they count from 0)", call,
                                       system, options_.systems));
}

void SystemBuilder::check_finite(double value, const char* call) {
    if (!std::isfinite(value))
        throw InvalidInput(fmt::format("SystemBuilder: {}(): {}: every number must be finite", call, value));
}

void SystemBuilder::set(std::size_t variable, double value, std::size_t system) {
    need(State::variables, "set", "variables come before begin_matrix()");
    check_variable(variable, "set");
    check_system(system, "set");
    check_finite(value, "set");
    values_[system][variable] = value;
}

void SystemBuilder::lock(std::size_t variable) {
    need(State::variables, "lock", "variables come before begin_matrix()");
    check_variable(variable, "lock");
    locked_[variable] = 1;
}

bool SystemBuilder::locked(std::size_t variable) const {
    check_variable(variable, "locked");
    return locked_[variable] != 0;
}

void SystemBuilder::begin_matrix() {
    need(State::variables, "begin_matrix", "it comes once, after the variables");
    index_.assign(options_.variables, 0);
    for (std::size_t i = 0; i < options_.variables; ++i) {
        if (locked_[i] != 0) continue;
        index_[i] = static_cast<std::uint32_t>(free_.size());
        free_.push_back(static_cast<std::uint32_t>(i));
    }
    if (free_.empty())
        throw InvalidInput("every variable is locked: nothing is left to solve for; lock fewer (a smaller share of a "
                           "mesh's vertices)");
    for (auto& right : direct_right_) right.assign(free_.size(), 0.0);
    state_ = State::matrix;
}

void SystemBuilder::begin_row() {
    need(State::matrix, "begin_row", "call begin_matrix() once, and end_row() before the next row");
    state_ = State::row;
    row_.clear();
    std::fill(row_right_.begin(), row_right_.end(), 0.0);
    scaling_ = 1;
}

void SystemBuilder::coefficient(std::size_t variable, double a) {
    need(State::row, "coefficient", "call begin_row() first");
    check_variable(variable, "coefficient");
    check_finite(a, "coefficient");
    for (Entry& e : row_) // (rows are short)
        if (e.column == variable) {
            e.value += a;
            return;
        }
    row_.push_back({static_cast<std::uint32_t>(variable), a});
}

void SystemBuilder::right_hand_side(double c, std::size_t system) {
    need(State::row, "right_hand_side", "call begin_row() first");
    check_system(system, "right_hand_side");
    check_finite(c, "right_hand_side");
    row_right_[system] = c;
}

void SystemBuilder::row_scaling(double w) {
    need(State::row, "row_scaling", "call begin_row() first");
    check_finite(w, "row_scaling");
    scaling_ = w;
}

void SystemBuilder::end_row() {
    need(State::row, "end_row", "call begin_row() first");
    state_ = State::matrix;
    double scale = scaling_;
    if (options_.normalize_rows) {
        double largest = 0, squares = 0;
        for (const Entry& e : row_) largest = std::max(largest, std::abs(e.value));
        if (largest > 0) {
            for (const Entry& e : row_) squares += (e.value / largest) * (e.value / largest);
            scale = scaling_ / largest / std::sqrt(squares);
        }
    }
    check_finite(scale, "end_row");
    for (std::size_t s = 0; s < options_.systems; ++s) {
        double rest = -(scale * row_right_[s]);
        for (const Entry& e : row_)
            if (locked_[e.column] != 0) rest += scale * e.value * values_[s][e.column];
        rest_[s].push_back(rest);
    }
    for (const Entry& e : row_)
        if (locked_[e.column] == 0) entries_.push_back({index_[e.column], scale * e.value});
    row_begin_.push_back(entries_.size());
}

void SystemBuilder::add(std::size_t i, std::size_t j, double v) {
    need(State::matrix, "add", "it comes between begin_matrix() and build(), outside a row");
    check_variable(i, "add");
    check_variable(j, "add");
    check_finite(v, "add");
    if (locked_[i] != 0) return;
    if (locked_[j] == 0) {
        direct_.push_back({index_[i], {index_[j], v}});
        return;
    }
    for (std::size_t s = 0; s < options_.systems; ++s) direct_right_[s][index_[i]] -= v * values_[s][j];
}

void SystemBuilder::add_right_hand_side(std::size_t i, double v, std::size_t system) {
    need(State::matrix, "add_right_hand_side", "it comes between begin_matrix() and build(), outside a row");
    check_variable(i, "add_right_hand_side");
    check_system(system, "add_right_hand_side");
    check_finite(v, "add_right_hand_side");
    if (locked_[i] == 0) direct_right_[system][index_[i]] += v;
}

BuiltSystem SystemBuilder::build() {
    need(State::matrix, "build", "it comes once, after begin_matrix() and outside a row");
    state_ = State::built;
    Assembly assembly(*this);
    CompressedRows matrix = assembly.matrix();
    return {System(std::move(matrix)), assembly.right_hand_sides(), std::move(values_), std::move(free_)};
}

} // namespace mantissa
