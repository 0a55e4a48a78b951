#include "core_session.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "core_registers.hpp"
#include "mantissa/chebyshev.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/upsets.hpp"

namespace mantissa::sim {

void CoreSession::set_scalars(double alpha, double beta) {
    scalars_ = {};
    scalars_.alpha = exact::convert(spec_.scalar, alpha);
    scalars_.beta = exact::convert(spec_.scalar, beta);
    attempt([&] { write_scalars(); });
}

RunReport CoreSession::run(const RunRequest& request) {
    RunReport report;
    report.cycles = 0;
    try {
        if (!silent_.empty()) throw std::runtime_error(silent_);
        run_pieces(request, report);
        if (report.end != RunEnd::fault) settle();
    } catch (const std::runtime_error& error) {
        // A host's access to a bus that does not answer times out, and it resets the core.
        if (!core_does_not_serve(error)) throw;
        report.end = RunEnd::fault;
        fault_ = error.what();
    }
    if (report.end != RunEnd::fault) return report;
    reset(); // the next run is to find the core as this one did
    if (trial_ && !trial_->hung) ++trial_->faults;
    return report;
}

std::uint64_t CoreSession::run_limit(std::uint64_t clocks) const {
    return clocks == 0 && trial_ ? trial_->most_clocks : clocks;
}

void CoreSession::note_run(int code, std::uint64_t clocks) {
    save_.at(*clock());
    const bool late = code == 2 && clocks == 0;
    if (late) fault_ = fmt::format("watchdog: the run has not ended after {} clocks", run_limit(clocks));
    if (!trial_) return;
    trial_->clocks = *clock();
    trial_->hung |= code == 1 || late;
}

void CoreSession::run_pieces(const RunRequest& request, RunReport& report) {
    if (given_) (void)operand_pairs(spec_, request);
    // PASSES has 32 bits, and a table its pairs; longer runs go in pieces.
    const std::uint64_t most = given_ ? kStepPairs : 0xFFFF'FFFF;
    while (report.passes < request.passes && report.end == RunEnd::passes) {
        RunRequest piece = request;
        piece.passes = unfit_ ? 1 : std::min(request.passes - report.passes, most);
        if (given_) piece.pairs = request.pairs.subspan(report.passes);
        piece.rho_stop_from = request.rho_stop_from > report.passes ? request.rho_stop_from - report.passes : 1;
        start(piece);
        if (!advance(0)) {
            report.end = RunEnd::fault;
            return;
        }
        RunReport part = finish();
        if (part.passes > piece.passes) { // a counter that an upset has moved
            fault_ = fmt::format("PASS_COUNT is {} after a run of {} passes", part.passes, piece.passes);
            part.passes = piece.passes;
            part.end = RunEnd::fault;
        }
        if (unfit_ && part.end != RunEnd::fault) end_unfit(part);
        report.passes += part.passes;
        report.sigma_guards += part.sigma_guards;
        report.end = part.end;
        report.cycles = *report.cycles + part.cycles.value_or(0);
        report.words.merge(part.words);
    }
}

void CoreSession::start(const RunRequest& request) {
    fault_.clear();
    before_run();
    write_register(kErrors, 0x1FF);
    write_register(kPasses, static_cast<std::uint32_t>(std::min<std::uint64_t>(request.passes, 0xFFFF'FFFF)));
    write_register(kRhoStopFrom,
                   static_cast<std::uint32_t>(std::min<std::uint64_t>(request.rho_stop_from, 0xFFFF'FFFF)));
    if (given_) write_pairs(request);
    else write_pair(kRhoStop, encode(spec_.scalar, exact::convert(spec_.scalar, request.rho_stop)));
    write_register(kControl, 1);
}

RunReport CoreSession::finish() {
    const std::uint32_t status = read_register(kStatus);
    RunReport report;
    report.passes = read_register(kPassCount);
    report.sigma_guards = read_register(kSigmaGuards);
    const std::optional<RunEnd> end = run_end_of(end_number(status));
    report.end = end.value_or(RunEnd::fault);
    report.cycles = read_pair(kCycles);
    after_run(status);
    if (const std::uint32_t errors = read_register(kErrors); report.end == RunEnd::fault || errors != 0) {
        report.end = RunEnd::fault;
        fault_ = end ? describe_errors(errors) : fmt::format("STATUS is 0x{:x}, which names no end of a run", status);
    }
    if (report.passes > 0) scalars_ = scalars_after(report.passes);
    // Once more, since a check tells of what it saw some clocks later.
    if (((status | read_register(kStatus)) & kFaultDetectedBit) != 0) {
        report.end = RunEnd::fault;
        fault_ = "fault_detected: one of the core's checks failed";
    }
    if (spec_.fixed_vectors() && report.passes > 0)
        report.words = {longest(kWordsU), longest(kWordsR), longest(kWordsP), longest(kWordsQ)};
    save_.at(*clock()); // (reading the registers took clocks, too)
    return report;
}

Scalars CoreSession::scalars_after(std::uint64_t passes) {
    if (given_) {
        const StepPair& last = pairs_.at(passes - 1);
        return {.alpha = last.alpha, .beta = last.beta};
    }
    const Format& f = spec_.scalar;
    return {decode(f, read_pair(kRho)),   decode(f, read_pair(kPq)),    decode(f, read_pair(kQq)),
            decode(f, read_pair(kAlpha)), decode(f, read_pair(kSigma)), decode(f, read_pair(kBeta))};
}

void CoreSession::write_pairs(const RunRequest& request) {
    pairs_ = operand_pairs(spec_, request);
    if (held_.size() >= pairs_.size() && std::equal(pairs_.begin(), pairs_.end(), held_.begin())) return;
    const bool wide = spec_.operand.width() > 32;
    const auto write = [&](std::uint32_t address, double value) {
        const std::uint64_t word = encode(spec_.operand, value);
        write_register(address, static_cast<std::uint32_t>(word));
        if (wide) write_register(address + 4, static_cast<std::uint32_t>(word >> 32));
    };
    write_register(kRhoStop, 0);
    for (const StepPair& pair : pairs_) {
        write(kAlpha, pair.alpha);
        write(kBeta, pair.beta);
    }
    held_ = pairs_;
}

void CoreSession::reset() {
    held_.clear();
    silent_.clear();
    reset_core();
    program_system();
    write_scalars();
}

void CoreSession::write_scalars() {
    if (given_) return;
    write_pair(kAlpha, encode(spec_.scalar, scalars_.alpha));
    write_pair(kBeta, encode(spec_.scalar, scalars_.beta));
}

/// The pass after a write() of what does not fit: it was run, and it ends the run without scalars.
void CoreSession::end_unfit(RunReport& report) {
    unfit_ = false;
    report.end = RunEnd::window_overflow;
    report.sigma_guards = 0;
    if (given_) return;
    scalars_ = {};
    write_scalars();
}

int CoreSession::longest(std::uint32_t address) {
    return static_cast<int>(std::bit_width(read_pair(address))) + 1;
}

} // namespace mantissa::sim
