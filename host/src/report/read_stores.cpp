#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "options/values.hpp"
#include "options/written.hpp"
#include "read_upsets.hpp"
#include "row_reader.hpp"
#include "rows.hpp"
#include "store/contents.hpp"
#include "store/database.hpp"
#include "store/point_columns.hpp"
#include "store/result_json.hpp"

namespace mantissa::report {

std::string RowAddress::column(const std::string& name) const {
    return fmt::format("s{}/{}/{}/{}", store, table, row, name);
}

std::string DocumentRow::address(const std::string& path) const {
    return fmt::format("s{}/{}/{}/{}", at.store, at.table, at.row, path);
}

std::string PointRow::solver() const {
    return options::solver_text(options, results::in_use);
}

std::string PointRow::goal() const {
    return options.energy ? options::stop_text(options) : fmt::format("a relative defect of {}", options.tolerance);
}

std::string PointRow::stop() const {
    return options::ends_text(options);
}

bool PointRow::gives_count() const {
    return mantissa::gives_count(options.scheme, results::parse_status(status), true_residual.value_or(NAN),
                                 options.tolerance);
}

std::string PointRow::way() const {
    SolveOptions same = options;
    same.max_iterations = 0;
    same.spec = SolveOptions{}.spec;
    return options::key_text(same);
}

std::string PointRow::setting() const {
    return fmt::format("{}|{}|{}|{}", problem, spec, options.max_iterations, way());
}

namespace {

PointRow point_row(const RowReader& r, Origins& origins) {
    PointRow p;
    p.at = r.address();
    p.key = r.text("key");
    p.problem = r.text("problem");
    p.files = r.text(results::kContentColumn);
    p.engine = r.text("engine");
    p.options = results::options_of_row(r);
    p.scheme = scheme_name(p.options);
    p.spec = r.text("spec");
    p.status = r.text("status");
    try {
        (void)results::parse_status(p.status);
    } catch (const InvalidInput&) {
        r.fail("status", "end of a solve");
    }
    p.detail = r.text("detail");
    p.unknowns = r.whole("unknowns");
    p.inner_iterations = r.whole("inner_iterations");
    p.outer_iterations = r.whole("outer_iterations");
    p.sigma_guards = r.whole("sigma_guards");
    p.true_residual = r.maybe_real("true_residual");
    p.error = r.maybe_real("error");
    p.cycles = r.maybe_whole("cycles");
    p.seconds = r.real("seconds");
    try {
        p.history = results::history_from_json(r.text("history"));
    } catch (const Json::exception&) {
        r.fail("history", "list of steps");
    }
    p.date = r.text("date");
    p.origin = origins.add(fmt::format("solves on the {} engine", p.engine), r.provenance());
    return p;
}

DenseRow dense_row(const RowReader& r, Origins& origins) {
    DenseRow d;
    d.at = r.address();
    d.key = r.text("key");
    d.problem = r.text("problem");
    d.files = r.text(results::kContentColumn);
    d.unknowns = r.whole("unknowns");
    d.engine = r.text("engine");
    d.spec = r.text("spec");
    d.refinement = r.text("refinement");
    d.scaled = r.whole("scaled") != 0;
    d.status = r.text("status");
    d.factors = r.text("factors");
    try {
        (void)results::parse_dense_status(d.status);
        (void)results::parse_lu_end(d.factors);
    } catch (const InvalidInput&) {
        r.fail("status", "end of a dense solve");
    }
    d.steps = r.whole("steps");
    d.krylov_steps = r.whole("krylov_steps");
    d.backward_error = r.maybe_real("backward_error");
    d.forward_error = r.maybe_real("forward_error");
    d.factor_error = r.maybe_real("factor_error");
    d.growth = r.maybe_real("growth");
    d.condition = r.maybe_real("condition");
    d.factor_seconds = r.real("factor_seconds");
    d.refine_seconds = r.real("refine_seconds");
    d.date = r.text("date");
    d.origin = origins.add(fmt::format("dense solves on the {} engine", d.engine), r.provenance());
    return d;
}

/// What rows of synthesis and of place and route have in common: the netlist that they are of.
template <class Row> Row netlist_row(const RowReader& r) {
    Row row;
    row.at = r.address();
    row.spec = r.text("spec");
    row.target = r.text("target");
    row.multiplier = r.text("multiplier");
    row.part = r.text("part");
    // (a store of an older program has streamed bands only, and no such column)
    if (r.has("bands") && r.text("bands") == "constant") row.part += " with a constant stencil";
    row.tool = r.text("tool");
    row.sources = r.text("sources");
    return row;
}

SynthesisRow synthesis_row(const RowReader& r, Origins& origins) {
    auto s = netlist_row<SynthesisRow>(r);
    synthesis::SynthesisFigures& f = s.figures;
    for (const synthesis::NetlistCount& count : synthesis::kNetlistCounts) f.*count.member = r.whole(count.name);
    if (r.has("model_mhz")) {
        s.model_mhz = r.maybe_real("model_mhz");
        s.model_path = r.text("model_path");
    }
    s.date = r.text("date");
    s.origin = origins.add("synthesis with " + s.tool, r.provenance());
    return s;
}

PlacementRow placement_row(const RowReader& r, Origins& origins) {
    auto p = netlist_row<PlacementRow>(r);
    p.placer = r.text("placer");
    p.critical = r.text("critical");
    p.seed = static_cast<int>(r.whole("seed"));
    p.mhz = r.real("mhz");
    p.origin = origins.add("place and route with " + p.placer, r.provenance());
    return p;
}

DocumentRow document_row(const RowReader& r, const std::string& path, Origins& origins) {
    DocumentRow d;
    d.at = r.address();
    d.name = r.text("name");
    d.provenance = r.provenance();
    d.document = Json::parse(r.text("document"), nullptr, false);
    if (!d.document.is_object())
        throw InvalidInput(fmt::format("{}: the {} '{}' is no JSON object; make it again", path, d.at.table, d.name));
    const bool measured = d.at.table == "measurement";
    if (!measured) d.comparison = comparison::document_from_json(d.document);
    d.origin = origins.add(fmt::format("{} {}", measured ? "imported measurements" : "comparison", d.name),
                           d.provenance, measured ? "measured" : "modelled");
    return d;
}

/// Of rows with equal keys the one with the latest date stays, in its place.
template <class Row, class Key> void keep_latest(std::vector<Row>& rows, const Key& key_of) {
    std::map<std::string, std::size_t> first;
    std::vector<Row> kept;
    for (Row& row : rows) {
        const auto [it, fresh] = first.emplace(key_of(row), kept.size());
        if (fresh) kept.push_back(std::move(row));
        else if (row.date > kept[it->second].date) kept[it->second] = std::move(row);
    }
    rows = std::move(kept);
}

TunedRow tuned_row(const RowReader& r, Origins& origins) {
    TunedRow t;
    t.at = r.address();
    t.problem = r.text("problem");
    t.device = r.text("device");
    t.goal = r.text("goal");
    t.design = r.text("design");
    t.headroom = r.text("headroom");
    t.lanes = r.whole("lanes");
    t.cores = r.whole("cores");
    t.iterations = r.whole("iterations");
    t.inner = r.maybe_whole("inner");
    t.area_share = r.real("area_share");
    t.seconds = r.real("seconds");
    t.clock_mhz = r.real("clock_mhz");
    t.netlist = r.whole("netlist") != 0;
    t.front = r.whole("on_front") != 0;
    t.winner = r.whole("winner") != 0;
    const Provenance from = r.provenance();
    t.date = from.date;
    t.origin = origins.add("answer of mantissa tune", from);
    return t;
}

/// Of answers to the same question in several files the latest.
void settle_tuned(std::vector<TunedRow>& rows) {
    std::map<std::string, std::string> latest;
    for (const TunedRow& r : rows) latest[r.answer()] = std::max(latest[r.answer()], r.date);
    std::erase_if(rows, [&](const TunedRow& r) { return r.date != latest[r.answer()]; });
}

void add_document(std::vector<DocumentRow>& into, DocumentRow row) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const DocumentRow& d) { return d.name == row.name; });
    if (same == into.end()) into.push_back(std::move(row));
    else if (row.provenance.date > same->provenance.date) *same = std::move(row);
}

void read_tables(const results::Database& db, std::size_t i, Origins& origins, Rows& rows) {
    const auto each = [&](const char* table, const auto& take) {
        if (!db.has_table(table)) return;
        std::size_t damaged = 0;
        std::string first;
        for (RowReader reader(db, i, table); reader.next();) try {
                take(reader);
            } catch (const results::DamagedRow& fault) {
                if (++damaged == 1) first = fault.what();
            }
        if (damaged == 1) rows.notes.push_back(first + "; it is left out here");
        if (damaged > 1)
            rows.notes.push_back(fmt::format("{}; it and {} more of this table are left out here", first, damaged - 1));
    };
    each("points", [&](const RowReader& r) { rows.points.push_back(point_row(r, origins)); });
    each("dense", [&](const RowReader& r) { rows.dense.push_back(dense_row(r, origins)); });
    // Results from before clocks were modelled are in a table of another name.
    for (const char* table : {"synthesis", "netlist"})
        each(table, [&](const RowReader& r) { rows.synthesis.push_back(synthesis_row(r, origins)); });
    each("placement", [&](const RowReader& r) { rows.placements.push_back(placement_row(r, origins)); });
    each("tuned", [&](const RowReader& r) { rows.tuned.push_back(tuned_row(r, origins)); });
    read_upsets(db, i, origins, rows.upsets);
    each("measurement",
         [&](const RowReader& r) { add_document(rows.measurements, document_row(r, db.path(), origins)); });
    each("comparison",
         [&](const RowReader& r) { add_document(rows.comparisons, document_row(r, db.path(), origins)); });
}

} // namespace

Rows read_stores(const std::vector<std::string>& paths, Origins& origins) {
    Rows rows;
    rows.stores = paths;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::string& path = paths[i];
        const results::Database db(path, results::Access::read, true);
        if (db.has_table("points")) db.update_copy([&] { results::settle_points(db); });
        read_tables(db, i, origins, rows);
    }
    keep_latest(rows.points, [](const PointRow& p) { return p.key; });
    keep_latest(rows.dense, [](const DenseRow& d) { return d.key; });
    results::ContentsByProblem contents;
    for (const PointRow& p : rows.points) contents[p.problem].insert(p.files);
    for (const DenseRow& d : rows.dense) contents[d.problem].insert(d.files);
    for (std::string& line : results::mixed_contents(contents)) rows.notes.push_back(std::move(line));
    settle_upsets(rows.upsets);
    settle_tuned(rows.tuned);
    keep_latest(rows.synthesis, [](const SynthesisRow& s) {
        return fmt::format("{}|{}|{}|{}", s.spec, s.target, s.multiplier, s.part);
    });
    for (auto* list : {&rows.measurements, &rows.comparisons}) {
        std::stable_sort(list->begin(), list->end(), [](const DocumentRow& a, const DocumentRow& b) {
            return a.provenance.date > b.provenance.date;
        });
        for (std::size_t i = 0; i < list->size(); ++i) (*list)[i].number = static_cast<int>(i) + 1;
    }
    return rows;
}

} // namespace mantissa::report
