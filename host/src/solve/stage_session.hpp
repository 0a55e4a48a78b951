// The sessions of a schedule of formats (SolveOptions::schedule), one at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "context.hpp"
#include "inner.hpp"
#include "mantissa/fitted.hpp"

namespace mantissa::solving {

/// The session that runs: one for the whole solve, or that of the schedule's stage, made when it is reached.
class StageSession {
public:
    StageSession(const Problem& problem, const Engine& engine, SolveContext& context)
        : problem_(problem), engine_(engine), context_(context) {
        // Refusals of later stages come before the first one's work.
        const auto& schedule = context.options.schedule;
        for (std::size_t i = 1; i < schedule.size(); ++i) {
            const auto fit = fitted(problem.system, schedule[i].spec);
            const std::string refusal =
                engine.refusal(schedule[i].spec, fit ? fit->system : problem.system, session_options());
            if (!refusal.empty()) throw InvalidInput(fmt::format("schedule: stage {}: {}", i + 1, refusal));
        }
        if (!due(context.norm / context.initial)) load(*context.loaded);
        else load_stage(context.norm / context.initial); // (a solve that goes on)
    }
    [[nodiscard]] Session* get() const { return session_.get(); }
    [[nodiscard]] const DatapathSpec& spec() const {
        return stage_ == 0 ? context_.options.spec : context_.options.schedule[stage_].spec;
    }
    /// Is the relative defect below the number of a later stage?
    [[nodiscard]] bool due(double relative) const {
        const auto& schedule = context_.options.schedule;
        return stage_ + 1 < schedule.size() && relative < schedule[stage_ + 1].below;
    }
    /// That stage's session takes the place of this one; p goes with it, rounded to its new format.
    void advance(double relative) {
        const std::unique_ptr<Session> before = std::move(session_);
        load_stage(relative);
        std::vector<double> part(std::min(context_.size, kTransfer));
        for (std::size_t at = 0; at < context_.size; at += part.size()) {
            const std::span<double> p(part.data(), std::min(part.size(), context_.size - at));
            before->read(Vec::p, at, p);
            session_->write(Vec::p, at, p);
        }
    }

private:
    void load_stage(double relative) {
        while (due(relative)) ++stage_;
        const auto fit = fitted(problem_.system, spec());
        const System& system = fit ? fit->system : problem_.system;
        context_.fit = context_.result.equation_scale = fit ? fit->scale : 1;
        context_.pass = bit_operations(spec(), system);
        load(system);
    }
    void load(const System& system) { session_ = engine_.load(system, spec(), session_options()); }
    [[nodiscard]] SessionOptions session_options() const { return {context_.options.threads, Recurrence::pipelined}; }

    const Problem& problem_;
    const Engine& engine_;
    SolveContext& context_;
    std::size_t stage_ = 0;
    std::unique_ptr<Session> session_;
};

} // namespace mantissa::solving
