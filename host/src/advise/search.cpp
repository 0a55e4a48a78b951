#include "search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/engine.hpp"
#include "mantissa/spec.hpp"
#include "widths/core_limits.hpp"

namespace mantissa::advising {

namespace {

/// Words in which the rule's widths are tried before none is named, each this many bits longer than the last.
constexpr int kLonger = 3, kMostLonger = 3;
/// ... and where words shall converge in time.
constexpr int kLongerInTime[] = {0, 3, 6, 9, 15, 21};
constexpr int kFewestBits = 2;
constexpr int kMostWidenings = 8;
/// Single bits less that are tried below a width.
constexpr int kProbed = 3;
/// With time for so many trials every bit is tried; with less a width may stay a bit longer than it need be.
constexpr int kManyTrials = 20;
/// Times the limit that a trial may take where none has converged within it.
constexpr std::uint64_t kMostPatient = 30;
/// Fraction bits of alpha and beta where those of the rule do not do: a single-precision significand.
constexpr int kLongOperand = 23;

AdvisedWidths with_vector(AdvisedWidths w, int bits) {
    w.product += bits - w.vector;
    w.vector = bits;
    return w;
}
/// q alone: below what the rule gives short coefficients, rows are rounded.
AdvisedWidths with_product(AdvisedWidths w, int bits) {
    w.exact_rows = w.exact_rows && bits >= w.product;
    w.product = bits;
    return w;
}
AdvisedWidths with_iterate(AdvisedWidths w, int bits) {
    w.iterate = bits;
    return w;
}

} // namespace

std::optional<Search::Outcome> Search::outcome(const AdvisedWidths& widths, std::uint64_t limit) {
    SolveOptions o = make_(widths);
    try {
        o.spec.validate();
    } catch (const InvalidInput&) {
        return Outcome{}; // too long for a word
    }
    if (!taken_(o.spec)) return Outcome{};
    const std::string name = to_string(o.spec);
    if (const auto at = known_.find(name); at != known_.end()) {
        const auto& [tried, outcome] = at->second;
        if (outcome.converged || tried >= limit) {
            Outcome here = outcome;
            here.converged = outcome.converged && outcome.iterations <= limit;
            return here;
        }
    }
    // One that would not end in time is not begun; what takes longer than any before is cut off, with time left for its
    // verdict, which is formed of a solve that is cut off as well.
    if (spent() + std::max(longest_, 2 * around_) > seconds_) {
        spent_ = true;
        return std::nullopt;
    }
    // (A step more: the limit cuts off none that this solve would take whole.)
    if (o.max_iterations == 0 || o.max_iterations > limit + o.inner) o.max_iterations = limit + o.inner;
    const double begin = spent();
    double first = 0, last = 0;
    bool cut = false;
    const SolveResult r = solve(problem_, *make_emulated_engine(), o, [&](const HistoryPoint& h) {
        say_(fmt::format("trial {}, {}: {} iterations, residual {:.1e}", known_.size() + 1, name, h.inner_iterations,
                         h.relative_defect));
        last = spent();
        if (first == 0) first = last;
        cut = last + std::max(around_, first - begin) > seconds_;
        return !cut;
    });
    const double took = spent() - begin;
    longest_ = std::max(longest_, took);
    around_ = std::max(around_, took - (last - first));
    spent_ = spent_ || cut;
    const Outcome found{r.status == Status::converged && r.overflows == 0 && r.inner_iterations <= limit,
                        r.overflows != 0, r.inner_iterations, r.words};
    known_[name] = {limit, found};
    return found;
}

bool Search::works(const AdvisedWidths& widths, std::uint64_t limit) {
    const std::optional<Outcome> found = outcome(widths, limit);
    return found && found->converged;
}

bool Search::works_widened(AdvisedWidths& widths, std::uint64_t limit) {
    for (int turn = 0; turn < kMostWidenings; ++turn) {
        const std::optional<Outcome> found = outcome(widths, limit);
        if (!found) return false;
        if (!found->overflowed) return found->converged;
        const DatapathSpec spec = make_(widths).spec;
        const auto over = [](int bits, const Format& f) { return bits > f.word_bits ? 1 : 0; };
        const int u = over(found->words.u, spec.u), q = over(found->words.q, spec.q);
        const int both = std::max(over(found->words.r, spec.r), over(found->words.p, spec.p));
        // (None is named where an update overflowed in front of the word that counts.)
        widths.iterate_integer += u + (u + q + both == 0 ? 1 : 0);
        widths.integer += both + (u + q + both == 0 ? 1 : 0);
        widths.product_integer += std::max(q, both);
    }
    return false;
}

/// Widths that converge within the limit, the rule's or longer ones; where none do, with longer alpha and beta. (More
/// inner iterations a step are no way out: they took more on the matrices where the rule's widths are slow.)
bool Search::first_in_time(AdvisedWidths& widths, std::uint64_t limit) {
    const AdvisedWidths start = widths;
    // Longer words than a core has are no aim: what they have room for is added, and u, which is longer, grows on.
    const int room = kCoreWord - std::max(start.vector + start.integer, start.product + start.product_integer);
    const int coefficient_room = kCoreWord - start.coefficient_word;
    for (const int operand : {start.operand, std::max(start.operand, kLongOperand)}) {
        for (const int more : kLongerInTime) {
            const int vector = start.vector + std::clamp(room, 0, more);
            AdvisedWidths longer = with_coefficient_(with_vector(start, vector),
                                                     start.coefficient + std::clamp(coefficient_room, 0, more));
            longer.iterate += more;
            longer.operand = operand;
            if (works_widened(longer, limit)) {
                widths = longer;
                return true;
            }
        }
    }
    return false;
}

/// Widths that converge at all, longer ones where these save a quarter of the iterations; the limit becomes what they
/// take, and a little more, or each bit less would seem too slow.
bool Search::first_at_all(AdvisedWidths& widths, std::uint64_t& limit) {
    const std::uint64_t most = make_(widths).max_iterations;
    const std::uint64_t any =
        std::min(most != 0 ? most : default_iteration_limit(problem_.system.size()), kMostPatient * limit);
    AdvisedWidths longer = widths;
    std::uint64_t least = any;
    bool found = false;
    for (int turn = 0; turn <= kMostLonger; ++turn) {
        if (works_widened(longer, found ? least * 3 / 4 : any)) {
            least = outcome(longer, any)->iterations;
            widths = longer;
            found = true;
        } else if (found) {
            break;
        }
        longer = with_coefficient_(with_vector(longer, longer.vector + kLonger), longer.coefficient + kLonger);
        longer.iterate += kLonger;
    }
    if (found) limit = least * 5 / 4;
    return found;
}

void Search::shorten(AdvisedWidths& widths, std::uint64_t limit, int low, int now,
                     const std::function<AdvisedWidths(AdvisedWidths, int)>& with) {
    // In longer and longer steps first: where time is up early, what was won by then is kept.
    int fails = low, holds = now, step = kProbed - 1;
    while (holds - fails > (spent() + kManyTrials * longest_ < seconds_ ? 1 : kProbed - 1)) {
        const int middle = fails == low ? std::max(holds - step, low + 1) : fails + (holds - fails) / 2;
        step *= 2;
        (works(with(widths, middle), limit) ? holds : fails) = middle;
    }
    if (holds != now) widths = with(widths, holds);
}

void Search::polish(AdvisedWidths& widths, std::uint64_t limit) {
    const auto lower = [&](int AdvisedWidths::*width, int least, const auto& with) {
        for (int less = 1; less <= kProbed; ++less) {
            const int bits = widths.*width - less;
            if (bits < least || !works(with(widths, bits), limit)) continue;
            widths = with(widths, bits);
            return true;
        }
        return false;
    };
    bool lowered = true;
    while (lowered && !spent_) {
        lowered = lower(&AdvisedWidths::vector, kFewestBits + 1, with_vector);
        lowered = lower(&AdvisedWidths::coefficient, kFewestBits, with_coefficient_) || lowered;
        lowered = lower(&AdvisedWidths::product, widths.vector, with_product) || lowered;
        lowered = lower(&AdvisedWidths::iterate, kFewestBits + 1, with_iterate) || lowered;
    }
}

void Search::trade(AdvisedWidths& widths, std::uint64_t limit) {
    const auto length = [](const AdvisedWidths& w) { return w.product + w.coefficient + w.iterate; };
    AdvisedWidths traded = with_vector(widths, widths.vector + 1);
    if (works(traded, limit)) {
        shorten(traded, limit, kFewestBits, traded.iterate, with_iterate);
        climb(traded, limit, kFewestBits + 1, &AdvisedWidths::iterate, with_iterate);
        shorten(traded, limit, kFewestBits - 1, traded.coefficient, with_coefficient_);
        if (length(traded) < length(widths)) widths = traded;
    }
    traded = with_iterate(widths, widths.iterate + 1);
    if (widths.product == widths.vector || !works(traded, limit)) return;
    for (int bits = widths.vector; bits < widths.product - 1; ++bits) {
        if (!works(with_product(traded, bits), limit)) continue;
        widths = with_product(traded, bits);
        return;
    }
}

void Search::climb(AdvisedWidths& widths, std::uint64_t limit, int least, int AdvisedWidths::*width,
                   const std::function<AdvisedWidths(AdvisedWidths, int)>& with) {
    for (int bits = least; bits + kProbed < widths.*width && spent() + kManyTrials * longest_ < seconds_; ++bits)
        if (works(with(widths, bits), limit)) widths = with(widths, bits);
}

void Search::trim(AdvisedWidths& widths, std::uint64_t limit) {
    const WordUse used = outcome(widths, limit)->words;
    const auto fewer = [](int& integer, int fraction, int bits) {
        integer = std::min(integer, std::max(bits + 1 - fraction, 2));
    };
    AdvisedWidths w = widths;
    fewer(w.integer, w.vector, std::max(used.r, used.p));
    fewer(w.iterate_integer, w.iterate, used.u);
    fewer(w.product_integer, w.product, used.q);
    if (works(w, limit)) widths = w;
}

void Search::improve(Proposal& proposal, std::uint64_t limit) {
    AdvisedWidths w = proposal.widths;
    if (!first_in_time(w, limit)) {
        w = proposal.widths;
        if (!first_at_all(w, limit)) return;
    }
    shorten(w, limit, kFewestBits, w.vector, with_vector);
    climb(w, limit, kFewestBits + 1, &AdvisedWidths::vector, with_vector);
    shorten(w, limit, kFewestBits - 1, w.coefficient, with_coefficient_);
    shorten(w, limit, kFewestBits, w.iterate, with_iterate);
    polish(w, limit);
    // Of coefficients a few bits may do where more do not: rounded, the matrix is another one.
    climb(w, limit, kFewestBits - 1, &AdvisedWidths::coefficient, with_coefficient_);
    climb(w, limit, kFewestBits + 1, &AdvisedWidths::iterate, with_iterate);
    trade(w, limit);
    trim(w, limit);
    proposal.widths = w;
    proposal.options = make_(w);
    proposal.tried = outcome(w, limit)->iterations;
}

} // namespace mantissa::advising
