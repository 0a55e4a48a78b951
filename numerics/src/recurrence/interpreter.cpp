#include "mantissa/recurrence/interpreter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "../emulated/fixed_matrix.hpp"
#include "algebra.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/recurrence/scalar_walk.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa::recurrence {

std::string refusal(const System& system, const DatapathSpec& spec) {
    try {
        spec.validate();
        if (std::string why = free_sums_refusal(spec); !why.empty()) return why;
        if (std::string why = row_form_refusal(spec.order, system); !why.empty()) return why;
        if (spec.moves()) return "point=moving: the point moves between passes of a pipelined session; leave it out";
        if (spec.fixed_vectors()) {
            DatapathSpec widest = spec; // a product of A may be formed of any vector
            widest.p.word_bits = std::max({spec.r.word_bits, spec.p.word_bits, spec.q.word_bits});
            return mantissa::detail::fixed_refusal(system, widest);
        }
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return {};
}

Interpreter::Interpreter(const System& system, const DatapathSpec& spec, const Definition& definition, int threads,
                         Preconditioner preconditioner)
    : definition_(definition), spec_(spec), preconditioner_(std::move(preconditioner)) {
    if (const std::string why = refusal(system, spec); !why.empty()) throw InvalidInput(why);
    algebra_ = (spec.fixed_vectors() ? make_word_algebra : make_float_algebra)(system, spec, definition_, threads);
    scalars_.resize(definition_.scalars);
}

Interpreter::~Interpreter() = default;

void Interpreter::start(std::span<const double> r, std::span<const double> given) {
    if (given.size() != given_scalars(definition_))
        throw InvalidInput(fmt::format("recurrence {}: {} scalars are given to it, and it takes {}",
                                       definition_.name.view(), given.size(), given_scalars(definition_)));
    if (r.size() != algebra_->size())
        throw InvalidInput(fmt::format("recurrence: a right-hand side of {} for {} unknowns; give one of that size",
                                       r.size(), algebra_->size()));
    unfit_ = false;
    for (std::size_t v = 0; v < definition_.vectors; ++v) {
        if (definition_.vector[v].residual) unfit_ |= !algebra_->write(v, r);
        else algebra_->clear(v);
    }
    for (std::size_t s = 0, taken = 0; s < definition_.scalars; ++s) {
        const Initial initial = definition_.scalar[s].initial;
        const double value = initial == Initial::given ? given[taken++] : initial_value(initial);
        scalars_[s] = std::isinf(value) ? value : exact::convert(spec_.scalar, value);
    }
    iterations_ = 0;
    findings_ = {};
    bool advanced = false;
    pending_ = steps(0, definition_.first, 0, false, advanced);
}

RunReport Interpreter::run(const RunRequest& request) {
    RunReport report;
    const double threshold = exact::convert(spec_.scalar, request.rho_stop);
    report.end = std::exchange(pending_, RunEnd::passes);
    const bool begun = definition_.counts == Counts::begun;
    if (report.end != RunEnd::passes) report.passes += begun ? 1 : 0;
    while (report.passes < request.passes && report.end == RunEnd::passes) {
        bool advanced = false;
        const std::uint64_t guarded = findings_.guarded;
        const bool test = report.passes + 1 >= request.rho_stop_from;
        report.end = steps(definition_.first, definition_.watched, threshold, test, advanced);
        const bool last = report.passes + (advanced || begun ? 1 : 0) >= request.passes;
        if (definition_.every != 0 && report.end == RunEnd::passes && (++iterations_ % definition_.every == 0 || last))
            report.end = steps(definition_.watched, definition_.steps, threshold, test, advanced);
        // A word that did not fit, whether a sum was waited for or not.
        const bool unfit = std::exchange(unfit_, false);
        if (algebra_->take_overflow() || unfit) {
            report.end = RunEnd::window_overflow;
            std::ranges::fill(scalars_, 0.0);
        }
        const bool goes_on = report.end == RunEnd::passes || report.end == RunEnd::rho_reached;
        if (goes_on) report.sigma_guards += findings_.guarded - guarded;
        if (advanced || begun) ++report.passes;
    }
    report.words = algebra_->take_words();
    return report;
}

RunEnd Interpreter::steps(std::size_t from, std::size_t to, double threshold, bool test, bool& advanced) {
    bool waiting = false; // for sums that are on their way
    for (std::size_t k = from; k < to; ++k) {
        const Step& step = definition_.step[k];
        RunEnd end = RunEnd::passes;
        if (on_vectors(step.operation)) {
            advanced = advanced || step.result == definition_.solution;
            vector_step(step);
        } else if (step.operation == Operation::dot) {
            sum(step);
            waiting = true;
        } else {
            if (std::exchange(waiting, false)) end = close_sums();
            if (end == RunEnd::passes)
                end = scalar_step(InFormat{spec_.scalar}, step, scalars_, threshold, test, findings_);
        }
        if (end == RunEnd::passes) continue;
        if (end != RunEnd::rho_reached) give_up();
        return end;
    }
    if (waiting && close_sums() != RunEnd::passes) {
        give_up();
        return RunEnd::window_overflow;
    }
    return RunEnd::passes;
}

void Interpreter::sum(const Step& step) {
    const DotResult sum = algebra_->dot(step.a, step.b);
    scalars_[step.result] = sum.value;
    totals_.push_back(step.result);
    overflow_ |= sum.overflow;
}

RunEnd Interpreter::close_sums() {
    const bool overflow = std::exchange(overflow_, false) || algebra_->take_overflow();
    const std::vector<std::uint8_t> totals = std::exchange(totals_, {});
    if (!overflow) return RunEnd::passes;
    for (const std::uint8_t s : totals) scalars_[s] = 0;
    return RunEnd::window_overflow;
}

void Interpreter::vector_step(const Step& step) {
    const auto operand = [&] { return exact::convert(spec_.operand, scalars_[step.scalar]); };
    switch (step.operation) {
    case Operation::add_scaled:
    case Operation::sub_scaled:
        return algebra_->update(step.result, step.a, operand(), step.b, step.operation == Operation::sub_scaled);
    case Operation::apply:
        return algebra_->apply(step.result, step.a);
    case Operation::precondition:
        if (preconditioner_) {
            in_.resize(algebra_->size());
            out_.resize(algebra_->size());
            algebra_->read(step.a, 0, in_);
            preconditioner_(in_, out_);
            unfit_ |= !algebra_->write(step.result, out_);
            return;
        }
        return algebra_->copy(step.result, step.a);
    default:
        return algebra_->copy(step.result, step.a);
    }
}

void Interpreter::give_up() {
    for (std::size_t s = 0; s < definition_.scalars; ++s)
        if (definition_.scalar[s].cleared) scalars_[s] = 0;
}

double Interpreter::scalar(std::string_view name) const {
    const std::uint8_t s = definition_.scalar_named(name);
    if (s == Definition::kNone)
        throw InvalidInput(fmt::format("recurrence {}: it has no scalar {}", definition_.name.view(), name));
    return scalars_[s];
}

void Interpreter::read(std::string_view name, std::size_t first, std::span<double> values) const {
    const std::uint8_t v = definition_.vector_named(name);
    if (v == Definition::kNone)
        throw InvalidInput(fmt::format("recurrence {}: it has no vector {}", definition_.name.view(), name));
    algebra_->read(v, first, values);
}

void Interpreter::solution(std::size_t first, std::span<double> values) const {
    if (definition_.lag_vector == Definition::kNone) return algebra_->read(definition_.solution, first, values);
    const double s = exact::convert(spec_.operand, scalars_[definition_.lag_scalar]);
    algebra_->peek(definition_.solution, s, definition_.lag_vector, first, values);
}

} // namespace mantissa::recurrence
