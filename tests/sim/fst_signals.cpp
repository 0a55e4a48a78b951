#include "fst_signals.hpp"

#include <stdexcept>

// The reader that comes with Verilator's writer, compiled as that compiles it.
#define FST_CONFIG_INCLUDE "fst_config.h"
#include "gtkwave/fastlz.c"
#include "gtkwave/fstapi.c"
#include "gtkwave/lz4.c"

namespace mantissa::sim::test {

std::set<std::string> fst_signals(const std::string& path) {
    void* reader = ::fstReaderOpen(path.c_str());
    if (reader == nullptr) throw std::runtime_error(path + ": no FST");
    std::set<std::string> names;
    std::vector<std::string> scopes;
    while (const fstHier* h = ::fstReaderIterateHier(reader)) {
        if (h->htyp == FST_HT_SCOPE) scopes.emplace_back(h->u.scope.name);
        if (h->htyp == FST_HT_UPSCOPE) scopes.pop_back();
        if (h->htyp != FST_HT_VAR) continue;
        std::string name;
        for (const std::string& scope : scopes) name += scope + ".";
        name += h->u.var.name;
        if (const auto blank = name.find(' '); blank != std::string::npos) name.erase(blank, 1); // "q [3:0]"
        names.insert(name);
    }
    ::fstReaderClose(reader);
    return names;
}

} // namespace mantissa::sim::test
