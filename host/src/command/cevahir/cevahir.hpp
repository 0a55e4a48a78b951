// mantissa reproduce cevahir: figures and the communication table of "Fast Conjugate Gradients with Multiple GPUs"
// (Cevahir, Nukada, Matsuoka, ICCS 2009), our values beside what its text says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mantissa::cli {

/// What `--table communication` becomes.
inline constexpr int kCommunicationTable = -1;

struct CevahirFlags {
    int figure = 0, table = 0;         ///< one of them; 0: not asked for
    std::vector<std::string> problems; ///< of the table; none: matrices made like the paper's
    std::vector<std::string> results;  ///< stored runs of `mantissa bench gpu`; none: the source tree's
    std::string data;                  ///< folder of the papers' tables
    std::uint32_t parts = 4;           ///< of the table
    bool json = false;
};

/// The options that only `cevahir` has.
void add_cevahir_options(CLI::App& app, CevahirFlags& flags);

/// The command. Throws InvalidInput, one line, for a wrong request and for stored runs that are missing.
int reproduce_cevahir(const CevahirFlags& flags);

/// The table's text: what a partition of each matrix sends and receives. `flags.parts` of at least 1.
std::string cevahir_communication(const CevahirFlags& flags);
/// A figure's text, or its part of the stored run.
std::string cevahir_figure(const CevahirFlags& flags);

} // namespace mantissa::cli
