// Options in stores: files from before all of them had columns are read, resumed and completed.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "../../report/sqlite.hpp"
#include "../scratch.hpp"
#include "mantissa/host/store.hpp"
#include "report/rows.hpp"
#include "store/point_columns.hpp"

namespace {

using namespace mantissa;

Point resident_point() {
    // A problem's text may look like options.
    Point p{"mtx:a tolerance=1 headroom=9.mtx", "emulated", {}};
    p.options.spec = parse_spec("fx18.16");
    p.options.outer = parse_format("fx64.54");
    p.options.resident = true;
    p.options.headroom = -3;
    return p;
}

Point coupled_point() {
    Point p;
    p.options.couplings = parse_format("s5e8");
    p.options.scheme = Scheme::defect_correction;
    p.options.middle = {parse_format("s36e11")};
    p.options.digits = 2;
    return p;
}

void put(Store& store, const Point& point) {
    SolveResult r;
    r.status = Status::converged;
    r.inner_iterations = 17;
    store.put(point, r, 81, {"1", "c", "m", "2026-01-01T00:00:00Z", "cmd"});
}

void expect_points(const std::string& path) {
    report::Origins origins;
    const report::Rows rows = report::read_stores({path}, origins);
    ASSERT_EQ(rows.points.size(), 2u);
    const SolveOptions &first = rows.points[0].options, &second = rows.points[1].options;
    EXPECT_EQ(first.outer, parse_format("fx64.54"));
    EXPECT_TRUE(first.resident);
    EXPECT_EQ(first.headroom, -3);
    EXPECT_FALSE(first.couplings);
    EXPECT_EQ(second.couplings, parse_format("s5e8"));
    EXPECT_FALSE(second.resident || second.outer || second.headroom);
    EXPECT_EQ(second.scheme, Scheme::defect_correction);
    EXPECT_EQ(second.middle.size(), 1u);
    EXPECT_EQ(second.digits, 2);
    EXPECT_TRUE(rows.points[1].solver().starts_with("defect-correction, digits=2, middle=")) << rows.points[1].solver();
    EXPECT_NE(rows.points[0].way(), rows.points[1].way());
}

TEST(StoredOptions, FilesOfBeforeAreReadResumedAndCompleted) {
    const Scratch scratch;
    const std::string path = scratch.path("s.sqlite");
    {
        Store store(path);
        put(store, resident_point());
        put(store, coupled_point());
        store.export_json_lines(scratch.path("new.jsonl"));
    }
    expect_points(path);
    for (const options::Option* option : results::column_options(options::Column::later))
        execute(path, "ALTER TABLE points DROP COLUMN " + options::spelt(*option));
    const std::string before = scratch.read("s.sqlite");
    expect_points(path);
    EXPECT_EQ(scratch.read("s.sqlite"), before) << "who only reads changes nothing";
    {
        Store store(path);
        EXPECT_TRUE(store.contains(resident_point()) && store.contains(coupled_point()));
        EXPECT_EQ(store.find(coupled_point())->inner_iterations, 17u);
        store.export_json_lines(scratch.path("old.jsonl"));
    }
    expect_points(path);
    EXPECT_EQ(scratch.read("old.jsonl"), scratch.read("new.jsonl"));
    EXPECT_NE(
        scratch.read("new.jsonl").find("\"outer\":\"fx64.54\",\"resident\":true,\"headroom\":-3,\"couplings\":null"),
        std::string::npos)
        << scratch.read("new.jsonl");
}

/// Before a recurrence was one value it stood in three columns, and so in the keys.
TEST(StoredOptions, RecurrencesInThreeColumnsAreJoined) {
    const Scratch scratch;
    const std::string path = scratch.path("s.sqlite");
    const auto point = [](std::string_view scheme, std::optional<RecurrenceChoice> recurrence) {
        Point p{"mtx:a scheme=gmres gmres=9.mtx", "emulated", {}};
        set_scheme(p.options, scheme);
        if (recurrence) p.options.recurrence = recurrence;
        return p;
    };
    using R = RecurrenceChoice;
    const std::vector<Point> points{point("defect-correction", R::cg), point("gmres", R(R::gmres, 12)),
                                    point("bicgstab", {}), point("defect-correction", R(R::gmres, 30)),
                                    point("residual-guided", {})};
    {
        Store store(path);
        for (const Point& p : points) put(store, p);
    }
    // As files were.
    execute(path, "ALTER TABLE points ADD COLUMN inner_recurrence TEXT");
    execute(path, "ALTER TABLE points ADD COLUMN gmres INTEGER");
    const auto was = [&](const char* now, const char* before, const char* columns) {
        execute(path, "UPDATE points SET key = replace(key, '" + std::string(now) + "', '" + before + "'), " + columns +
                          " WHERE key LIKE '%" + now + "%'");
    };
    was(" scheme=defect-correction recurrence=cg inner=10 spec",
        " scheme=defect-correction inner=10 inner-recurrence=plain spec",
        "recurrence = NULL, inner_recurrence = 'plain'");
    was(" scheme=gmres recurrence=gmres(12) spec", " scheme=gmres gmres=12 spec", "recurrence = NULL, gmres = 12");
    was(" scheme=bicgstab spec", " scheme=recurrence recurrence=bicgstab spec",
        "scheme = 'recurrence', recurrence = 'bicgstab'");
    was(" scheme=defect-correction recurrence=gmres(30) inner=10 spec",
        " scheme=defect-correction inner=10 gmres=30 spec",
        "recurrence = NULL, inner_recurrence = 'pipelined', gmres = 30");
    report::Origins origins;
    const report::Rows rows = report::read_stores({path}, origins);
    ASSERT_EQ(rows.points.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(rows.points[i].scheme, scheme_name(points[i].options)) << i;
        EXPECT_EQ(iterated(rows.points[i].options), iterated(points[i].options)) << i;
        EXPECT_EQ(rows.points[i].key, point_key(points[i])) << i;
    }
    const Store store(path);
    for (const Point& p : points) EXPECT_TRUE(store.contains(p)) << point_key(p);
    EXPECT_EQ(store.size(), points.size());
}

} // namespace
