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
    EXPECT_EQ(rows.points[1].stop(), "digits=2");
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

} // namespace
