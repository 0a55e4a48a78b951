#include "paper_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "text/key_values.hpp"

namespace mantissa::report {

namespace {

/// A comma-separated file: rows of fields with their line numbers; `#` lines and the header skipped.
struct Row {
    std::size_t line = 0;
    std::vector<std::string> fields;
};

std::vector<Row> read_rows(const std::string& path, std::string_view header) {
    const base::FileText file = base::read_file(path);
    std::string_view rest = file.view();
    std::vector<Row> rows;
    bool header_seen = false;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.front() == '#') continue;
        if (!header_seen) {
            if (line != header) throw InvalidInput(fmt::format("{}:{}: the header must be {}", path, number, header));
            header_seen = true;
            continue;
        }
        Row row{number, {}};
        for (;;) {
            const auto comma = line.find(',');
            row.fields.emplace_back(line.substr(0, comma));
            if (comma == std::string_view::npos) break;
            line.remove_prefix(comma + 1);
        }
        const auto expected = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1;
        if (row.fields.size() != expected)
            throw InvalidInput(fmt::format("{}:{}: {} fields, {} expected", path, number, row.fields.size(), expected));
        rows.push_back(std::move(row));
    }
    return rows;
}

template <class T> std::optional<T> field(const std::string& path, const Row& row, std::size_t index) {
    const std::string& text = row.fields[index];
    if (text.empty()) return std::nullopt;
    T value{};
    if (!text::read_number(text, value))
        throw InvalidInput(fmt::format("{}:{}: '{}' is no number", path, row.line, text.substr(0, 40)));
    return value;
}

std::vector<PaperCell> read_errors(const std::string& path) {
    // The columns are solvers: direct double CG; pipelined CG with s20e8 inside; plain CG with s17e8 inside. The paper
    // does not say how long the inner solves ran.
    struct Column {
        const char *scheme, *format, *stop;
    };
    static constexpr Column kColumns[] = {{"direct", "double", ""},
                                          {"defect_correction", "s20e8", "digits2"},
                                          {"defect_correction_plain", "s17e8", "digits2"}};
    std::vector<PaperCell> cells;
    for (const Row& row : read_rows(path, "level,unknowns,double,s20e8,s17e8"))
        for (std::size_t c = 0; c < std::size(kColumns); ++c) {
            PaperCell cell;
            cell.table = 1;
            cell.scheme = kColumns[c].scheme;
            cell.inner_format = kColumns[c].format;
            cell.inner_stop = kColumns[c].stop;
            cell.level = field<int>(path, row, 0).value_or(0);
            const bool divergent = row.fields[2 + c] == "divergent";
            cell.status = divergent ? "divergent" : "ok";
            if (!divergent) cell.error = field<double>(path, row, 2 + c);
            cells.push_back(std::move(cell));
        }
    return cells;
}

std::vector<PaperCell> read_iterations(int table, const std::string& path) {
    std::vector<PaperCell> cells;
    for (const Row& row : read_rows(path, "table,scheme,inner_format,inner_stop,level,status,inner_iterations,"
                                          "outer_iterations")) {
        if (field<int>(path, row, 0) != table) continue;
        PaperCell cell;
        cell.table = table;
        cell.scheme = row.fields[1];
        cell.inner_format = row.fields[2];
        cell.inner_stop = row.fields[3];
        cell.level = field<int>(path, row, 4).value_or(0);
        cell.status = row.fields[5];
        cell.inner_iterations = field<std::uint64_t>(path, row, 6);
        cell.outer_iterations = field<std::uint64_t>(path, row, 7);
        cells.push_back(std::move(cell));
    }
    return cells;
}

} // namespace

std::string paper_folder(const std::string& given) {
    if (!given.empty()) return given;
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        const auto installed = program.parent_path().parent_path() / "share" / "mantissa" / "paper";
        if (std::filesystem::is_directory(installed, error)) return installed.string();
    }
    return std::string(MANTISSA_SOURCE_DATA) + "/paper";
}

std::vector<PaperCell> read_paper_table(int table, const std::string& folder) {
    return table == 1 ? read_errors(folder + "/table1_errors.csv")
                      : read_iterations(table, folder + "/tables2to4_iterations.csv");
}

Point cell_point(const PaperCell& cell) {
    Point point;
    point.problem = fmt::format("poisson2d:level={}", cell.level);
    SolveOptions& o = point.options;
    o.spec = DatapathSpec(mantissa::parse_format(cell.inner_format));
    if (cell.scheme == "direct") {
        o.scheme = Scheme::cg;
    } else if (cell.scheme == "residual_guided") {
        o.scheme = Scheme::residual_guided;
    } else if (cell.scheme == "defect_correction" || cell.scheme == "defect_correction_plain") {
        o.scheme = Scheme::defect_correction;
        if (cell.scheme == "defect_correction_plain") o.recurrence = RecurrenceChoice::cg;
    } else {
        throw InvalidInput(fmt::format("paper tables: scheme '{}' is none of direct, defect_correction and "
                                       "residual_guided",
                                       cell.scheme.substr(0, 40)));
    }
    const std::string_view stop = cell.inner_stop;
    const bool good = stop.starts_with("fixed")    ? text::read_number(stop.substr(5), o.inner)
                      : stop.starts_with("digits") ? text::read_number(stop.substr(6), o.digits)
                                                   : true;
    if (!good) throw InvalidInput(fmt::format("paper tables: stop {}: write fixed10 or digits2", base::quoted(stop)));
    // Beyond the usual limit where the paper went there: s17e8, fixed500 on level 9 took it 54001 iterations.
    const std::uint64_t side = (std::uint64_t{1} << cell.level) + 1;
    o.max_iterations = std::max<std::uint64_t>(40 * side + 1000, 5 * cell.inner_iterations.value_or(0) / 2);
    return point;
}

} // namespace mantissa::report
