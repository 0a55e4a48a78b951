#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "findings/upsets.hpp"
#include "report/numbers.hpp"
#include "sections.hpp"
#include "text/counted.hpp"

namespace mantissa::report {

namespace {

using findings::UpsetCampaign;
using findings::UpsetModule;
using upset::Outcome;

/// The outcomes from the harmless to the worst, as a page names them, with their styles.
struct Shown {
    const char *name, *title;
    int style;
    Outcome outcome;
};
constexpr Shown kShown[] = {
    {"masked", "Masked", 6, Outcome::masked},
    {"corrected", "Corrected", 5, Outcome::corrected},
    {"detected", "Detected", 2, Outcome::detected},
    {"falsely", "Falsely", 1, Outcome::falsely},
    {"not converged", "Not converged", 4, Outcome::not_converged},
    {"hang", "Hang", 3, Outcome::hang},
    {"wrong", "Wrong", 7, Outcome::wrong},
};
static_assert(std::size(kShown) == upset::kOutcomes);

constexpr std::size_t kOpenRows = 30; ///< of the modules; more stand behind a line to click

Cell percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return none();
    const double value = 100 * static_cast<double>(part) / static_cast<double>(whole);
    return {fixed(value, 2), value, {}, false, false};
}

/// What tells a campaign from the others of the page, but for its datapath.
std::vector<std::string> names_of(const std::vector<UpsetRow>& campaigns) {
    std::set<std::string> problems;
    std::set<std::uint64_t> seeds;
    for (const UpsetRow& row : campaigns) {
        problems.insert(row.campaign.problem);
        seeds.insert(row.campaign.seed);
    }
    std::vector<std::string> names;
    for (const UpsetRow& row : campaigns) {
        std::string name = what_of(row.campaign);
        if (seeds.size() > 1) name += fmt::format(", seed {}", row.campaign.seed);
        if (problems.size() > 1) name += ", " + row.campaign.problem;
        names.push_back(std::move(name));
    }
    return names;
}

/// The outcomes that occurred.
std::vector<Shown> occurred(const std::vector<UpsetRow>& campaigns) {
    std::vector<Shown> list;
    for (const Shown& s : kShown)
        if (std::ranges::any_of(campaigns,
                                [&](const UpsetRow& row) { return count_of(row.campaign.outcomes, s.outcome) > 0; }))
            list.push_back(s);
    return list;
}

Figure outcomes_figure(const std::vector<UpsetRow>& campaigns, const std::vector<std::string>& names) {
    Figure f;
    f.id = "upsets";
    f.title = "What became of the solves";
    f.text =
        "Each bar is a campaign. Masked: the same bits as without an upset. Corrected: bits differed, and the outer "
        "loop converged. Detected: the core reported a fault and ended the run. Falsely: the core reported "
        "convergence, and the residual that the host formed did not agree. Wrong: the solve was called converged, and "
        "its true residual is above the tolerance.";
    f.label = "Bar chart: shares of the outcomes of each campaign. The table below holds its figures.";
    const std::vector<Shown> shown = occurred(campaigns);
    Table& t = f.table;
    t.id = f.id;
    t.caption = "Outcomes of the upsets";
    t.note =
        "Outcomes without a column did not occur. Outer steps: over all solves that converged, more than they take "
        "without an upset.";
    std::string line = "{Datapath=spec}{Core=what}{=number}{Upsets:>}";
    for (const Shown& s : shown) line += fmt::format("{{{}={}:>}}", s.title, s.name);
    t.columns =
        columns(line + "{Not masked [%]=unmasked:>}{Of those detected [%]=detected_share:>}{Outer steps=steps:>}");
    for (std::size_t i = 0; i < campaigns.size(); ++i) {
        const UpsetCampaign& c = campaigns[i].campaign;
        TableRow r{{spec(c.spec, campaigns[i].at.column("spec")), words(names[i]),
                    words(grouped(c.upsets()) + (c.upsets() == 1 ? " upset" : " upsets")), count(c.upsets())},
                   {campaigns[i].origin}};
        for (const Shown& s : shown) r.cells.push_back(count(count_of(c.outcomes, s.outcome)));
        const std::uint64_t bare = upset::unmasked(c.outcomes);
        r.cells.push_back(percent(bare, c.upsets()));
        r.cells.push_back(percent(count_of(c.outcomes, Outcome::detected), bare));
        r.cells.push_back({fmt::format("{}", c.more_outer), c.more_outer, {}, false, false});
        t.rows.push_back(std::move(r));
    }
    if (shown.empty()) return f; // nothing is stored yet
    ShareChart chart;
    chart.name = "spec";
    chart.number = "number";
    chart.text = "what";
    chart.title = "share of the upsets";
    for (const Shown& s : shown) chart.list.push_back({s.name, s.style});
    f.vega = vega_of(chart, t);
    for (const int width : {620, 340}) {
        chart.width = width;
        f.narrower.push_back(vega_of(chart, t));
    }
    return f;
}

/// What the campaigns are of.
Table campaigns_table(const std::vector<UpsetRow>& campaigns, const std::vector<std::string>& names) {
    Table t{"upset-campaigns", "The campaigns",
            columns("{Datapath=spec}{Core=what}{Problem}{Seed:>}{Upsets asked=asked:>}{Converged:>}"
                    "{Registers [bits]:>}{Memories [bits]:>}"),
            "Bits: of the whole core."};
    t.folded = true;
    for (std::size_t i = 0; i < campaigns.size(); ++i) {
        const UpsetCampaign& c = campaigns[i].campaign;
        const RowAddress& at = campaigns[i].at;
        t.rows.push_back(
            {{spec(c.spec, at.column("spec")), words(names[i]), words(c.problem), count(c.seed, at.column("seed")),
              count(c.asked, at.column("flips")), count(c.converged),
              count(c.register_bits, at.column("register_bits")), count(c.memory_bits, at.column("memory_bits"))},
             {campaigns[i].origin}});
    }
    return t;
}

/// Where the upsets were that were not masked.
Table modules_table(const std::vector<UpsetRow>& campaigns, const std::vector<std::string>& names) {
    Table t;
    t.id = "upset-modules";
    t.caption = "Where the upsets were that were not masked";
    t.note =
        "Modules of which an upset was not masked, those with the most first. Share: of all upsets of the campaign "
        "that were not masked. Not covered: falsely, not converged, hang and wrong.";
    std::string line = "{Module}{Bits of=kind}{Datapath=spec}{Core=what}{Bits:>}{Upsets:>}{Not masked=unmasked:>}"
                       "{Share [%]:>}";
    for (const Shown& s : kShown)
        if (s.outcome == Outcome::corrected || s.outcome == Outcome::detected)
            line += fmt::format("{{{}={}:>}}", s.title, s.name);
    t.columns = columns(line + "{Not covered=uncovered:>}");
    for (std::size_t i = 0; i < campaigns.size(); ++i) {
        const UpsetCampaign& c = campaigns[i].campaign;
        std::vector<const UpsetModule*> modules;
        for (const UpsetModule& m : c.modules)
            if (upset::unmasked(m.outcomes) > 0) modules.push_back(&m);
        std::ranges::stable_sort(modules, std::greater{},
                                 [](const UpsetModule* m) { return upset::unmasked(m->outcomes); });
        for (const UpsetModule* m : modules)
            t.rows.push_back(
                {{code(m->name), words(m->memory ? "memories" : "registers"), spec(c.spec), words(names[i]),
                  count(m->bits), count(upset::all_of(m->outcomes)), count(upset::unmasked(m->outcomes)),
                  percent(upset::unmasked(m->outcomes), upset::unmasked(c.outcomes)),
                  count(count_of(m->outcomes, Outcome::corrected)), count(count_of(m->outcomes, Outcome::detected)),
                  count(upset::uncovered(m->outcomes))},
                 {campaigns[i].origin}});
    }
    t.folded = t.rows.size() > kOpenRows;
    return t;
}

} // namespace

std::vector<UpsetCampaign> upset_campaigns(const Rows& rows) {
    std::vector<UpsetCampaign> campaigns;
    for (const UpsetRow& row : rows.upsets.campaigns) campaigns.push_back(row.campaign);
    return campaigns;
}

std::optional<Section> upsets_section(const Rows& rows) {
    if (rows.upsets.empty()) return std::nullopt;
    Section section{"upsets", "Upsets", {}};
    const std::vector<UpsetRow>& campaigns = rows.upsets.campaigns;
    if (!campaigns.empty()) {
        section.blocks.emplace_back(
            Text{"Each upset is a whole solve on a Verilated core in which one bit of a register "
                 "or memory turns over at one clock; bit and clock are drawn at random."});
        const std::vector<std::string> names = names_of(campaigns);
        section.blocks.emplace_back(outcomes_figure(campaigns, names));
        if (Table modules = modules_table(campaigns, names); !modules.rows.empty())
            section.blocks.emplace_back(std::move(modules));
        section.blocks.emplace_back(campaigns_table(campaigns, names));
    }
    for (const findings::NextStep& step : findings::upset_steps(upset_campaigns(rows)))
        section.blocks.emplace_back(Gap{step.why, step.command});
    if (rows.upsets.undescribed > 0)
        section.blocks.emplace_back(
            Gap{fmt::format("{} here without what they are of, as an older program stored them",
                            text::counted(rows.upsets.undescribed, "upset")),
                "mantissa upset, with the same options and --store: what is stored is not solved again"});
    return section;
}

} // namespace mantissa::report
