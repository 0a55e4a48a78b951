// Dense solves in the store.
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "result_json.hpp"
#include "store_database.hpp"
#include "text/json_text.hpp"

namespace mantissa {

using results::Json;
using results::Statement;

namespace {

constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS dense (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  problem TEXT NOT NULL,
  unknowns INTEGER NOT NULL,
  engine TEXT NOT NULL,
  spec TEXT NOT NULL,
  refinement TEXT NOT NULL,
  max_steps INTEGER NOT NULL,
  krylov INTEGER NOT NULL,
  krylov_tolerance REAL NOT NULL,
  scaled INTEGER NOT NULL,
  status TEXT NOT NULL,
  factors TEXT NOT NULL,
  at INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  krylov_steps INTEGER NOT NULL,
  backward_error REAL,
  forward_error REAL,
  hpl_residual REAL,
  factor_error REAL,
  growth REAL,
  condition REAL,
  exchanges INTEGER NOT NULL,
  factor_seconds REAL NOT NULL,
  refine_seconds REAL NOT NULL,
  history TEXT,
  version TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  machine TEXT NOT NULL,
  date TEXT NOT NULL,
  command TEXT NOT NULL,
  files TEXT
);
)sql";

} // namespace

namespace results {

Json dense_history_to_json(const std::vector<DenseStep>& history) {
    Json list = Json::array();
    for (const DenseStep& s : history) list.push_back(Json::array({s.krylov_steps, number(s.residual)}));
    return list;
}

std::vector<DenseStep> dense_history_from_json(std::string_view text) {
    std::vector<DenseStep> history;
    if (text.empty()) return history;
    for (const Json& item : Json::parse(text))
        history.push_back({item.at(0).get<std::uint32_t>(),
                           item.at(1).is_null() ? std::numeric_limits<double>::quiet_NaN() : item.at(1).get<double>()});
    return history;
}

DenseStatus parse_dense_status(std::string_view text) {
    for (const DenseStatus s :
         {DenseStatus::converged, DenseStatus::stagnated, DenseStatus::step_limit, DenseStatus::failed})
        if (to_string(s) == text) return s;
    throw InvalidInput(fmt::format("status '{}' is none of this program's", text));
}

LuEnd parse_lu_end(std::string_view text) {
    for (const LuEnd e : {LuEnd::factored, LuEnd::singular, LuEnd::not_finite, LuEnd::overflow})
        if (to_string(e) == text) return e;
    throw InvalidInput(fmt::format("factors '{}' are none of this program's", text));
}

} // namespace results

bool Store::contains(const DensePoint& point) const {
    return find(point).has_value();
}

std::optional<DenseResult> Store::find(const DensePoint& point) const {
    const std::lock_guard lock(db_->mutex);
    if (!db_->has_table("dense")) return std::nullopt;
    const auto read = [](const results::RowReader& row) {
        const auto real = [&row](const char* name) {
            return row.maybe_real(name).value_or(std::numeric_limits<double>::quiet_NaN());
        };
        const auto steps = [&row](const char* name) { return static_cast<std::uint32_t>(row.whole(name)); };
        (void)row.whole("unknowns");
        DenseResult r;
        r.status = results::parse_dense_status(row.text("status"));
        r.end = results::parse_lu_end(row.text("factors"));
        r.at = row.whole("at");
        r.steps = steps("steps");
        r.krylov_steps = steps("krylov_steps");
        r.backward_error = real("backward_error");
        r.forward_error = real("forward_error");
        r.hpl_residual = real("hpl_residual");
        r.factor_error = real("factor_error");
        r.growth = real("growth");
        r.condition = real("condition");
        r.exchanges = row.whole("exchanges");
        r.factor_seconds = row.real("factor_seconds");
        r.refine_seconds = row.real("refine_seconds");
        r.history = results::dense_history_from_json(row.text("history"));
        return r;
    };
    return db_->find("dense", point_key(point), dense_problem_files(point.problem), read);
}

void Store::put(const DensePoint& point, const DenseResult& r, std::size_t unknowns, const Provenance& provenance) {
    const DenseOptions& o = point.options;
    const std::lock_guard lock(db_->mutex);
    db_->execute(kSchema);
    Statement insert = db_->prepare(
        "INSERT OR REPLACE INTO dense (key, problem, unknowns, engine, spec, refinement, max_steps, krylov, "
        "krylov_tolerance, scaled, status, factors, at, steps, krylov_steps, backward_error, forward_error, "
        "hpl_residual, factor_error, growth, condition, exchanges, factor_seconds, refine_seconds, history, version, "
        "commit_id, machine, date, command, files) VALUES "
        "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    insert.bind_all(point_key(point), point.problem, std::uint64_t{unknowns}, point.engine, to_string(o.spec),
                    to_string(o.refinement), std::uint64_t{o.max_steps}, std::uint64_t{o.krylov}, o.krylov_tolerance,
                    o.scale, to_string(r.status), to_string(r.end), std::uint64_t{r.at}, std::uint64_t{r.steps},
                    std::uint64_t{r.krylov_steps});
    for (const double x : {r.backward_error, r.forward_error, r.hpl_residual, r.factor_error, r.growth, r.condition}) {
        if (r.end == LuEnd::factored && std::isfinite(x)) insert.bind(x);
        else insert.bind_null();
    }
    insert.bind_all(r.exchanges, r.factor_seconds, r.refine_seconds);
    if (r.history.empty()) insert.bind_null();
    else insert.bind(json_text(results::dense_history_to_json(r.history), -1));
    insert.bind_provenance(provenance).bind_content(db_->contents.of(dense_problem_files(point.problem))).step();
}

} // namespace mantissa
