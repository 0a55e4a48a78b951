#include "member_table.hpp"

#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "mantissa/errors.hpp"

namespace mantissa::sim {

namespace {

/// A name that Verilator made itself: it, or its last part, begins with __V. What goes into and out of an inlined
/// module keeps such a name too, and may be its register.
bool made(const std::string& name) {
    if (name.starts_with("__V") || name.find("unnamedblk") != std::string::npos) return true;
    const auto at = name.rfind("__V");
    if (at == std::string::npos || name.find("__DOT__", at) != std::string::npos) return false;
    return name.compare(at, 7, "__Vcell") != 0;
}

} // namespace

std::string upset_member_table(const std::string& header) {
    // An output of the top, or a member: of a word, or of words one after another.
    static const std::regex output(R"(^\s*VL_OUT(8|16|64|W|)\((\w+)((?:\[\d+\])*),(\d+),(\d+)(?:,\d+)?\);)");
    static const std::regex member(R"(^\s*(.*?(CData|SData|IData|QData|VlWide<\d+>)/\*(\d+):(\d+)\*/.*) (\w+);)");
    std::string table = "static const UpsetMember kUpsetMembers[] = {\n";
    std::size_t count = 0;
    const auto add = [&](const std::string& name, const std::string& type, int bits) {
        table += fmt::format("    {{\"{0}\", [](Vmodel___024root& r) -> void* {{ return &r.{0}; }}, {1}, sizeof({2}), "
                             "sizeof(std::declval<Vmodel___024root&>().{0}) / sizeof({2})}},\n",
                             name, bits, type);
        ++count;
    };
    std::istringstream lines(header);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("INTERNAL VARIABLES") != std::string::npos) break;
        std::smatch found;
        if (std::regex_search(line, found, output)) {
            const int bits = std::stoi(found[4]) - std::stoi(found[5]) + 1;
            const std::string size = found[1];
            if (made(found[2]) || size == "W")
                continue; // (the streams' words: each follows a register that is a member, or logic)
            add(found[2], size == "8" ? "CData" : size == "16" ? "SData" : size == "64" ? "QData" : "IData", bits);
        } else if (std::regex_search(line, found, member)) {
            if (made(found[5])) continue;
            add(found[5], found[2], std::stoi(found[3]) - std::stoi(found[4]) + 1);
        }
    }
    if (count == 0)
        throw ToolFailure("simulation model: this Verilator's class has no members that can be read, and upsets need "
                          "them; take Verilator 5.006");
    return table + "};\n";
}

} // namespace mantissa::sim
