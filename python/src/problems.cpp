// Problems: systems made from a text, or from the user's own matrix.
#include "solving.hpp"

#include <array>
#include <cstdint>
#include <string>

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/symmetry.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

using Indices = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

std::uint64_t index_of(std::int64_t i, const char* what) {
    if (i < 0 || i > 0xFFFFFFFE) throw InvalidInput(std::string(what) + ": an index is below zero or above 2^32 - 2");
    return static_cast<std::uint64_t>(i);
}

CompressedRows rows_of(const Indices& begin, const Indices& column, const Doubles& value) {
    std::vector<std::uint64_t> first(begin.size());
    std::vector<std::uint32_t> columns(column.size());
    for (std::size_t i = 0; i < begin.size(); ++i) first[i] = index_of(begin.data()[i], "indptr");
    for (std::size_t i = 0; i < column.size(); ++i)
        columns[i] = static_cast<std::uint32_t>(index_of(column.data()[i], "indices"));
    return {std::move(first), std::move(columns), std::vector<double>(value.data(), value.data() + value.size())};
}

/// Of a symmetric matrix: the first diagonal entry that is not above zero, in one line, as of MatrixMarket files.
std::string indefinite_by(const CompressedRows& a) {
    for (std::size_t i = 0; i < a.rows(); ++i) {
        double diagonal = 0;
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] == i) diagonal = a.value()[k];
        if (!(diagonal > 0))
            return "matrix: diagonal entry (" + std::to_string(i) + ", " + std::to_string(i) +
                   ") is not above zero: a positive definite matrix has a positive diagonal";
    }
    return {};
}

Problem problem_of_rows(const std::string& name, const Indices& begin, const Indices& column, const Doubles& value,
                        const Doubles& b) {
    CompressedRows rows = rows_of(begin, column, value);
    const bool symmetric = !asymmetry(rows);
    std::string indefinite = symmetric ? indefinite_by(rows) : std::string();
    const std::size_t size = rows.rows();
    if (b.size() == 0 || b.size() % size != 0)
        throw InvalidInput("b: it has " + std::to_string(b.size()) + " elements and the matrix " +
                           std::to_string(size) + " rows; give as many, or columns of as many");
    std::optional<Bands> bands = nine_bands(rows);
    Problem problem{name,
                    bands ? System(std::move(*bands)) : System(std::move(rows)),
                    std::vector<double>(b.data(), b.data() + size),
                    {},
                    {},
                    {},
                    symmetric};
    problem.indefinite = std::move(indefinite);
    for (std::size_t first = size; first < b.size(); first += size)
        problem.more.emplace_back(b.data() + first, b.data() + first + size);
    return problem;
}

nb::object exact_of(const Problem& p) {
    if (!p.exact) return nb::none();
    std::vector<double> values(p.system.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = p.exact(i);
    return nb::cast(owned(std::move(values)));
}

} // namespace

CompressedRows sparse_rows_of(const System& system) {
    return std::visit(Overloaded{[](const CompressedRows& rows) { return rows; },
                                 [](const Stencil& s) {
                                     return nine_point_rows(s.size(), s.row_length(), [&](std::size_t i) {
                                         return s.on_edge(i) ? std::array<double, kBands>{} : s.coefficients();
                                     });
                                 },
                                 [](const Bands& b) { return to_compressed_rows(b); },
                                 [](const SymmetricBands& b) {
                                     return nine_point_rows(b.size(), b.row_length(), [&](std::size_t i) {
                                         std::array<double, kBands> row{};
                                         for (std::size_t band = 0; band < kBands; ++band)
                                             row[band] = b.coefficient(band, i);
                                         return row;
                                     });
                                 }},
                      system.matrix());
}

void bind_problems(nb::module_& m) {
    nb::class_<Problem>(m, "Problem")
        .def_ro("name", &Problem::name)
        .def_ro("note", &Problem::note)
        .def_ro("symmetric", &Problem::symmetric)
        .def("origin",
             [](const Problem& p) {
                 return owned(p.origin.empty() ? std::vector<double>(p.system.size(), 0.0) : p.origin);
             })
        .def_prop_ro("unknowns", [](const Problem& p) { return p.system.size(); })
        .def_prop_ro("kind", [](const Problem& p) { return to_string(p.system.kind()); })
        .def_prop_ro("row_length", [](const Problem& p) { return p.system.row_length(); })
        .def(
            "b", [](const Problem& p, std::size_t column) { return owned(column == 0 ? p.b : p.more.at(column - 1)); },
            "column"_a, "A right-hand side.")
        .def(
            "__deepcopy__", [](nb::object self, const nb::dict& /*memo*/) { return self; }, "memo"_a,
            "Itself: nothing changes it.")
        .def_prop_ro("right_hand_sides", [](const Problem& p) { return p.more.size() + 1; })
        .def("exact", &exact_of)
        .def("rows", [](const Problem& p) {
            const CompressedRows rows = sparse_rows_of(p.system);
            std::vector<std::int64_t> begin(rows.row_begin().begin(), rows.row_begin().end());
            std::vector<std::int64_t> column(rows.column().begin(), rows.column().end());
            return nb::make_tuple(owned(std::move(begin)), owned(std::move(column)), owned(rows.value()));
        });
    m.def("make_problem", &make_problem_of_columns, "text"_a, nb::call_guard<nb::gil_scoped_release>());
    m.def("problem_of_rows", &problem_of_rows, "name"_a, "indptr"_a, "indices"_a, "data"_a, "b"_a);
}

} // namespace mantissa::python
