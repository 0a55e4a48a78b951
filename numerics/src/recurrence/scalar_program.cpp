#include "mantissa/recurrence/scalar_program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "mantissa/errors.hpp"

namespace mantissa::recurrence {

namespace {

constexpr std::size_t kMostTotals = 3, kMostOperands = 2;
constexpr std::array<std::string_view, 6> kNamed = {"alpha", "beta", "rho", "pq", "qq", "sigma"};
constexpr std::string_view kWork = "work", kThreshold = "rho_stop";

class Lowering {
public:
    explicit Lowering(const Definition& d) : d_(d) {
        for (std::uint8_t k = 0; k < d.steps; ++k) read(k);
        if (total_.empty() || total_.size() > kMostTotals) refuse("a number of sums");
        if (operand_.size() > kMostOperands) refuse("that many operands of its vectors' updates");
        if (formed_.empty()) refuse("no scalars of its own");
        for (const Step& s : formed_) scalar_named(s.result);
    }

    ScalarProgram lower() {
        load_totals();
        for (const Step& s : formed_) {
            form(s);
            if (&s == formed_.data()) emit(ScalarOperation::check, name(loaded_.back()));
        }
        if (!compared_ && d_.stops_on != Definition::kNone) hold(d_.stops_on);
        for (const std::uint8_t s : operand_)
            if (!ready_[s]) hold(s);
        emit(ScalarOperation::check, name(formed_.back().result), "1");
        clearings();
        return std::move(program_);
    }

private:
    [[noreturn]] void refuse(std::string_view why) const {
        throw InvalidInput(fmt::format("recurrence {}: {}, which the RTL's scalar unit has not", d_.name.view(), why));
    }

    /// Sorts a statement into sums, operands, tests and what is formed.
    void read(std::uint8_t k) {
        const Step& s = d_.step[k];
        if (k < d_.first && (s.operation == Operation::dot || on_scalars(s.operation)))
            refuse("sums or scalars in front of its iteration");
        switch (s.operation) {
        case Operation::dot:
            total_.push_back(s.result);
            program_.signed_totals.push_back(s.a != s.b);
            break;
        case Operation::add_scaled:
        case Operation::sub_scaled:
            if (std::ranges::find(operand_, s.scalar) == operand_.end()) operand_.push_back(s.scalar);
            break;
        case Operation::multiply:
        case Operation::divide:
        case Operation::subtract:
            formed_.push_back(s);
            break;
        case Operation::finite:
            demand(s.a, ScalarDemand::finite);
            break;
        case Operation::exact:
            demand(s.a, ScalarDemand::nonzero);
            break;
        case Operation::definite:
            demand(s.a, ScalarDemand::positive);
            break;
        case Operation::guard:
            demand(s.a, ScalarDemand::guarded);
            break;
        case Operation::assign:
        case Operation::negate:
        case Operation::add:
        case Operation::unbroken:
            refuse("a copy, sign, sum or test of scalars");
        default:
            break;
        }
    }
    /// What is nonzero, above zero or guarded is finite too.
    void demand(std::uint8_t scalar, ScalarDemand what) { demand_[scalar] = std::max(demand_[scalar], what); }

    std::string scalar_named(std::uint8_t scalar) {
        const std::string_view text = d_.scalar[scalar].name.view();
        if (std::ranges::find(kNamed, text) != kNamed.end()) return std::string(text);
        if (!work_) work_ = scalar;
        if (*work_ != scalar) refuse("a second scalar without a place on the bus");
        return std::string(kWork);
    }
    std::string name(std::uint8_t scalar) { return scalar_named(scalar); }

    void emit(ScalarOperation operation, std::string a = {}, std::string result = {},
              ScalarDemand demand = ScalarDemand::any) {
        program_.instruction.push_back({operation, std::move(a), std::move(result), demand});
    }

    /// The divisor of the first division comes first: it is what that waits for.
    void load_totals() {
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < total_.size(); ++k) order.push_back(k);
        const Step& first = formed_.front();
        std::ranges::stable_partition(order, [&](std::size_t k) { return total_[k] == first.b; });
        for (const std::size_t k : order) {
            emit(ScalarOperation::total, std::to_string(k), name(total_[k]), demand_[total_[k]]);
            loaded_.push_back(total_[k]);
        }
    }

    /// The multiplicand register: what else wants this scalar there has it at once.
    void hold(std::uint8_t scalar) {
        emit(ScalarOperation::hold, name(scalar));
        if (const auto at = std::ranges::find(operand_, scalar); at != operand_.end() && !ready_[scalar]) {
            emit(ScalarOperation::operand, {}, std::to_string(at - operand_.begin()));
            ready_[scalar] = true;
        }
        if (scalar == d_.stops_on && !compared_ && !is_divisor_of_first(scalar)) {
            emit(ScalarOperation::below, std::string(kThreshold));
            compared_ = true;
        }
    }
    /// (The totals' own check comes after the first division: a threshold counts only at the last one.)
    [[nodiscard]] bool is_divisor_of_first(std::uint8_t scalar) const {
        return scalar == formed_.front().b && last_ == Definition::kNone;
    }

    /// A result is taken in the clock in which it is rounded, so that the last one is no held operand.
    void form(const Step& s) {
        std::uint8_t taken = s.a, held = s.b;
        if (s.operation == Operation::multiply && s.b == last_) std::swap(taken, held);
        if (held == last_ && taken != held && s.operation != Operation::multiply)
            refuse("a divisor that was just formed");
        hold(held);
        const ScalarOperation operation = s.operation == Operation::multiply ? ScalarOperation::times
                                          : s.operation == Operation::divide ? ScalarOperation::divide
                                                                             : ScalarOperation::minus;
        emit(operation, name(taken), name(s.result), demand_[s.result]);
        ready_[s.result] = false;
        last_ = s.result;
    }

    void clearings() {
        program_.window = program_.instruction.size();
        for (const std::uint8_t s : total_) emit(ScalarOperation::clear, {}, name(s));
        program_.stop = program_.instruction.size();
        for (const std::uint8_t s : operand_)
            if (d_.scalar[s].cleared) emit(ScalarOperation::clear, {}, name(s)); // (read again two instructions later)
        for (std::uint8_t s = 0; s < d_.scalars; ++s)
            if (d_.scalar[s].cleared && std::ranges::find(operand_, s) == operand_.end())
                emit(ScalarOperation::clear, {}, name(s));
        program_.operands = program_.instruction.size();
        ready_ = {};
        for (const std::uint8_t s : operand_) hold(s);
        emit(ScalarOperation::done);
    }

    const Definition& d_;
    ScalarProgram program_;
    std::vector<std::uint8_t> total_, operand_, loaded_;
    std::vector<Step> formed_;
    std::map<std::uint8_t, ScalarDemand> demand_;
    std::map<std::uint8_t, bool> ready_; ///< operands that hold what the scalar is
    std::optional<std::uint8_t> work_;
    std::uint8_t last_ = Definition::kNone;
    bool compared_ = false;
};

std::string upper(std::string_view text) {
    std::string s(text);
    std::ranges::transform(s, s.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return s;
}

/// A scalar's address, or a number, in three bits.
std::string field(const std::string& text) {
    const bool number = text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0;
    return number ? fmt::format("3'd{}", text.empty() ? "0" : text) : fmt::format("`SCALAR_{}", upper(text));
}

} // namespace

ScalarProgram scalar_program(const Definition& definition) {
    return Lowering(definition).lower();
}

std::string verilog(const ScalarProgram& program) {
    static constexpr std::array<std::string_view, 10> kOperations = {"TOTAL", "HOLD",  "DIVIDE", "TIMES",   "MINUS",
                                                                     "BELOW", "CHECK", "CLEAR",  "OPERAND", "DONE"};
    static constexpr std::array<std::string_view, 5> kDemands = {"ANY", "MUST_FINITE", "MUST_NONZERO", "MUST_POSITIVE",
                                                                 "GUARDED"};
    std::string text = "`define SCALAR_PROGRAM { \\\n";
    for (const ScalarInstruction& i : program.instruction) {
        const bool last = &i == &program.instruction.back();
        text += fmt::format("  {{{:<17}{:<18}{:<15}`SCALAR_{}}}{}\n",
                            fmt::format("`SCALAR_{},", kOperations[static_cast<std::size_t>(i.operation)]),
                            field(i.a) + ",", field(i.result) + ",", kDemands[static_cast<std::size_t>(i.demand)],
                            last ? "}" : ", \\");
    }
    std::string signs;
    for (const bool s : program.signed_totals) signs.insert(0, 1, s ? '1' : '0');
    text += fmt::format("`define SCALAR_PROGRAM_N       {}\n", program.instruction.size());
    text += fmt::format("`define SCALAR_ENTRY_WINDOW    {} // a total left its window\n", program.window);
    text +=
        fmt::format("`define SCALAR_ENTRY_STOP      {} // the run ends with alpha, sigma and beta +0\n", program.stop);
    text += fmt::format("`define SCALAR_ENTRY_OPERANDS  {} // the bus wrote alpha or beta\n", program.operands);
    text += fmt::format("`define SCALAR_SIGNED_TOTALS   3'b{:0>3} // totals that can be negative\n", signs);
    return text;
}

} // namespace mantissa::recurrence
