#include "recipe.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/resident.hpp"
#include "mantissa/sim/cycle_core.hpp"
#include "sources.hpp"

namespace mantissa::synthesis {

namespace fs = std::filesystem;

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

constexpr int kLongestRow = 1025, kLengthBits = 21;    // of a grid of 1025 x 1025
constexpr int kResidentElements = 1089;                // that a resident core is synthesised for
constexpr int kSparseDepth = 1024;                     // words of a lane that a sparse core is synthesised for,
constexpr int kSparseAddress = 10, kSparseRowLog = 12; // an address's bits, and rows of up to 2^12 entries

/// Whether LEAN_LANES is defined (rtl/mantissa.svh): six blocks a lane, and another order of the rows' moves, in the
/// place of some 300 LUTs and 110 flip-flops, as long as a device of 156 blocks holds them all.
bool lean_lanes(const SynthesisRequest& request) {
    return request.target == "ecp5" && request.part == "core" && request.multiplier != "logic" &&
           request.spec.fixed_vectors() && request.spec.lanes > 1 && request.spec.lanes <= 8;
}

/// The parameters of a whole core, for rows up to 1025. An integer core that holds a stencil holds that of the paper's
/// Poisson problem, whose integers are its parameters; one that streams has a stream of row sums too.
sim::CoreParameters whole_core(const SynthesisRequest& request, int style) {
    const DatapathSpec& s = request.spec;
    sim::CoreParameters list = sim::core_parameters(s);
    const auto set = [&](const std::string& name, int value) {
        std::erase_if(list, [&](const auto& p) { return p.first == name; });
        list.emplace_back(name, value);
    };
    set("CoefMode", request.constant_bands ? 1 : 0);
    if (!s.fixed_vectors() && !adds_products(s.order)) {
        set("LenW", kLengthBits);
        set("GuardW", kLengthBits);
        set("AddStages", 4);
    }
    if (holds_stencil(s))
        for (const auto& [name, value] : {std::pair{"TimesAlpha", -3}, {"TimesBeta", -3}, {"TimesGamma", -1}})
            set(name, value);
    if (s.fixed_vectors()) {
        if (request.constant_bands) {
            const System poisson = make_problem("poisson2d:level=4").system;
            const auto fit = fitted(poisson, s);
            for (const auto& [name, value] : sim::matrix_parameters(s, fit ? fit->system : poisson)) set(name, value);
        } else {
            set("RowSums", 1);
            set("RowShift", s.p.fraction_bits + s.coefficient.fraction_bits - s.q.fraction_bits);
        }
        set("LenW", kLengthBits);
        // LUTs as memory in the place of 54 flip-flops a lane; the xc2v has shift registers for them. Two lean lanes
        // have the flip-flops to spare, and want the LUTs.
        if (request.target == "ecp5" && s.lanes > (lean_lanes(request) ? 2 : 1)) set("DelayRam", 1);
    }
    set("MaxRow", kLongestRow);
    // The integer core's own tiles are of 18 x 18 bits; the blocks of these families are wider (25 x 18, 27 x 18), and
    // the tool knows how to fill them.
    const bool wide_blocks = request.target == "xc7" || request.target == "xcup";
    set("Style", s.fixed_vectors() && style == 2 && wide_blocks ? 0 : style);
    return list;
}

/// The parameters of a resident core, or of a unit of it, that holds the same stencil.
sim::CoreParameters resident_unit(SynthesisRequest request, int style) {
    request.constant_bands = true;
    sim::CoreParameters list = whole_core(request, style);
    const auto add = [&](std::initializer_list<std::pair<const char*, int>> more) {
        for (const auto& [name, value] : more) list.emplace_back(name, value);
    };
    if (request.part != "inner")
        add({{"OuterLanes", request.spec.lanes},
             {"VW", 64},
             {"VF", kResidentIterate.fraction_bits},
             {"DW", 64},
             {"DF", kDefectFraction}});
    if (request.part == "resident" || request.part == "resident-checked") add({{"MaxLength", kResidentElements}});
    else add({{"Depth", kLongestRow * kLongestRow / request.spec.lanes}});
    if (request.part == "resident-checked") add({{"Checks", 1}});
    if (request.part == "outer") add({{"OuterDepth", kLongestRow * kLongestRow / request.spec.lanes}});
    return list;
}

/// The parameters of a sparse core, its memories deep enough for kSparseDepth rows per lane.
sim::CoreParameters sparse_core(const SynthesisRequest& request, int style) {
    sim::CoreParameters list = whole_core(request, style);
    for (const auto& [name, value] :
         {std::pair{"Depth", kSparseDepth}, {"AddressW", kSparseAddress}, {"RowLog", kSparseRowLog}})
        list.emplace_back(name, value);
    return list;
}

} // namespace

sim::CoreParameters cycle_core(const CycleArea& cycle) {
    constexpr int kLeast = 3, kMost = 14;
    if (cycle.level < kLeast || cycle.level > kMost)
        throw InvalidInput(fmt::format("level {}: give {} to {}", cycle.level, kLeast, kMost));
    if (cycle.stored < kLeast || cycle.stored > cycle.level)
        throw InvalidInput(fmt::format("stored-level {}: give {} to the level, {}", cycle.stored, kLeast, cycle.level));
    if (std::string why = sim::cycle_lanes_refusal(cycle.lanes, cycle.level); !why.empty()) throw InvalidInput(why);
    const auto grid = *multilevel::grid_words(make_problem("poisson2d:level=4").system);
    if (std::string why = sim::cycle_core_refusal(grid, cycle.spec); !why.empty()) throw InvalidInput(why);
    if (std::string why = sim::cycle_cores_refusal(cycle.spec, cycle.stored, cycle.cores); !why.empty())
        throw InvalidInput(why);
    return sim::cycle_core_parameters(grid, cycle.spec, cycle.level, cycle.stored, cycle.lanes, cycle.cores);
}

std::string subject_of(const SynthesisRequest& request) {
    if (!request.cycle) return to_string(request.spec);
    const CycleArea& cycle = *request.cycle;
    return fmt::format("{},level={},stored={}{}{}", to_string(cycle.spec), cycle.level, cycle.stored,
                       cycle.lanes > 1 ? fmt::format(",lanes={}", cycle.lanes) : "",
                       cycle.cores > 1 ? fmt::format(",cores={}", cycle.cores) : "");
}

const std::vector<std::pair<std::string, std::string>>& synthesis_parts() {
    static const std::vector<std::pair<std::string, std::string>> kParts = {
        {"core", "the whole core, one lane unless the specification says otherwise"},
        {"chebyshev", "the whole core of the Chebyshev recurrence, with a table of 512 pairs"},
        {"checked", "the whole core of integers with Checks 1, for a constant stencil: it looks for its own upsets"},
        {"resident", "the resident core (integers) for 1089 elements, its memories among the block memories"},
        {"resident-checked", "the same with Checks 1: it looks for its own upsets"},
        {"inner", "its passes alone, as many lanes as the specification says, without memories"},
        {"outer", "its outer unit alone, likewise"},
        {"sparse", "the sparse core (integers) for 1024 rows per lane, its memories among the block memories"},
        {"cycle", "the cycle core of --cycle for Poisson's stencil, --lanes nodes a clock, its memories among the "
                  "block memories"},
        {"cycle-checked", "the same with Checks 1: it looks for its own upsets"},
        {"add", "the adder between numbers of r's format"},
        {"mul", "the multiplier"},
        {"div", "the divider, one bit per clock"},
        {"mul-serial", "the scalar unit's multiplier, two bits per clock"},
        {"accumulate", "the floating-point accumulator of a dot product"},
        {"fixed-accumulate", "the fixed-point accumulator of a dot product"},
    };
    return kParts;
}

bool is_core(std::string_view part) {
    return part == "core" || part == "chebyshev" || part == "checked";
}

Top top_of(const SynthesisRequest& request) {
    const DatapathSpec& s = request.spec;
    const Format f = s.r;
    const int rne = f.truncates() ? 0 : 1, style = request.multiplier == "logic" ? 1 : 2;
    const auto three = [&](sim::CoreParameters more) {
        sim::CoreParameters p = {{"EA", f.exponent_bits},
                                 {"MA", f.fraction_bits},
                                 {"EB", f.exponent_bits},
                                 {"MB", f.fraction_bits},
                                 {"EO", f.exponent_bits},
                                 {"MO", f.fraction_bits},
                                 {"Rne", rne}};
        p.insert(p.end(), more.begin(), more.end());
        return p;
    };
    if (request.part == "cycle" || request.part == "cycle-checked") {
        if (!request.cycle)
            throw InvalidInput(fmt::format("operator {}: there is no cycle; give one, as b2,w=10", request.part));
        sim::CoreParameters list = cycle_core(*request.cycle);
        if (request.part == "cycle-checked") {
            if (request.cycle->cores > 1)
                throw InvalidInput("operator cycle-checked: several cores have no checks; give one core");
            list.emplace_back("Checks", 1);
        }
        return {request.cycle->cores > 1 ? "fx_cycles" : "fx_cycle", std::move(list), true};
    }
    if (is_core(request.part)) {
        sim::CoreParameters list = whole_core(request, style);
        if (request.part == "chebyshev") list.emplace_back("Chebyshev", sim::kStepPairs);
        if (request.part == "checked") {
            if (!s.fixed_vectors() || !request.constant_bands)
                throw InvalidInput(
                    "operator checked: checks are the integer core's, for a constant stencil; give a spec as "
                    "fx18.16 and --bands constant");
            list.emplace_back("Checks", 1);
        }
        return {s.fixed_vectors() ? "fx_core" : "pcg_core", std::move(list), true};
    }
    if (request.part == "inner") return {"fx_inner", resident_unit(request, style), true};
    if (request.part == "outer") return {"fx_outer", resident_unit(request, style), true};
    if (request.part == "resident" || request.part == "resident-checked")
        return {"fx_resident", resident_unit(request, style), true};
    if (request.part == "sparse") return {"sp_core", sparse_core(request, style), true};
    if (request.part == "add") return {"fp_add", three({})};
    if (request.part == "mul") return {"fp_mul", three({{"Style", style}})};
    if (request.part == "div") return {"fp_div", three({})};
    if (request.part == "mul-serial")
        return {"fp_mul_serial", {{"E", f.exponent_bits}, {"M", f.fraction_bits}, {"Rne", rne}}};
    if (request.part == "fixed-accumulate")
        return {"fixed_accumulator",
                {{"E", f.exponent_bits}, {"M", f.fraction_bits}, {"Msb", s.dot.window.msb}, {"Lsb", s.dot.window.lsb}}};
    if (request.part == "accumulate") {
        if (s.dot.fixed)
            throw InvalidInput("operator accumulate: the specification's dot products are fixed-point; use "
                               "fixed-accumulate");
        const Format &t = s.dot.product, &a = s.dot.accumulator;
        return {"fp_accumulate",
                {{"ET", t.exponent_bits},
                 {"MT", t.fraction_bits},
                 {"EA", a.exponent_bits},
                 {"MA", a.fraction_bits},
                 {"Rne", a.truncates() ? 0 : 1},
                 {"Depth", s.dot.depth}}};
    }
    std::string known;
    for (const auto& [name, text] : synthesis_parts()) known += (known.empty() ? "" : ", ") + name;
    throw InvalidInput(fmt::format("operator {}: not one of {}", request.part.substr(0, 40), known));
}

void copy_sources(const std::string& source, const std::string& folder) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    for (const char* part : {"rtl", "rtl/operators", "rtl/core", "rtl/fixed", "rtl/fixed/resident", "rtl/sparse",
                             "rtl/cycle", "experiments/synthesis"}) {
        fs::create_directories(fs::path(folder) / part);
        for (const char* extension : {".sv", ".svh", ".v"})
            for (const fs::path& file : base::files_in(fs::path(source) / part, extension)) {
                const std::string name = file.filename().string();
                if (name.find_first_not_of(kPlain) != std::string::npos || name.starts_with('-'))
                    throw InvalidInput(fmt::format("{}: a source's name may hold letters, digits, _, . and - only, for "
                                                   "yosys's scripts have no quotes for others; rename it",
                                                   base::quoted(file.string(), 200)));
                base::write_file((fs::path(folder) / part / name).string(), base::read_file(file.string()).view());
            }
    }
}

std::string fill_recipe(const std::string& recipe, const SynthesisRequest& request, const Top& top,
                        const std::string& source, bool place) {
    const auto holds = [&](std::string_view condition) {
        return (condition == "parameters" && top.registered.empty()) || condition == request.target ||
               (condition == "xilinx" && request.target != "ecp5") ||
               (condition == "combinational" && request.combinational) || (condition == "place" && place);
    };
    std::string script;
    std::istringstream lines(recipe);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') continue;
        if (line.front() == '[') {
            const std::size_t end = line.find(']');
            if (!holds(std::string_view(line).substr(1, end - 1))) continue;
            line.erase(0, end + 2);
        }
        script += line + '\n';
    }
    std::string sources, parameters;
    for (const auto& [module, folder] :
         {std::pair{"sp_core", "rtl/sparse"}, {"fx_cycle", "rtl/cycle"}, {"fx_cycles", "rtl/cycle"}})
        if (top.module == module) sources = fmt::format("-I{} ", folder);
    for (const std::string& file : sources_of(source, top.module).modules) sources += file + " ";
    if (!top.registered.empty()) sources += top.registered;
    else
        for (const auto& [name, value] : top.parameters)
            parameters += value < 0 ? fmt::format("-set {} 32'sh{:08x} ", name, static_cast<unsigned>(value))
                                    : fmt::format("-set {} {} ", name, value);
    replace_all(script, "@SOURCES@", sources);
    // What looks for an integrator's mistakes is no part of the figures (rtl/mantissa.svh).
    replace_all(script, "@DEFINES@", lean_lanes(request) ? " -DUNWATCHED -DLEAN_LANES" : " -DUNWATCHED");
    replace_all(script, "@PARAMETERS@", parameters);
    replace_all(script, "@TOP@", top.registered.empty() ? top.module : "registered");
    replace_all(script, "@RTL@", "rtl");
    replace_all(script, "@RECIPE@", "experiments/synthesis");
    return script;
}

std::vector<Port> read_ports(const std::string& text) {
    std::vector<Port> ports;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t open = line.find('['), colon = line.find(':'), close = line.find("] ");
        if ((!line.starts_with("input") && !line.starts_with("output")) || close == std::string::npos) continue;
        const int high = std::atoi(line.c_str() + open + 1), low = std::atoi(line.c_str() + colon + 1);
        ports.push_back({line.starts_with("input"), high - low + 1, line.substr(close + 2)});
    }
    return ports;
}

std::uint64_t io_bits(const SynthesisRequest& request, const std::vector<Port>& ports) {
    constexpr std::string_view kBetweenCores[] = {"link_", "peer_", "all_", "form_", "m_axis_sum_", "s_axis_sum_"};
    const bool alone = request.cycle ? request.cycle->cores == 1 : request.part.starts_with("resident");
    std::uint64_t bits = 0;
    for (const Port& port : ports) {
        const bool between =
            std::ranges::any_of(kBetweenCores, [&](std::string_view name) { return port.name.starts_with(name); });
        if (!(alone && between)) bits += static_cast<std::uint64_t>(port.bits);
    }
    return bits;
}

std::string registered_operator(const Top& top, const std::vector<Port>& ports) {
    int in = 0, out = 0;
    std::string pins = ".clk_i(clk_i)", parameters;
    for (const Port& port : ports) {
        if (port.name == "clk_i") continue;
        int& at = port.input ? in : out;
        pins += fmt::format(", .{}({}[{} +: {}])", port.name, port.input ? "in_q" : "out", at, port.bits);
        at += port.bits;
    }
    for (const auto& [name, value] : top.parameters)
        parameters += fmt::format("{}.{}({})", parameters.empty() ? "" : ", ", name, value);
    return fmt::format(R"(`default_nettype none
module registered (input wire clk_i, input wire in_i, output reg out_o);
  reg  [{0}:0] in_q;
  wire [{1}:0] out;
  reg  [{1}:0] out_q, shift_q;
  reg  [1:0]   load_q;
  always @(posedge clk_i) begin
    in_q    <= {{in_q[{0}-1:0], in_i}};
    out_q   <= out;
    load_q  <= {{load_q[0], in_i}};
    shift_q <= load_q[1] ? out_q : shift_q >> 1;
    out_o   <= shift_q[0];
  end
  {2} #({3}) i_operator ({4});
endmodule
`default_nettype wire
)",
                       in - 1, out - 1, top.module, parameters, pins);
}

} // namespace mantissa::synthesis
