#include "mantissa/system.hpp"

#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

System System::from_stencil(const Stencil& s) {
    if (s.row_length < 3 || s.rows < 3)
        throw InvalidInput(fmt::format("stencil grid of {} x {} nodes: it needs at least 3 x 3", s.rows, s.row_length));
    System system;
    system.kind = Kind::stencil;
    system.size = s.rows * s.row_length;
    system.stencil = s;
    return system;
}

System System::from_bands(Bands b) {
    System system;
    system.kind = Kind::bands;
    system.size = b.band[0].size();
    if (b.row_length < 3 || system.size % b.row_length != 0)
        throw InvalidInput(fmt::format("nine bands of {} elements in rows of {}: the size must be a multiple of a row "
                                       "length of at least 3",
                                       system.size, b.row_length));
    for (const auto& band : b.band)
        if (band.size() != system.size) throw InvalidInput("nine bands of different lengths: they must be equal");
    system.bands = std::move(b);
    return system;
}

System System::from_rows(SparseRows r) {
    if (r.row_begin.empty() || r.row_begin.back() != r.value.size() || r.column.size() != r.value.size())
        throw InvalidInput("sparse rows: row_begin must end at the number of entries");
    System system;
    system.kind = Kind::sparse;
    system.size = r.row_begin.size() - 1;
    system.sparse = std::move(r);
    return system;
}

std::string to_string(System::Kind kind) {
    switch (kind) {
    case System::Kind::stencil:
        return "stencil";
    case System::Kind::bands:
        return "bands";
    default:
        return "sparse";
    }
}

} // namespace mantissa
