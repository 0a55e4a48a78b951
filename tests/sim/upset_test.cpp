// Campaigns of upsets: which bits there are, that a seed decides them, that a store resumes them, and what the resident
// core's checks find.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "store/database.hpp"
#include "upset/campaign.hpp"

namespace mantissa::upset {

namespace {

Request request_of(bool resident, int checks, Where where, std::uint64_t flips) {
    Request request;
    request.problem = outline_problem("poisson2d:level=3").name;
    request.options.spec = parse_spec("fx18.16");
    request.options.resident = resident;
    request.checks = checks;
    request.where = where;
    request.flips = flips;
    return request;
}

std::uint64_t count(const Campaign& campaign, Outcome outcome) {
    return static_cast<std::uint64_t>(std::count_if(campaign.flips.begin(), campaign.flips.end(),
                                                    [&](const Flip& f) { return f.outcome == outcome; }));
}

void expect_same(const Flip& a, const Flip& b) {
    EXPECT_EQ(a.place, b.place);
    EXPECT_EQ(a.word, b.word);
    EXPECT_EQ(a.bit, b.bit);
    EXPECT_EQ(a.clock, b.clock);
    EXPECT_EQ(a.outcome, b.outcome) << a.place << " bit " << a.bit << " clock " << a.clock;
    EXPECT_EQ(a.more_inner, b.more_inner);
    EXPECT_EQ(a.more_outer, b.more_outer);
    EXPECT_EQ(a.true_residual, b.true_residual);
}

/// The campaign's solve with a register's lowest bit turned over, and what its trial saw.
std::pair<SolveResult, sim::UpsetTrial> turned(const Request& request, const Reference& reference,
                                               const std::string& name, std::uint64_t clock, std::uint64_t word = 0) {
    const auto place = std::find_if(reference.places.begin(), reference.places.end(),
                                    [&](const sim::UpsetPlace& p) { return p.name == name; });
    if (place == reference.places.end()) throw std::runtime_error("no register " + name);
    auto trial = std::make_shared<sim::UpsetTrial>();
    trial->model = reference.model;
    trial->list = false;
    trial->upset =
        sim::Upset{reference.numbers[static_cast<std::size_t>(place - reference.places.begin())], 0, word, clock};
    trial->most_clocks = 8 * reference.last;
    sim::RtlOptions rtl;
    rtl.patience = 20000;
    rtl.trial = trial;
    return {solve(make_problem(request.problem), *sim::make_rtl_engine(rtl), request.options), *trial};
}

} // namespace

TEST(Upset, PlacesAreRegistersAndMemories) {
    const Campaign campaign = run_campaign(request_of(false, 0, Where::all, 1));
    std::set<std::string> names;
    for (const sim::UpsetPlace& place : campaign.reference.places) {
        names.insert(place.name);
        if (place.name == "i_streams.i_kept_u.kept_q") {
            EXPECT_EQ(place.bits, 31U);
        }
    }
    EXPECT_TRUE(names.contains("i_streams.i_kept_u.kept_q")); // a beat of u
    EXPECT_TRUE(names.contains("i_control.in_q"));            // the state of the sequence,
    EXPECT_FALSE(names.contains("i_control.in_next"));        // and the logic that forms the next one
    EXPECT_GT(campaign.reference.memory_bits, 0U);
}

/// A matrix of rows, on the sparse core; q has the room that this one needs.
Request of_rows(Where where, std::uint64_t flips) {
    Request request = request_of(false, 0, where, flips);
    request.problem = outline_problem("poisson3d:level=2").name;
    request.options.spec = parse_spec("fx18.16,q=fx20.16,lanes=4");
    return request;
}

struct Resumed {
    const char* name;
    Request (*request)(Where where, std::uint64_t flips);
};

class UpsetStore : public ::testing::TestWithParam<Resumed> {};

TEST_P(UpsetStore, ASeedDecidesAndAStoreResumes) {
    Request request = GetParam().request(Where::all, 30);
    const Campaign alone = run_campaign(request);
    request.threads = 2;
    request.store = testing::TempDir() + "upset_test_" + GetParam().name + ".sqlite";
    std::remove(request.store.c_str());
    request.flips = 20;
    EXPECT_EQ(run_campaign(request).stored, 0U);
    request.flips = 30;
    const Campaign resumed = run_campaign(request);
    EXPECT_EQ(resumed.stored, 20U);
    ASSERT_EQ(resumed.flips.size(), alone.flips.size());
    for (std::size_t k = 0; k < alone.flips.size(); ++k) expect_same(alone.flips[k], resumed.flips[k]);
    results::Database(request.store, results::Access::write)
        .execute("UPDATE upset SET outcome = 'none' WHERE number = 3");
    const Campaign mended = run_campaign(request);
    EXPECT_EQ(mended.stored, 29U) << "a damaged one is made again";
    expect_same(alone.flips[3], mended.flips[3]);
    {
        // What the campaign is of stands beside its upsets.
        const results::Database db(request.store, results::Access::read);
        results::Statement row(db, "SELECT problem, spec, core, scope, guarded, flips, register_bits, memory_bits, "
                                   "(SELECT SUM(bits) FROM upset_place) FROM upset_campaign");
        ASSERT_TRUE(row.step());
        EXPECT_EQ(row.text(0), request.problem);
        EXPECT_EQ(row.text(1), to_string(request.options.spec));
        EXPECT_EQ(row.text(2), GetParam().name);
        EXPECT_EQ(row.text(3), "all");
        EXPECT_EQ(row.integer(4), 0U);
        EXPECT_EQ(row.integer(5), 30U) << "of the latest command";
        EXPECT_EQ(row.integer(6), alone.reference.register_bits);
        EXPECT_EQ(row.integer(7), alone.reference.memory_bits);
        EXPECT_EQ(row.integer(8), row.integer(6) + row.integer(7)) << "each place once";
        EXPECT_FALSE(row.step());
    }
    request.seed = 2;
    const Campaign other = run_campaign(request);
    EXPECT_EQ(other.stored, 0U);
    EXPECT_NE(other.flips[0].clock, alone.flips[0].clock);
}

INSTANTIATE_TEST_SUITE_P(Cores, UpsetStore,
                         ::testing::Values(Resumed{"integer",
                                                   [](Where where, std::uint64_t flips) {
                                                       return request_of(false, 0, where, flips);
                                                   }},
                                           Resumed{"sparse", of_rows}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Upset, TheOuterLoopCorrects) {
    const Campaign campaign = run_campaign(request_of(false, 0, Where::all, 200));
    EXPECT_EQ(count(campaign, Outcome::wrong), 0U);
    EXPECT_GT(count(campaign, Outcome::masked), 100U);
    EXPECT_GT(count(campaign, Outcome::corrected), 0U);
}

/// A solve that ends by the energy of its error is judged by that, not by a tolerance that it never had.
TEST(Upset, TheEnergyOfTheErrorDecides) {
    Request request = request_of(false, 0, Where::all, 100);
    request.options.energy = 1e-3;
    const Campaign campaign = run_campaign(request);
    EXPECT_GT(campaign.reference.result.true_residual, request.options.tolerance);
    EXPECT_EQ(count(campaign, Outcome::wrong), 0U);
    EXPECT_GT(count(campaign, Outcome::masked), 50U);
}

TEST(Upset, AResidentCoreFindsWhatItsMemoriesLost) {
    const Campaign unchecked = run_campaign(request_of(true, 0, Where::memories, 100));
    const Campaign checked = run_campaign(request_of(true, 1, Where::memories, 100));
    EXPECT_GT(count(unchecked, Outcome::falsely), 0U);
    EXPECT_EQ(count(checked, Outcome::wrong), 0U);
    EXPECT_GT(count(checked, Outcome::detected), 0U);
    EXPECT_LT(count(checked, Outcome::falsely), count(unchecked, Outcome::falsely));
    for (const Flip& flip : checked.flips) EXPECT_TRUE(flip.converged) << flip.place;
}

/// Where corrections are rounded as well: no check fails without an upset.
TEST(Upset, AResidentCoreWithChecksHasTheSameBits) {
    for (const Format iterate : {kResidentIterate, Format::fixed(64, 24)}) {
        Request request = request_of(true, 1, Where::all, 1);
        request.options.outer = iterate;
        request.options.tolerance = iterate.fraction_bits < 30 ? 1e-4 : 1e-10;
        const SolveResult checked = run_campaign(request).reference.result;
        request.options.keep_solution = true;
        const SolveResult emulated = solve(make_problem(request.problem), *make_engine("emulated"), request.options);
        EXPECT_EQ(checked.inner_iterations, emulated.inner_iterations) << iterate.fraction_bits;
        EXPECT_EQ(checked.outer_iterations, emulated.outer_iterations) << iterate.fraction_bits;
        EXPECT_EQ(checked.u, emulated.u) << iterate.fraction_bits;
        EXPECT_EQ(checked.resident, emulated.resident) << iterate.fraction_bits;
    }
}

/// Registers between the memories of V and D and back: none of them makes the core say what is not so.
TEST(Upset, AResidentCoreIsNotConvergedByItsRegisters) {
    const Campaign checked = run_campaign(request_of(true, 1, Where::regs, 1000));
    EXPECT_EQ(count(checked, Outcome::wrong), 0U);
    EXPECT_EQ(count(checked, Outcome::falsely), 0U); // without checks 10 of them
    EXPECT_GT(count(checked, Outcome::detected), 60U);
}

TEST(Upset, AnIntegerCoreFindsWhatItLost) {
    const Campaign campaign = run_campaign(request_of(false, 1, Where::all, 400));
    EXPECT_EQ(count(campaign, Outcome::wrong), 0U);
    EXPECT_EQ(count(campaign, Outcome::hang), 0U);
    EXPECT_GT(count(campaign, Outcome::detected), 60U);
    EXPECT_LE(count(campaign, Outcome::corrected), 4U); // without checks 40 of them
    for (const Flip& flip : campaign.flips) EXPECT_TRUE(flip.converged) << flip.place;
}

/// Registers whose upset no word's residue shows: where a term does not fit the run ends by itself, and an edge makes 0
/// of a word, which may be 0 modulo 3.
TEST(Upset, AnIntegerCoreFindsWhatNoResidueShows) {
    Request request = request_of(false, 1, Where::regs, 1);
    request.options.keep_solution = true;
    const Reference reference = run_campaign(request).reference;
    const SolveResult alone = solve(make_problem(request.problem), *make_engine("emulated"), request.options);
    constexpr std::uint64_t kPass = 150; // clocks, and some
    for (const char* const name : {"i_update.g_lane[0].i_lane.ap_beyond", "i_update.g_lane[0].i_lane.aq_beyond",
                                   "i_update.g_lane[0].i_lane.bp_beyond", "i_rows.g_stencil.i_edges.begins_q",
                                   "i_rows.g_stencil.i_edges.g_one.flush_q"}) {
        std::uint64_t faults = 0;
        for (std::uint64_t clock = reference.last / 2; clock < reference.last / 2 + kPass; ++clock) {
            const auto [result, trial] = turned(request, reference, name, clock);
            EXPECT_TRUE(trial.faults > 0 || result.u == alone.u) << name << ", clock " << clock;
            EXPECT_EQ(result.status, Status::converged);
            faults += trial.faults;
        }
        EXPECT_GT(faults, 0U) << name;
    }
}

/// Words of other lengths and fractions, more than one lane, factors that are moved by other steps: no check fails
/// without an upset.
TEST(Upset, AnIntegerCoreWithChecksHasTheSameBits) {
    // Products that move by one, two and four bits; rounded down, to the left too.
    for (const char* spec :
         {"fx18.16", "fx16.14,r=fx18.16,p=fx17.14,u=fx25.20,operand=s20e8,lanes=2",
          "fx16.14:floor,r=fx18.16,p=fx17.14,u=fx25.20:floor,operand=s20e8", "fx16.14:floor,u=fx20.12,operand=s17e8",
          "fx18.16:floor,u=fx25.21,operand=s14e8", "fx16.12,u=fx32.26:floor,operand=s11e8"}) {
        Request request = request_of(false, 1, Where::all, 1);
        request.options.spec = parse_spec(spec);
        const SolveResult checked = run_campaign(request).reference.result;
        request.options.keep_solution = true;
        const SolveResult emulated = solve(make_problem(request.problem), *make_engine("emulated"), request.options);
        EXPECT_EQ(checked.inner_iterations, emulated.inner_iterations) << spec;
        EXPECT_EQ(checked.outer_iterations, emulated.outer_iterations) << spec;
        EXPECT_EQ(checked.u, emulated.u) << spec;
    }
}

TEST(Upset, AnIntegerCoreWithChecksMayStall) {
    Request request = request_of(false, 1, Where::all, 1);
    request.options.keep_solution = true;
    sim::RtlOptions stalling;
    stalling.extra.emplace_back("Checks", 1);
    stalling.memory.stall = 0.3;
    const Problem problem = make_problem(request.problem);
    const SolveResult checked = solve(problem, *sim::make_rtl_engine(stalling), request.options);
    const SolveResult emulated = solve(problem, *make_engine("emulated"), request.options);
    EXPECT_EQ(checked.inner_iterations, emulated.inner_iterations);
    EXPECT_EQ(checked.outer_iterations, emulated.outer_iterations);
    EXPECT_EQ(checked.u, emulated.u);
}

/// Whenever a check fails: in a solve's last clocks, while its registers are read and while V is sent. Who reads STATUS
/// after all that, sees FAULT.
TEST(Upset, AResidentCoreEndsInAFaultToTheLastClock) {
    const Request request = request_of(true, 1, Where::regs, 1);
    const Reference reference = run_campaign(request).reference;
    constexpr std::uint64_t kAfter = 12; // clocks in which STATUS is read for the last time
    for (std::uint64_t back = 400; back > kAfter; --back) {
        const auto [result, trial] = turned(request, reference, "g_checks.fault_q", reference.last - back);
        EXPECT_EQ(trial.faults, 1U) << back;
        EXPECT_EQ(result.status, Status::converged) << back;
    }
}

/// An answer of the registers that is lost, or a vector on its way out: the host resets the core, and the solve goes
/// on.
TEST(Upset, ALostAnswerEndsARun) {
    for (const auto& [request, name] : {std::pair{request_of(false, 0, Where::regs, 1), "i_regs.answer_q"},
                                        std::pair{request_of(true, 0, Where::regs, 1), "i_regs.i_words.ar_q"},
                                        std::pair{of_rows(Where::regs, 1), "i_regs.answer_q"},
                                        std::pair{of_rows(Where::regs, 1), "i_seam.shown_q"}}) {
        const Reference reference = run_campaign(request).reference;
        std::uint64_t faults = 0;
        for (std::uint64_t back = 1; back <= 250; ++back) { // registers are read
            const auto [result, trial] = turned(request, reference, name, reference.last - back);
            EXPECT_EQ(result.status, Status::converged) << name << ", " << back << " clocks in front of the end";
            EXPECT_FALSE(trial.hung);
            faults += trial.faults;
        }
        EXPECT_GT(faults, 0U) << name;
    }
}

/// Cycles alone on the cycle core.
Request of_cycles(Where where, std::uint64_t flips, int checks = 0) {
    Request request = request_of(false, checks, where, flips);
    request.options = {};
    request.options.scheme = Scheme::defect_correction;
    request.options.preconditioner = parse_cycle_spec("b2,w=10");
    return request;
}

TEST(Upset, ACycleCoreBelievesItsMemoriesAndTheHostDoesNot) {
    const Campaign campaign = run_campaign(of_cycles(Where::memories, 120));
    EXPECT_EQ(campaign.reference.core, "cycle");
    EXPECT_EQ(words_of(of_cycles(Where::memories, 1).options), "multilevel:b2,w=10");
    // D is only ever updated, as in the resident core: the core says converged of a defect that is no longer b - A U.
    EXPECT_GT(count(campaign, Outcome::falsely), 0U);
    EXPECT_EQ(count(campaign, Outcome::wrong), 0U); // the host's verdict is its own, and it loads what is left
    for (const Flip& flip : campaign.flips)
        EXPECT_TRUE(flip.outcome != Outcome::falsely || flip.converged) << flip.place;
    for (const sim::UpsetPlace& place : campaign.reference.places)
        EXPECT_EQ(place.name.find("DOT"), std::string::npos) << place.name;
}

TEST(Upset, ACycleCoreWithoutAnUpsetIsTheSame) {
    const Request request = of_cycles(Where::regs, 40);
    const Campaign campaign = run_campaign(request);
    const SolveResult& r = campaign.reference.result;
    const SolveResult emulated = solve(make_problem(request.problem), *make_engine("emulated"), [&] {
        SolveOptions o = request.options;
        o.keep_solution = true;
        o.outer = kCycleIterate;
        return o;
    }());
    EXPECT_EQ(r.u, emulated.u);
    EXPECT_EQ(r.inner_iterations, emulated.inner_iterations);
    EXPECT_EQ(r.false_ends, 0U);
    EXPECT_GT(count(campaign, Outcome::masked), 20U);
}

TEST(Upset, ASparseCoreWithoutAnUpsetIsTheSame) {
    const Request request = of_rows(Where::all, 1);
    const Reference reference = run_campaign(request).reference;
    SolveOptions options = request.options;
    options.keep_solution = true;
    const SolveResult emulated = solve(make_problem(request.problem), *make_engine("emulated"), options);
    EXPECT_EQ(reference.core, "sparse");
    EXPECT_EQ(reference.result.u, emulated.u);
    EXPECT_EQ(reference.result.inner_iterations, emulated.inner_iterations);
    EXPECT_EQ(reference.result.outer_iterations, emulated.outer_iterations);
    std::map<std::string, std::uint64_t> memory; // bits of them, as deep as the problem needs: 27 rows, four a word
    for (const sim::UpsetPlace& place : reference.places)
        if (is_memory(place)) memory[module_of(place.name)] += place.bits * place.words;
    EXPECT_EQ(memory["i_u"], 4 * 7 * 31U);
    EXPECT_EQ(memory["i_r"], 4 * 7 * 18U);
    EXPECT_EQ(memory["i_p.i_bank"], 4 * 7 * 18U);
    EXPECT_EQ(memory["i_q"], 4 * 7 * 20U);
    for (const sim::UpsetPlace& place : reference.places)
        EXPECT_TRUE(place.name.find("DOT") == std::string::npos && place.name.find('@') == std::string::npos)
            << place.name;
}

TEST(Upset, TheOuterLoopCorrectsASparseCore) {
    for (const Where where : {Where::regs, Where::memories}) {
        const Campaign campaign = run_campaign(of_rows(where, 150));
        std::uint64_t all = 0;
        for (std::size_t k = 0; k < kOutcomes; ++k) all += count(campaign, static_cast<Outcome>(k));
        EXPECT_EQ(all, 150U);
        EXPECT_EQ(count(campaign, Outcome::wrong), 0U);
        EXPECT_EQ(count(campaign, Outcome::falsely), 0U) << "the host's own residual ends a solve";
        EXPECT_GT(count(campaign, Outcome::masked), 20U);
        EXPECT_GT(count(campaign, Outcome::corrected), 0U);
        for (const sim::UpsetPlace& place : campaign.reference.places)
            EXPECT_EQ(is_memory(place), where == Where::memories) << place.name;
    }
}

/// An upset of U or D in memory is noticed wherever the word is read again, the last time on its way out.
TEST(Upset, ACycleCoreWithChecksNoticesUpsetsOfUAndD) {
    const Request request = of_cycles(Where::memories, 1, 1);
    const Reference reference = run_campaign(request).reference;
    EXPECT_EQ(reference.result.false_ends, 0U);
    for (const char* name : {"g_outer_lane[0].i_u.mem", "g_outer_lane[0].i_d.mem"})
        for (std::uint64_t part = 2; part <= 8; ++part) {
            constexpr std::uint64_t kNode = 27; // of 8 x 8, inside the grid
            const auto [result, trial] = turned(request, reference, name, part * reference.last / 10, kNode);
            EXPECT_EQ(trial.faults, 1U) << name << " " << part;
            EXPECT_EQ(trial.detected, 1U) << name << " " << part;
            EXPECT_EQ(result.false_ends, 0U) << name << " " << part;
            EXPECT_EQ(result.status, Status::converged) << name << " " << part;
        }
}

TEST(Upset, ACycleCoreWithChecksSaysNothingFalse) {
    const Campaign campaign = run_campaign(of_cycles(Where::all, 400, 1));
    EXPECT_EQ(count(campaign, Outcome::wrong), 0U);
    EXPECT_EQ(count(campaign, Outcome::falsely), 0U); // without checks 95 of them
    EXPECT_EQ(count(campaign, Outcome::hang), 0U);
    EXPECT_GT(count(campaign, Outcome::detected), 100U);
    for (const Flip& flip : campaign.flips) EXPECT_TRUE(flip.converged) << flip.place;
}

TEST(Upset, ACycleCoreWithChecksHasTheSameBits) {
    for (const char* spec : {"b2,w=10", "v11,w=12", "v12,w=10,f=16"}) {
        Request request = of_cycles(Where::all, 1, 1);
        request.options.preconditioner = parse_cycle_spec(spec);
        request.options.outer = Format::fixed(64, 54);
        const SolveResult checked = run_campaign(request).reference.result;
        request.options.keep_solution = true;
        const SolveResult emulated = solve(make_problem(request.problem), *make_engine("emulated"), request.options);
        EXPECT_EQ(checked.u, emulated.u) << spec;
        EXPECT_EQ(checked.inner_iterations, emulated.inner_iterations) << spec;
    }
}

TEST(Upset, OnlyASilentCoreHangs) {
    EXPECT_TRUE(sim::core_does_not_serve(std::runtime_error("the core does not answer a read")));
    EXPECT_FALSE(sim::core_does_not_serve(std::runtime_error("this model was built without trace")));
}

TEST(Upset, RefusesWhatHasNoSuchModel) {
    Request request = request_of(false, 1, Where::all, 1);
    request.options.spec = parse_spec("s23e8"); // of the streaming cores the integer one has checks,
    EXPECT_THROW((void)run_campaign(request), InvalidInput);
    request = request_of(false, 1, Where::all, 1);
    request.problem = outline_problem("diffusion2d:level=3").name; // for constant stencils
    EXPECT_THROW((void)run_campaign(request), InvalidInput);
    request = request_of(false, 1, Where::all, 1);
    request.checks = 0;
    request.options.scheme = Scheme::cg;
    EXPECT_THROW((void)run_campaign(request), InvalidInput);
    request = of_rows(Where::all, 1); // nor has the sparse one
    request.checks = 1;
    EXPECT_THROW((void)run_campaign(request), InvalidInput);
    request = of_rows(Where::all, 1);
    request.options.spec = parse_spec("s23e8"); // it has fixed-point words alone
    EXPECT_THROW((void)run_campaign(request), InvalidInput);
    request = of_cycles(Where::all, 1); // cycles alone
    request.options.scheme = Scheme::inexact_pcg;
    EXPECT_THROW((void)run_campaign(request), InvalidInput);
}

} // namespace mantissa::upset
