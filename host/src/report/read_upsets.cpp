#include "read_upsets.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "row_reader.hpp"
#include "store/database.hpp"

namespace mantissa::report {

namespace {

UpsetRow upset_row(const RowReader& r, Origins& origins) {
    UpsetRow u;
    u.at = r.address();
    u.key = r.text("campaign");
    findings::UpsetCampaign& c = u.campaign;
    c.problem = r.text("problem");
    c.spec = r.text("spec");
    c.core = r.text("core");
    const std::string scope = r.text("scope");
    c.where = scope == "regs" ? upset::Where::regs : scope == "memories" ? upset::Where::memories : upset::Where::all;
    if (to_string(c.where) != scope) r.fail("scope", "one of regs, memories, all");
    c.checks = r.whole("guarded") != 0;
    c.seed = r.whole("seed");
    c.asked = r.whole("flips");
    c.register_bits = r.whole("register_bits");
    c.memory_bits = r.whole("memory_bits");
    const Provenance from = r.provenance();
    c.command = from.command;
    u.origin = origins.add("upsets of Verilated cores", from);
    return u;
}

/// A register or memory of a campaign.
struct Place {
    bool memory = false;
    std::uint64_t bits = 0;
};

/// A campaign with its places, while its upsets are counted.
struct Counted {
    UpsetRow row;
    std::map<std::string, Place> places;
    std::map<std::pair<std::string, bool>, findings::UpsetModule> modules;

    findings::UpsetModule& module(const std::string& place) {
        const bool memory = places[place].memory;
        findings::UpsetModule& m = modules[{upset::module_of(place), memory}];
        m.memory = memory;
        return m;
    }
};

} // namespace

void read_upsets(const results::Database& db, std::size_t store, Origins& origins, UpsetRows& upsets) {
    const auto each = [&](const char* table, const auto& take) {
        if (!db.has_table(table)) return;
        for (RowReader reader(db, store, table); reader.next();) take(reader);
    };
    std::vector<Counted> list;
    std::map<std::string, std::size_t> at;
    const auto campaign = [&](const RowReader& r) -> Counted* {
        const auto it = at.find(r.text("campaign"));
        return it == at.end() ? nullptr : &list[it->second];
    };
    each("upset_campaign", [&](const RowReader& r) {
        list.push_back({upset_row(r, origins), {}, {}});
        at.emplace(list.back().row.key, list.size() - 1);
    });
    each("upset_place", [&](const RowReader& r) {
        Counted* c = campaign(r);
        if (c == nullptr) return;
        const std::string place = r.text("place");
        c->places[place] = {r.whole("memory") != 0, r.whole("bits")};
        c->module(place).bits += r.whole("bits");
    });
    each("upset", [&](const RowReader& r) {
        Counted* c = campaign(r);
        if (c == nullptr) {
            ++upsets.undescribed;
            return;
        }
        const std::uint64_t outcome = r.whole("outcome");
        if (outcome >= upset::kOutcomes) r.fail("outcome", "outcome of an upset");
        ++c->row.campaign.outcomes.at(outcome);
        ++c->module(r.text("place")).outcomes.at(outcome);
        if (r.whole("converged") == 0) return;
        ++c->row.campaign.converged;
        c->row.campaign.more_outer += r.integer("more_outer");
    });
    for (Counted& c : list) {
        for (auto& [key, module] : c.modules) {
            module.name = key.first;
            c.row.campaign.modules.push_back(std::move(module));
        }
        upsets.campaigns.push_back(std::move(c.row));
    }
}

void settle_upsets(UpsetRows& upsets) {
    std::vector<UpsetRow> kept;
    for (UpsetRow& row : upsets.campaigns) {
        const auto same = std::ranges::find_if(kept, [&](const UpsetRow& k) { return k.key == row.key; });
        if (same == kept.end()) kept.push_back(std::move(row));
        else if (row.campaign.upsets() > same->campaign.upsets()) *same = std::move(row);
    }
    upsets.campaigns = std::move(kept);
}

} // namespace mantissa::report
