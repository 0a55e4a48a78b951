// mantissa reproduce lu: figures and tables of LU-GPU (Galoppo, Govindaraju, Henson, Manocha, SC 2005), our values
// beside what its text says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa::cli {

struct LuPaperFlags {
    int figure = 0, table = 0;        ///< one of them; 0: not asked for
    std::uint64_t n = 4096;           ///< the size whose bytes and operations a table gives
    std::vector<std::string> results; ///< stored runs of `mantissa bench gpu --lu-figures`; none: the source tree's
    std::string data;                 ///< folder of the papers' tables
    bool json = false;
};

/// The command. Throws InvalidInput, one line, for a wrong request and for stored runs that are missing.
int reproduce_lu(const LuPaperFlags& flags);

/// A figure's text, or its part of the stored run.
std::string lu_paper_figure(const LuPaperFlags& flags);

} // namespace mantissa::cli
