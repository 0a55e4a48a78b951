#include "comparison_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/resident.hpp"
#include "text/toml_text.hpp"

namespace mantissa::compare {

namespace fs = std::filesystem;

namespace {

class Reader {
public:
    Reader(const text::TomlText& file, std::string_view name, std::string folder)
        : file_(file), name_(name), folder_(std::move(folder)), engines_(list_engines()) {}

    Comparison read() {
        const toml::table& t = file_.root();
        file_.check_keys(t, "a comparison",
                         {"name",   "store",  "problem",   "device", "scheme", "inner",     "tolerance",
                          "engine", "passes", "bands",     "words",  "fill",   "place",     "seeds",
                          "cpu",    "gpu",    "gpu_watts", "design", "cycle",  "published", "section55"});
        Comparison c;
        c.name = file_.text(t, "name", fs::path(name_).stem().string());
        c.store = file_.text(t, "store");
        read_problems(c);
        for (const auto& [text, line] : needed(t, "device", "device = \"xc2v8000\"")) {
            Device device = file_.at_line(line, [&] { return find_device(text, folder_); });
            if (index_of(c.devices, device.id)) file_.fail(line, fmt::format("two devices are called {}", device.id));
            c.devices.push_back(std::move(device));
        }
        if (c.devices.size() > kMaxCompared)
            file_.fail(text::TomlText::line_of(t, "device"), fmt::format("more than {} devices", kMaxCompared));
        read_options(c);
        const auto engines = read_engines(t, {"emulated"});
        read_designs(c, engines);
        c.cycles = read_cycle_designs(file_, c, folder_);
        read_published(c);
        read_section55(c);
        check_used(c);
        return c;
    }

private:
    std::vector<text::TomlText::Item> needed(const toml::table& t, std::string_view key, const char* example) const {
        auto items = file_.texts(t, key);
        if (items.empty()) file_.fail(text::TomlText::line_of(t, key), fmt::format("no {}: give {}", key, example));
        return items;
    }
    static std::optional<std::size_t> index_of(const std::vector<Device>& devices, std::string_view id) {
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (devices[i].id == id) return i;
        return std::nullopt;
    }
    /// One of two words; true for the second.
    bool second(const toml::table& t, std::string_view key, const char* first, const char* other) const {
        const std::string word = file_.text(t, key, first);
        if (word != first && word != other)
            file_.fail(text::TomlText::line_of(t, key), fmt::format("{} must be \"{}\" or \"{}\"", key, first, other));
        return word == other;
    }

    void read_problems(Comparison& c) const {
        for (const auto& [text, line] : needed(file_.root(), "problem", "problem = \"poisson2d:level=7\"")) {
            std::string name = file_.at_line(line, [&] { return outline_problem(text).name; });
            if (std::find(c.problems.begin(), c.problems.end(), name) == c.problems.end())
                c.problems.push_back(std::move(name));
        }
        if (c.problems.size() > kMaxCompared)
            file_.fail(text::TomlText::line_of(file_.root(), "problem"),
                       fmt::format("more than {} problems", kMaxCompared));
    }

    void read_options(Comparison& c) const {
        const toml::table& t = file_.root();
        const std::uint32_t scheme_line = text::TomlText::line_of(t, "scheme");
        c.scheme = file_.at_line(scheme_line, [&] { return parse_scheme(file_.text(t, "scheme", "residual-guided")); });
        if (c.scheme != Scheme::residual_guided && c.scheme != Scheme::defect_correction)
            file_.fail(scheme_line, "scheme must be residual-guided or defect-correction");
        c.inner = file_.wholes(t, "inner", 1, 1'000'000, 10);
        c.tolerance = file_.number(t, "tolerance", 0, 0.5, 1e-10);
        c.passes = file_.whole(t, "passes", 0, 10'000, 4);
        c.constant_bands = second(t, "bands", "streamed", "constant");
        c.packed = second(t, "words", "bytes", "packed");
        c.fill = file_.number(t, "fill", 0, 1, 0.85);
        c.place = file_.truth(t, "place", false);
        c.seeds = static_cast<int>(file_.whole(t, "seeds", 1, 100, 1));
        c.cpu = file_.truth(t, "cpu", true);
        for (const auto& item : file_.texts(t, "gpu")) c.gpu.push_back((fs::path(folder_) / item.text).string());
        if (t.contains("gpu_watts")) c.gpu_watts = file_.number(t, "gpu_watts", 0, 1e6, 0);
    }

    std::vector<std::string> read_engines(const toml::table& t, std::vector<std::string> fallback) const {
        const auto items = file_.texts(t, "engine");
        if (items.empty()) return fallback;
        std::vector<std::string> names;
        for (const auto& [text, line] : items) {
            const bool known =
                std::any_of(engines_.begin(), engines_.end(), [&](const auto& e) { return e.name == text; });
            if (!known) file_.at_line(line, [&] { make_engine(text); }); // throws; an engine not built is a gap
            names.push_back(text);
        }
        return names;
    }

    void read_designs(Comparison& c, const std::vector<std::string>& engines) const {
        const toml::node* node = file_.root().get("design");
        if (node == nullptr && file_.root().contains("cycle")) return; // cycle cores alone
        if (node == nullptr) file_.fail(1, "no [[design]]: give at least one, with its spec, or a [[cycle]]");
        const std::uint32_t design_line = text::TomlText::line_of(file_.root(), "design");
        if (!node->is_array_of_tables()) file_.fail(design_line, "design must be tables: write [[design]]");
        for (const toml::node& item : *node->as_array()) {
            const toml::table& t = *item.as_table();
            file_.check_keys(t, "a design",
                             {"spec", "multiplier", "device", "engine", "area", "clock_mhz", "bands", "resident",
                              "outer", "fixed_clocks", "sparse", "cores", "link_words", "link_latency", "headroom",
                              "jacobi", "recurrence"});
            Design design;
            const bool area = file_.truth(t, "area", true);
            for (const char* key : {"multiplier", "clock_mhz"})
                if (!area && t.contains(key))
                    file_.fail(text::TomlText::line_of(t, key),
                               fmt::format("{} is of a core, and with area = false there is none: leave it out", key));
            const auto devices = read_devices(t, c);
            for (const std::string& multiplier : read_multipliers(t))
                for (const std::size_t device : devices)
                    if (area) design.cores.push_back({device, multiplier});
            design.engines = read_engines(t, engines);
            if (t.contains("clock_mhz")) design.clock_mhz = file_.number(t, "clock_mhz", 0, 1e5, 0);
            if (t.contains("bands")) design.constant_bands = second(t, "bands", "streamed", "constant");
            read_resident(t, c, design);
            read_sparse(t, c, design);
            read_scaling(t, design);
            design.chebyshev = second(t, "recurrence", "pipelined", "chebyshev");
            if (design.chebyshev && (design.resident || design.sparse))
                file_.fail(text::TomlText::line_of(t, "recurrence"),
                           "cores of the Chebyshev recurrence stream a grid: leave resident and sparse out");
            for (const auto& [text, line] : needed(t, "spec", "spec = \"s17e8\"")) {
                design.spec = read_spec(text, line);
                if (design.constant_bands == false && !design.cores.empty() && synthesis::holds_stencil(design.spec))
                    file_.fail(text::TomlText::line_of(t, "bands"),
                               fmt::format("the core of {} streams no coefficients, second differences hold their "
                                           "stencil: leave bands out",
                                           text));
                if (design.resident) check_resident(design.spec, line);
                if (design.sparse) check_sparse(design.spec, line);
                enter(c, design, line);
            }
        }
    }

    /// The keys of a design whose vectors stay on the chip.
    void read_resident(const toml::table& t, const Comparison& c, Design& design) const {
        design.resident = file_.truth(t, "resident", false);
        for (const char* key : {"outer", "fixed_clocks"})
            if (!design.resident && t.contains(key))
                file_.fail(text::TomlText::line_of(t, key), fmt::format("{} is for resident designs only", key));
        if (!design.resident) return;
        const std::uint32_t line = text::TomlText::line_of(t, "outer");
        design.outer =
            file_.at_line(line, [&] { return parse_format(file_.text(t, "outer", to_string(kResidentIterate))); });
        if (!design.outer->is_fixed() || design.outer->word_bits != 64)
            file_.fail(line, "outer must be a fixed-point format of 64 bits, as fx64.54");
        if (!design.constant_bands.value_or(c.constant_bands))
            file_.fail(text::TomlText::line_of(t, "resident"),
                       "a resident core holds its stencil: give the design bands = \"constant\"");
        if (t.contains("fixed_clocks")) design.fixed_clocks = file_.number(t, "fixed_clocks", 0, 1e6, 0);
        for (const Design::Core& core : design.cores)
            if (c.devices[core.device].memories.empty())
                file_.fail(text::TomlText::line_of(t, "resident"),
                           fmt::format("{} has no [[memory]], which resident designs need: add it to its file as "
                                       "docs/compare.md says (Devices), "
                                       "or name another device",
                                       c.devices[core.device].id));
    }

    /// The keys of a design for sparse rows.
    void read_sparse(const toml::table& t, const Comparison& c, Design& design) const {
        design.sparse = file_.truth(t, "sparse", false);
        for (const char* key : {"cores", "link_words", "link_latency"})
            if (!design.sparse && t.contains(key))
                file_.fail(text::TomlText::line_of(t, key), fmt::format("{} is for sparse designs only", key));
        if (!design.sparse) return;
        const std::uint32_t line = text::TomlText::line_of(t, "sparse");
        if (design.resident) file_.fail(line, "a design is resident or sparse: give one of the two");
        if (design.constant_bands) file_.fail(line, "sparse designs stream their matrix: leave bands out");
        design.sparse_cores = file_.wholes(t, "cores", 1, 16, 1);
        design.link_words = file_.number(t, "link_words", 0, 1e6, 16);
        design.link_latency = file_.whole(t, "link_latency", 0, 1'000'000, 20);
        for (const Design::Core& core : design.cores) {
            const Device& device = c.devices[core.device];
            if (device.channels == 0 || device.memories.empty())
                file_.fail(line, fmt::format("{} has no {}, which sparse designs need: add it to its file as "
                                             "docs/compare.md says (Devices), or name another device",
                                             device.id,
                                             device.channels == 0 ? "channels and channel_bandwidth" : "[[memory]]"));
        }
    }

    /// How its solves scale the system and the defect.
    void read_scaling(const toml::table& t, Design& design) const {
        design.jacobi = file_.truth(t, "jacobi", design.sparse);
        if (design.sparse && !design.jacobi)
            file_.fail(text::TomlText::line_of(t, "jacobi"), "solves of sparse designs are scaled: leave jacobi out");
        if (!t.contains("headroom")) return;
        const double bits = file_.number(t, "headroom", kLeastHeadroom - 1, kMostHeadroom, 0);
        if (bits != std::floor(bits))
            file_.fail(text::TomlText::line_of(t, "headroom"),
                       fmt::format("headroom must be a whole number from {} to {}", kLeastHeadroom, kMostHeadroom));
        design.headroom = static_cast<int>(bits);
    }

    void check_resident(const DatapathSpec& spec, std::uint32_t line) const {
        if (spec.lanes != 1) file_.fail(line, "the number of lanes of a resident design is found: leave lanes out");
        if (const std::string why = resident_words_refusal(spec); !why.empty())
            file_.fail(line, fmt::format("a resident design: {}", why));
    }

    void check_sparse(const DatapathSpec& spec, std::uint32_t line) const {
        if (spec.lanes != 1) file_.fail(line, "the number of lanes of a sparse design is found: leave lanes out");
        if (!spec.fixed_vectors())
            file_.fail(line, "a sparse design has fixed-point vectors: give a spec as \"fx24.18,coef=fx18.16\"");
    }

    void read_published(Comparison& c) const {
        const toml::node* node = file_.root().get("published");
        if (node == nullptr) return;
        const std::uint32_t line = text::TomlText::line_of(file_.root(), "published");
        if (!node->is_array_of_tables()) file_.fail(line, "published must be tables: write [[published]]");
        for (const toml::node& item : *node->as_array()) {
            const toml::table& t = *item.as_table();
            file_.check_keys(t, "a published time", {"problem", "label", "seconds_per_iteration", "device", "source"});
            for (const char* key : {"problem", "label", "seconds_per_iteration", "source"})
                if (!t.contains(key))
                    file_.fail(text::TomlText::line_of(t, key),
                               fmt::format("a published time without {}: give it", key));
            Published p;
            const std::uint32_t at = text::TomlText::line_of(t, "problem");
            p.problem = file_.at_line(at, [&] { return outline_problem(file_.text(t, "problem")).name; });
            if (std::find(c.problems.begin(), c.problems.end(), p.problem) == c.problems.end())
                file_.fail(at, "problem: not among the problems above");
            p.label = file_.text(t, "label");
            p.source = file_.text(t, "source");
            p.seconds_per_iteration = file_.number(t, "seconds_per_iteration", 0, 1e6, 0);
            if (t.contains("device")) p.device = read_devices(t, c).front();
            c.published.push_back(std::move(p));
        }
    }

    /// Fails on keys of the file that nothing in it has a use for.
    void check_used(const Comparison& c) const {
        const toml::table& t = file_.root();
        const auto refuse = [&](const char* key, const char* why) {
            if (t.contains(key)) file_.fail(text::TomlText::line_of(t, key), fmt::format("{} {}", key, why));
        };
        if (c.designs.empty())
            for (const char* key : {"scheme", "inner", "engine", "passes", "bands", "words", "fill"})
                refuse(key, "is for designs, and there are cycle cores alone: leave it out, or give a [[design]]");
        // (Of what is synthesised the cores that stream a grid alone are placed.)
        const bool placed = std::ranges::any_of(c.designs, [&](const Design& d) {
            return !d.resident && !d.sparse && std::ranges::any_of(d.cores, [&](const Design::Core& core) {
                return c.devices[core.device].target == "ecp5";
            });
        });
        if (c.place && !placed)
            refuse("place", "is for cores that stream a grid on a device of target ecp5, and no design has one: leave "
                            "it out");
        if (!c.place) refuse("seeds", "are of place and route: give place = true, or leave them out");
        if (c.gpu.empty()) refuse("gpu_watts", "is of the GPU in the files under gpu: give gpu, or leave it out");
        if (!c.has_sparse()) {
            refuse("gpu_watts", "is for the rows beside sparse designs, and there are none: leave it out");
            refuse("published", "times stand beside sparse designs, and there are none: leave them out");
        }
    }

    /// A new design, or more cores for one that is there.
    void enter(Comparison& c, const Design& design, std::uint32_t line) const {
        const auto known =
            std::find_if(c.designs.begin(), c.designs.end(), [&](const Design& d) { return d.same_as(design); });
        if (known == c.designs.end()) {
            if (c.designs.size() == kMaxDesigns)
                file_.fail(line, fmt::format("more than {} designs: split the comparison", kMaxDesigns));
            c.designs.push_back(design);
            return;
        }
        const std::string spec = to_string(design.spec);
        if (design.clock_mhz != known->clock_mhz || design.outer != known->outer ||
            design.fixed_clocks != known->fixed_clocks || design.sparse_cores != known->sparse_cores ||
            design.link_words != known->link_words || design.link_latency != known->link_latency)
            file_.fail(line, fmt::format("{} stands above with another clock_mhz, outer, fixed_clocks, cores or link: "
                                         "give it the same",
                                         spec));
        for (const Design::Core& core : design.cores) {
            if (std::find(known->cores.begin(), known->cores.end(), core) != known->cores.end())
                file_.fail(line, fmt::format("{} with {} multipliers on {} stands above already: keep one", spec,
                                             core.multiplier, c.devices[core.device].id));
            known->cores.push_back(core);
        }
        for (const std::string& engine : design.engines)
            if (std::find(known->engines.begin(), known->engines.end(), engine) == known->engines.end())
                known->engines.push_back(engine);
    }

    DatapathSpec read_spec(const std::string& text, std::uint32_t line) const {
        return file_.at_line(line, [&] { return parse_spec(text); });
    }
    static const Design* find_design(const Comparison& c, const DatapathSpec& spec) {
        const auto it =
            std::find_if(c.designs.begin(), c.designs.end(), [&](const Design& d) { return d.spec == spec; });
        return it == c.designs.end() ? nullptr : &*it;
    }

    std::vector<std::string> read_multipliers(const toml::table& t) const {
        std::vector<std::string> multipliers;
        for (const auto& [text, line] : file_.texts(t, "multiplier")) {
            if (text != "block" && text != "logic") file_.fail(line, "multiplier must be \"block\" or \"logic\"");
            multipliers.push_back(text);
        }
        return multipliers.empty() ? std::vector<std::string>{"block"} : multipliers;
    }

    std::vector<std::size_t> read_devices(const toml::table& t, const Comparison& c) const {
        std::vector<std::size_t> devices;
        for (const auto& [text, line] : file_.texts(t, "device")) {
            const auto index = index_of(c.devices, fs::path(text).stem().string());
            if (!index) file_.fail(line, fmt::format("device {} is not among those above", text::printable(text)));
            devices.push_back(*index);
        }
        if (devices.empty())
            for (std::size_t i = 0; i < c.devices.size(); ++i) devices.push_back(i);
        return devices;
    }

    void read_section55(Comparison& c) const {
        const toml::node* node = file_.root().get("section55");
        if (node == nullptr) return;
        const std::uint32_t line = text::TomlText::line_of(file_.root(), "section55");
        if (!node->is_table()) file_.fail(line, "section55 must be a table: write [section55]");
        const toml::table& t = *node->as_table();
        file_.check_keys(t, "section55", {"narrow", "wide", "problem", "target"});
        Section55Request request;
        const auto design = [&](const char* key, const char* fallback) {
            const std::uint32_t at = text::TomlText::line_of(t, key);
            DatapathSpec spec = read_spec(file_.text(t, key, fallback), at);
            if (find_design(c, spec) == nullptr) file_.fail(at, fmt::format("{}: not among the designs", key));
            return spec;
        };
        request.narrow = design("narrow", "s23e8");
        request.wide = design("wide", "s52e11");
        request.problem = c.problems.back();
        if (t.contains("problem")) {
            const std::uint32_t at = text::TomlText::line_of(t, "problem");
            request.problem = file_.at_line(at, [&] { return outline_problem(file_.text(t, "problem")).name; });
            if (std::find(c.problems.begin(), c.problems.end(), request.problem) == c.problems.end())
                file_.fail(at, "problem: not among the problems above");
        }
        request.target = file_.text(t, "target", "xc2v");
        const bool known = std::any_of(c.devices.begin(), c.devices.end(),
                                       [&](const Device& d) { return d.target == request.target; });
        if (!known) file_.fail(text::TomlText::line_of(t, "target"), "target: none of the devices above has it");
        c.section55 = std::move(request);
    }

    const text::TomlText& file_;
    std::string name_, folder_;
    std::vector<EngineEntry> engines_;
};

} // namespace

Comparison parse_comparison(std::string_view text, std::string_view name, const std::string& folder) {
    const text::TomlText file(text, name);
    return Reader(file, name, folder).read();
}

Comparison read_comparison(const std::string& path) {
    const base::FileText file = base::read_file(path);
    return parse_comparison(file.view(), path, fs::path(path).parent_path().string());
}

} // namespace mantissa::compare
