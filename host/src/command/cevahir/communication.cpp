// Section 5.3 of the paper as a table: what the parts of a matrix send and receive, cut as the paper cuts and
// otherwise.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cevahir.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/sparse/formats.hpp"
#include "report/paper_tables.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

using Json = nlohmann::ordered_json;

// Entries are single-precision numbers, and the paper's KB are 1000 bytes: with 1024, crankseg_2 would send more
// entries than its largest part has.
constexpr double kKilobytesAnEntry = 4e-3;

/// Like nd24k, G3_circuit and crankseg_2, and as many rows. (No circuit is made; thermal has as short rows.)
constexpr const char* kMade[] = {"generated:kind=nd,n=72000", "generated:kind=thermal,n=1585478",
                                 "generated:kind=band,n=63838"};

struct PaperRow {
    std::string matrix;
    std::uint64_t rows = 0, nonzeros = 0;
    double imbalance = 0, sent = 0, received = 0; ///< per cent, KB, KB
};

std::vector<PaperRow> paper_rows(const std::string& data) {
    const std::string path = (std::filesystem::path(report::paper_folder(data)) / "cevahir_communication.csv").string();
    std::ifstream file(path);
    if (!file)
        throw InvalidInput(fmt::format("{}: cannot be read; --data names the folder of the paper's tables", path));
    std::vector<PaperRow> rows;
    std::string line;
    std::getline(file, line);
    for (int number = 2; std::getline(file, line); ++number) {
        std::istringstream fields(line);
        PaperRow r;
        char comma = 0;
        std::getline(fields, r.matrix, ',');
        fields >> r.rows >> comma >> r.nonzeros >> comma >> r.imbalance >> comma >> r.sent >> comma >> r.received;
        if (!fields) throw InvalidInput(fmt::format("{}:{}: expected a name and five numbers", path, number));
        rows.push_back(std::move(r));
    }
    return rows;
}

CompressedRows rows_of(const Problem& problem) {
    if (const auto* rows = std::get_if<CompressedRows>(&problem.system.matrix())) return *rows;
    if (const auto* bands = std::get_if<Bands>(&problem.system.matrix())) return to_compressed_rows(*bands);
    throw InvalidInput(fmt::format("--problem {}: a grid is cut in strips, without a table; give a sparse matrix, as "
                                   "mtx:FILE",
                                   problem.name));
}

struct Row {
    std::string matrix, cut;
    std::uint64_t rows = 0, nonzeros = 0;
    std::size_t largest_part = 0;
    PartitionVolume volume;
};

/// A matrix cut in each way.
std::vector<Row> rows_for(const std::string& name, const CompressedRows& a, std::uint32_t parts) {
    std::vector<Row> list;
    for (const CutMethod method : {CutMethod::contiguous, CutMethod::cuthill_mckee, CutMethod::bisection}) {
        if (method == CutMethod::bisection && !has_metis()) continue;
        const Partition partition = cut(a, parts, method);
        Row row{name, to_string(method), a.rows(), a.nonzeros(), 0, volume(partition)};
        for (const Part& part : partition.parts()) row.largest_part = std::max(row.largest_part, part.row.size());
        list.push_back(std::move(row));
    }
    return list;
}

double share(std::size_t entries, std::uint64_t of) {
    return 100.0 * static_cast<double>(entries) / static_cast<double>(std::max<std::uint64_t>(of, 1));
}

std::string text_of(const std::vector<Row>& rows, const std::vector<PaperRow>& paper, std::uint32_t parts) {
    const text::Table table("{matrix:<34}{rows:>10}{nonzeros:>11}{cut:>12}{rows, %:>8.1f}{send, KB:>10.1f}"
                            "{of part:>8.0f %}{receive, KB:>12.1f}{of rows:>8.0f %}");
    std::string out = fmt::format(
        "What {} parts exchange once per iteration: the most that one sends and receives, in KB (1000 bytes) of "
        "single-\nprecision entries, each sent entry counted once; rows: the largest part over the mean, less 1\n{}",
        parts, table.head());
    for (const Row& r : rows)
        out += table.row(
            {r.matrix, r.rows, r.nonzeros, r.cut, 100 * r.volume.row_imbalance,
             kKilobytesAnEntry * static_cast<double>(r.volume.most_sent), share(r.volume.most_sent, r.largest_part),
             kKilobytesAnEntry * static_cast<double>(r.volume.most_received), share(r.volume.most_received, r.rows)});
    out += "\nthe paper's, contiguous rows of equal nonzeros on 4 GPUs\n";
    for (const PaperRow& r : paper) {
        const double largest = (1 + r.imbalance / 100) * static_cast<double>(r.rows) / 4;
        out += fmt::format("{:<34}{:>10}{:>11}{:>12}{:>8.0f}{:>10.0f}{:>6.0f} %{:>12.0f}{:>6.0f} %\n", r.matrix, r.rows,
                           r.nonzeros, "contiguous", r.imbalance, r.sent, 100 * r.sent / kKilobytesAnEntry / largest,
                           r.received, 100 * r.received / kKilobytesAnEntry / static_cast<double>(r.rows));
        for (const Row& ours : rows)
            if (parts == 4 && ours.cut == "contiguous" && ours.rows == r.rows && ours.nonzeros == r.nonzeros)
                out += fmt::format("  {} is this matrix: {:+.1f} points of imbalance, {:+.1f} KB sent, {:+.1f} KB "
                                   "received\n",
                                   ours.matrix, 100 * ours.volume.row_imbalance - r.imbalance,
                                   kKilobytesAnEntry * static_cast<double>(ours.volume.most_sent) - r.sent,
                                   kKilobytesAnEntry * static_cast<double>(ours.volume.most_received) - r.received);
    }
    return out;
}

Json json_of(const std::vector<Row>& rows) {
    Json list = Json::array();
    for (const Row& r : rows)
        list.push_back({{"matrix", r.matrix},
                        {"rows", r.rows},
                        {"nonzeros", r.nonzeros},
                        {"cut", r.cut},
                        {"row_imbalance", r.volume.row_imbalance},
                        {"nonzero_imbalance", r.volume.nonzero_imbalance},
                        {"largest_part", r.largest_part},
                        {"most_sent", r.volume.most_sent},
                        {"most_received", r.volume.most_received},
                        {"total_received", r.volume.total_received},
                        {"boundary_rows", r.volume.boundary_rows},
                        {"most_peers", r.volume.most_peers}});
    return list;
}

} // namespace

std::string cevahir_communication(const CevahirFlags& flags) {
    const std::vector<PaperRow> paper = paper_rows(flags.data);
    const std::vector<std::string> made(std::begin(kMade), std::end(kMade));
    std::vector<Row> rows;
    for (const std::string& text : flags.problems.empty() ? made : flags.problems) {
        const Problem problem = make_problem(text);
        const CompressedRows a = rows_of(problem);
        // (A file's folder says nothing here.)
        const std::vector<Row> of_one = rows_for(problem.name.substr(problem.name.rfind('/') + 1), a, flags.parts);
        rows.insert(rows.end(), of_one.begin(), of_one.end());
    }
    if (flags.json) return json_text(json_of(rows)) + "\n";
    return text_of(rows, paper, flags.parts);
}

} // namespace mantissa::cli
