// Sparse cores of a comparison beside GPU and published times.
#include <cmath>

#include "report/comparison.hpp"
#include "report/numbers.hpp"

namespace mantissa::report {

namespace {

/// A figure in another unit.
Cell scaled(const Node& row, const char* name, double scale) {
    Cell cell = row.figure(name);
    if (const auto value = row.number(name)) cell.text = significant(*value * scale, 3);
    return cell;
}

} // namespace

Table sparse_table(const DocumentRow& document, const DocumentOrigins& origins) {
    Table t;
    t.id = "sparse-" + std::to_string(document.number);
    t.caption = "Sparse cores beside a GPU and published times";
    t.note = "Ours are modelled from simulated clocks of a pass. GB/s are of the matrix's stream; operations, two an "
             "entry and "
             "twelve a row; watts, the greatest power. Published solvers and the GPU's compute in other words: compare "
             "times of whole solves where both are given.";
    t.columns = {text_column("problem", "Problem"),
                 text_column("what", "What"),
                 text_column("device", "Device"),
                 text_column("kind", "Kind"),
                 number_column("channels", "Channels"),
                 text_column("bound", "Bound by"),
                 number_column("clocks", "Cycles an iter."),
                 number_column("pass", "An iter.", "µs"),
                 number_column("bandwidth", "GB/s"),
                 number_column("operations", "Gop/s"),
                 number_column("watts", "W"),
                 number_column("per_watt", "Gop/s a W"),
                 number_column("area_share", "Of device", "%"),
                 number_column("iterations", "Iterations"),
                 number_column("seconds", "Time")};
    t.row_header = false;
    for (const Node& r : nodes(document, "sparse"))
        t.rows.push_back(
            {{words(r.text("problem")), words(r.text("label")),
              words(r.text("device").empty() ? "" : device_name(document, r.text("device"))), words(r.text("kind")),
              r.figure("channels"), words(r.text("bound")), r.figure("cycles_per_iteration", 5),
              scaled(r, "seconds_per_iteration", 1e6), scaled(r, "bytes_per_second", 1e-9),
              scaled(r, "operations_per_second", 1e-9), r.figure("watts"), scaled(r, "operations_per_joule", 1e-9),
              scaled(r, "area_share", 100), r.figure("iterations"), seconds_cell(r, "seconds")},
             origins.of(r.object())});
    t.folded = t.rows.size() > 40;
    return t;
}

} // namespace mantissa::report
