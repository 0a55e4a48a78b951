#include "clock_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "mantissa/format.hpp"

namespace mantissa::synthesis {

namespace {

// ns. Logic as nextpnr-ecp5 0.11.1 reports it for speed grade 8; nets fitted.
constexpr double kClockToQ = 0.40, kSetup = 0.0, kLut = 0.18, kMux = 0.15, kCarryIn = 0.17, kCarryBit = 0.03,
                 kCarryOut = 0.30, kMultiplier = 3.07, kMultiplierSetup = 2.64, kMultiplierToQ = 0.58,
                 kBlockMemory = 4.0;
constexpr double kNetBase = 0.55, kNetFanout = 0.12;

enum class Kind {
    other,
    lut,
    mux,
    carry,
    sum,
    carry_block,
    multiplier,
    registered_multiplier,
    memory,
    flip_flop,
    block_memory
};

Kind kind_of(std::string_view type) {
    const auto is = [&](std::string_view prefix) { return type.starts_with(prefix); };
    if (is("LUT") || type == "INV") return Kind::lut;
    if (is("MUXF") || type == "PFUMX" || type == "L6MUX21") return Kind::mux;
    if (type == "MUXCY") return Kind::carry;
    if (type == "XORCY") return Kind::sum;
    if (type == "CARRY4" || type == "CARRY8" || type == "CCU2C") return Kind::carry_block;
    if (is("MULT18X18") || is("DSP48")) return Kind::multiplier;
    if (is("SRL") || is("RAM16") || is("RAM32") || is("RAM64") || is("RAM128") || is("TRELLIS_DPR16X4"))
        return Kind::memory;
    if (is("FD") || is("TRELLIS_FF")) return Kind::flip_flop;
    if (is("RAMB") || is("DP16KD") || is("PDPW16KD")) return Kind::block_memory;
    return Kind::other;
}

bool is_clock(std::string_view port) {
    return port == "C" || port == "CLK" || port == "WCLK" || port == "WCK" || port.starts_with("CLK");
}

/// Inputs of distributed memories that are written at the clock and do not show at the output before it.
bool is_written(Kind kind, std::string_view port) {
    return kind == Kind::memory &&
           (port == "D" || port == "DI" || port == "CE" || port == "WE" || port == "WRE" || port == "WAD");
}

bool carry_port(std::string_view port) {
    return port == "CI" || port == "CIN" || port == "CYINIT";
}

struct Cell {
    Kind kind = Kind::other;
    std::string name;
    std::vector<std::pair<std::string, int>> inputs; ///< port and net
    std::vector<std::pair<std::string, int>> outputs;
};

/// From an input to an output of a cell.
double delay(const Cell& cell, std::string_view in, std::string_view out) {
    switch (cell.kind) {
    case Kind::lut:
        return kLut;
    case Kind::mux:
        return kMux;
    case Kind::carry:
        return carry_port(in) ? kCarryBit : kCarryIn;
    case Kind::sum:
        return carry_port(in) ? kCarryOut : kCarryIn;
    case Kind::carry_block: {
        const bool on = out == "COUT" || out == "CO";
        return carry_port(in) ? (on ? 2 * kCarryBit : kCarryOut) : on ? kLut + kCarryIn : kLut + kCarryIn + kCarryOut;
    }
    case Kind::multiplier:
        return kMultiplier;
    case Kind::memory:
        return kLut;
    default:
        return 0;
    }
}

/// Wires inside a slice: from a LUT into its carry or wide multiplexer, and along a chain.
bool inside(const Cell& from, const Cell& to, std::string_view port) {
    const bool chain = from.kind == Kind::carry || from.kind == Kind::carry_block;
    if (chain && carry_port(port)) return true;
    if (from.kind == Kind::lut)
        return (to.kind == Kind::carry && port == "S") || (to.kind == Kind::sum && port == "LI") ||
               (to.kind == Kind::carry_block && (port == "S" || port == "DI")) ||
               (to.kind == Kind::mux && port != "S" && port != "C0" && port != "SD");
    if (from.kind == Kind::mux) return to.kind == Kind::mux && port != "S" && port != "C0" && port != "SD";
    return false;
}

bool starts(Kind kind) {
    return kind == Kind::flip_flop || kind == Kind::block_memory || kind == Kind::memory ||
           kind == Kind::registered_multiplier;
}

double clock_to_q(Kind kind) {
    return kind == Kind::block_memory ? kBlockMemory : kind == Kind::registered_multiplier ? kMultiplierToQ : kClockToQ;
}

/// An operand of a multiplier with the register inside comes the multiplication earlier.
double setup(const Cell& cell, std::string_view port) {
    const bool operand = port.starts_with("A") || port.starts_with("B");
    return cell.kind == Kind::registered_multiplier && operand ? kMultiplierSetup : kSetup;
}

} // namespace

ModelledPath model_clock(const std::string& netlist_json) {
    nlohmann::json netlist = nlohmann::json::parse(netlist_json, nullptr, false);
    if (netlist.is_discarded() || !netlist.contains("modules"))
        throw ToolFailure(
            "netlist: not what yosys's write_json writes; look whether the disk of TMPDIR is full, and run it again");
    const nlohmann::json* top = nullptr;
    for (const auto& [name, module] : netlist["modules"].items())
        if (module.contains("attributes") && module["attributes"].contains("top")) top = &module;
    if (top == nullptr)
        throw ToolFailure("netlist: no top module; look whether the disk of TMPDIR is full, and run it again");

    std::vector<Cell> cells;
    std::unordered_map<int, std::pair<std::size_t, std::string>> driver; // net: cell and port
    std::unordered_map<int, int> loads;
    for (const auto& [name, json] : (*top)["cells"].items()) {
        Cell cell{kind_of(json["type"].get<std::string>()), name, {}, {}};
        if (cell.kind == Kind::multiplier && json.contains("parameters") &&
            json["parameters"].value("REG_OUTPUT_CLK", "NONE") != "NONE")
            cell.kind = Kind::registered_multiplier;
        for (const auto& [port, bits] : json["connections"].items()) {
            if (is_clock(port)) continue;
            const bool in = json["port_directions"][port] == "input";
            for (const auto& bit : bits)
                if (bit.is_number_integer()) {
                    const int net = bit.get<int>();
                    if (in) ++loads[net];
                    else driver.emplace(net, std::pair{cells.size(), port});
                    (in ? cell.inputs : cell.outputs).emplace_back(port, net);
                }
        }
        cells.push_back(std::move(cell));
    }

    // Arrival at each net, by need; a stack, since chains are long. Combinational loops do not occur in mapped designs
    // without latches; one is cut where it is met.
    struct Arrival {
        double ns = -1;
        std::size_t from = 0; ///< the cell that the path starts at
        int luts = 0, carries = 0, multipliers = 0;
        bool open = false, done = false;
    };
    std::unordered_map<int, Arrival> arrivals;
    const auto net_delay = [&](int net, const Cell& to, const std::string& port) {
        const auto& [cell, out] = driver.at(net);
        return inside(cells[cell], to, port) ? 0.0 : kNetBase + kNetFanout * std::log2(std::max(1, loads[net]));
    };
    const auto settle = [&](int goal) {
        std::vector<int> stack{goal};
        while (!stack.empty()) {
            const int net = stack.back();
            Arrival& here = arrivals[net];
            const auto d = driver.find(net);
            if (here.done || d == driver.end()) { // an input port has no time of its own
                here.done = true;
                stack.pop_back();
                continue;
            }
            const Cell& cell = cells[d->second.first];
            const bool pure = cell.kind == Kind::flip_flop || cell.kind == Kind::block_memory ||
                              cell.kind == Kind::registered_multiplier;
            if (!here.open && !pure) {
                here.open = true;
                bool waits = false;
                for (const auto& [port, in] : cell.inputs)
                    if (!is_written(cell.kind, port) && !arrivals[in].done && !arrivals[in].open) {
                        stack.push_back(in);
                        waits = true;
                    }
                if (waits) continue;
            }
            Arrival best;
            if (starts(cell.kind)) {
                best.ns = clock_to_q(cell.kind);
                best.from = d->second.first;
            }
            if (!pure)
                for (const auto& [port, in] : cell.inputs) {
                    const Arrival& before = arrivals[in];
                    if (is_written(cell.kind, port) || before.ns < 0) continue;
                    const double ns = before.ns + net_delay(in, cell, port) + delay(cell, port, d->second.second);
                    if (ns > best.ns) {
                        best = before;
                        best.ns = ns;
                        best.luts += cell.kind == Kind::lut;
                        best.carries += cell.kind == Kind::carry || cell.kind == Kind::carry_block;
                        best.multipliers += cell.kind == Kind::multiplier;
                    }
                }
            best.open = best.done = true;
            arrivals[net] = best;
            stack.pop_back();
        }
    };

    ModelledPath worst;
    for (const Cell& cell : cells) {
        if (!starts(cell.kind)) continue;
        for (const auto& [port, net] : cell.inputs) {
            if (cell.kind == Kind::memory && !is_written(cell.kind, port)) continue;
            settle(net);
            const Arrival& a = arrivals[net];
            if (a.ns < 0) continue;
            const double ns = a.ns + setup(cell, port) + net_delay(net, cell, port);
            if (ns > worst.ns) worst = {ns, a.luts, a.carries, a.multipliers, cells[a.from].name, cell.name};
        }
    }
    return worst;
}

} // namespace mantissa::synthesis
