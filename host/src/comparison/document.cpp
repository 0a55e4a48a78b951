// Every key of the document, once, in the order in which it is written.
#include "document.hpp"

#include <concepts>

#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"

namespace mantissa::comparison {

namespace {

// fields() walks the keys and members of a structure for both directions: `v` is a Writer or a Reader, and S the
// structure or its const one.
template <class S, class T>
concept Of = std::same_as<std::remove_const_t<S>, T>;

template <class V> void fields(V& v, Of<StageFormats> auto& s) {
    v("vectors", s.vectors, "iterate", s.iterate, "row sum", s.row_sum, "accumulators", s.accumulators);
}
template <class V> void fields(V& v, Of<Memory> auto& m) {
    v("name", m.name, "count", m.count, "width", m.width, "depth", m.depth);
}
template <class V> void fields(V& v, Of<Device> auto& d) {
    v("id", d.id, "name", d.name, "kind", d.kind, "target", d.target, "slices", d.slices, "blocks", d.blocks);
    v("memory_bits", d.memory_bits, "io_bits", d.pins, "bandwidth", d.bandwidth, "link", d.link, "max_mhz", d.max_mhz);
    v("watts", d.watts, "channels", d.channels, "channel_bandwidth", d.channel_bandwidth, "memories", d.memories);
    v("source", d.source);
}
template <class V> void fields(V& v, Of<EngineSolve> auto& s) {
    v("engine", s.engine, "inner", s.inner, "outer_iterations", s.outer_iterations, "status", s.status);
    v("inner_iterations", s.inner_iterations, "seconds", s.seconds, "cycles", s.cycles, "origin", s.origin);
}
template <class V> void fields(V& v, Of<Design> auto& d) {
    v("spec", d.spec, "resident", d.resident, "sparse", d.sparse, "problem", d.problem, "unknowns", d.unknowns);
    v("stages", d.stages, "lanes", d.lanes, "status", d.status, "engine", d.engine, "inner", d.inner);
    v("inner_iterations", d.inner_iterations, "outer_iterations", d.outer_iterations);
    v("true_residual", d.true_residual, "error", d.error, "iterations_origin", d.iterations_origin);
    v("engines", d.engines, "words_per_element", d.words_per_element, "bytes_per_element", d.bytes_per_element);
    v("cycles_per_iteration", d.cycles_per_iteration, "cycles_origin", d.cycles_origin);
    v("cycles_engine", d.cycles_engine, "cycles_kind", d.cycles_kind);
    v("chebyshev", d.chebyshev, "jacobi", d.jacobi, "headroom", d.headroom);
}
template <class V> void fields(V& v, Of<Core> auto& c) {
    v("spec", c.spec, "target", c.target, "multiplier", c.multiplier, "bands", c.bands, "part", c.part);
    v("lanes", c.lanes, "luts", c.luts, "memory_luts", c.memory_luts, "flip_flops", c.flip_flops, "slices", c.slices);
    v("slices_kind", c.slices_kind, "blocks", c.blocks, "memory_bits", c.memory_bits);
    v("memory_blocks", c.memory_blocks, "io_bits", c.io_bits, "depth", c.depth, "mhz", c.mhz, "mhz_kind", c.mhz_kind);
    v("model_path", c.model_path, "mhz_origin", c.mhz_origin, "origin", c.origin);
}
template <class V> void fields(V& v, Of<MemoryUse> auto& m) {
    v("name", m.name, "used", m.used, "count", m.count);
}
template <class V> void fields(V& v, Of<Resident> auto& r) {
    v("outer_lanes", r.outer_lanes, "outer_words", r.outer_words, "fixed_clocks", r.fixed_clocks);
    v("outer_clocks", r.outer_clocks, "seconds_link", r.seconds_link, "memories", r.memories);
}
template <class V> void fields(V& v, Of<Row> auto& r) {
    v("problem", r.problem, "device", r.device, "spec", r.spec, "multiplier", r.multiplier, "lanes", r.lanes);
    v("cores", r.cores, "bound", r.bound, "clock_hz", r.clock_hz, "clock_kind", r.clock_kind, "inner", r.inner);
    v("inner_iterations", r.inner_iterations, "outer_iterations", r.outer_iterations);
    v("cycles_per_iteration", r.cycles_per_iteration, "bytes_per_iteration", r.bytes_per_iteration);
    v("seconds_per_iteration", r.seconds_per_iteration, "seconds_inner", r.seconds_inner);
    v("seconds_outer", r.seconds_outer, "seconds", r.seconds, "seconds_kind", r.seconds_kind, "slices", r.slices);
    v("blocks", r.blocks, "memory_bits", r.memory_bits, "area_share", r.area_share, "area_time", r.area_time);
    v("energy_joules", r.energy_joules, "pareto", r.pareto, "resident", r.resident, "modelled", r.modelled);
    v("origins", r.origins, "chebyshev", r.chebyshev, "seconds_link", r.seconds_link);
}
/// Ours and others' figures stand in different orders; a Reader takes them in any.
template <class V> void fields(V& v, Of<SparseRow> auto& r) {
    v("problem", r.problem, "device", r.device, "kind", r.kind, "label", r.label);
    const auto bandwidth = [&] { v("bytes_per_second", r.bytes_per_second); };
    const auto seconds = [&] { v("seconds", r.seconds); };
    const auto energy = [&] { v("energy_joules", r.energy_joules); };
    const auto status = [&] { v("status", r.status); };
    const auto iterations = [&] { v("iterations", r.iterations); };
    if (V::kReads || r.ours()) {
        v("spec", r.spec, "multiplier", r.multiplier, "cores", r.cores, "lanes", r.lanes, "channels", r.channels);
        v("bound", r.bound, "clock_hz", r.clock_hz, "clock_kind", r.clock_kind);
        v("cycles_per_iteration", r.cycles_per_iteration, "cycles_kind", r.cycles_kind);
        v("cycles_one_core", r.cycles_one_core, "beats", r.beats, "addresses", r.addresses);
        v("fixed_clocks", r.fixed_clocks, "conflict_beats", r.conflict_beats, "fill", r.fill, "slices", r.slices);
        v("blocks", r.blocks, "area_share", r.area_share, "memories", r.memories, "modelled", r.modelled);
    } else {
        iterations(), seconds(), status(), energy(), bandwidth();
    }
    v("origins", r.origins, "seconds_per_iteration", r.seconds_per_iteration);
    v("operations_per_second", r.operations_per_second, "watts", r.watts);
    v("operations_per_joule", r.operations_per_joule);
    if (!V::kReads && !r.ours()) return;
    bandwidth();
    v("inner", r.inner), iterations();
    v("outer_iterations", r.outer_iterations, "true_residual", r.true_residual), seconds();
    v("seconds_inner", r.seconds_inner), energy(), status();
    v("area_time", r.area_time, "pareto", r.pareto);
}
/// As of sparse rows.
template <class V> void fields(V& v, Of<CycleRow> auto& r) {
    const bool ours = V::kReads || r.ours();
    const auto link = [&] { v("seconds_link", r.seconds_link); };
    v("problem", r.problem, "device", r.device, "cycle", r.cycle);
    if (ours) v("outer", r.outer, "lanes", r.lanes, "cores", r.cores);
    v("cycles", r.cycles, "true_residual", r.true_residual);
    if (ours)
        v("clocks_per_cycle", r.clocks_per_cycle, "clocks", r.clocks, "clock_hz", r.clock_hz, "clock_kind",
          r.clock_kind);
    v("seconds_core", r.seconds_core);
    if (ours) v("bus_words", r.bus_words, "seconds_streams", r.seconds_streams), link();
    v("seconds", r.seconds);
    if (ours) v("energy_joules", r.energy_joules, "memory_share", r.memory_share, "area_share", r.area_share);
    else link();
    v("modelled", r.modelled, "origins", r.origins, "slices", r.slices, "multipliers", r.multipliers);
    v("area_from", r.area_from);
}
template <class V> void fields(V& v, Of<Peer> auto& p) {
    v("problem", p.problem, "engine", p.engine, "label", p.label, "iterations", p.iterations);
    v("outer_iterations", p.outer_iterations, "seconds", p.seconds, "seconds_least", p.seconds_least);
    v("seconds_most", p.seconds_most, "true_residual", p.true_residual, "reached", p.reached, "error", p.error);
    v("energy_joules", p.energy_joules, "kind", p.kind, "origin", p.origin);
}
template <class V, class R>
requires Of<R, Ratios<double>> || Of<R, Ratios<Kind>>
void fields(V& v, R& r) {
    v("iterations_ratio", r.iterations_ratio, "area_ratio", r.area_ratio, "clock_ratio", r.clock_ratio);
    v("io_ratio", r.io_ratio, "slowdown", r.slowdown, "speedup", r.speedup);
}
template <class V> void fields(V& v, Of<CoreRatios> auto& r) {
    v("area_ratio", r.area_ratio, "blocks_ratio", r.blocks_ratio, "io_ratio", r.io_ratio);
    v("clock_ratio", r.clock_ratio, "clock_kind", r.clock_kind, "origins", r.origins);
}
template <class V> void fields(V& v, Of<DesignRatios> auto& d) {
    v("spec", d.spec, "multiplier", d.multiplier, "iterations_ratio", d.iterations_ratio);
    fields(v, d.cores);
    v("speedup", d.speedup);
}
template <class V> void fields(V& v, Of<ByMultiplier> auto& b) {
    v("logic", b.logic, "block", b.block);
}
template <class V> void fields(V& v, Of<Section55> auto& s) {
    v("narrow", s.narrow, "wide", s.wide, "problem", s.problem, "target", s.target, "paper", s.paper, "ours", s.ours);
    v("kinds", s.kinds, "area_multiplier", s.area_multiplier, "clock_multiplier", s.clock_multiplier);
    v("by_multiplier", s.by_multiplier, "designs", s.designs, "origins", s.origins, "text", s.text);
}
template <class V> void fields(V& v, Of<Best> auto& b) {
    v("problem", b.problem, "device", b.device, "by", b.by, "designs", b.designs, "spec", b.spec);
    v("multiplier", b.multiplier, "lanes", b.lanes, "resident", b.resident, "cores", b.cores, "inner", b.inner);
    v("bound", b.bound, "seconds", b.seconds, "area_share", b.area_share, "area_time", b.area_time, "kind", b.kind);
    v("stages", b.stages, "origins", b.origins, "chebyshev", b.chebyshev);
}
template <class V> void fields(V& v, Of<StageChoice> auto& c) {
    v("format", c.format, "spec", c.spec, "multiplier", c.multiplier, "cores", c.cores, "seconds", c.seconds);
    v("area_time", c.area_time);
}
template <class V> void fields(V& v, Of<StageChoices> auto& s) {
    v("problem", s.problem, "device", s.device, "stage", s.stage, "by", s.by, "format", s.format, "kind", s.kind);
    v("choices", s.choices);
}
template <class V> void fields(V& v, Of<Gap> auto& g) {
    v("what", g.what, "why", g.why, "mend", g.mend);
}
template <class V> void fields(V& v, Of<Reference> auto& r) {
    v("problem", r.problem, "what", r.what, "iterations", r.iterations, "origin", r.origin);
}
template <class V> void fields(V& v, Of<Origin> auto& o) { // (its id is a key)
    v("kind", o.kind, "what", o.what, "command", o.command, "commit", o.commit, "machine", o.machine);
    v("date", o.date, "version", o.version);
}
template <class V> void fields(V& v, Of<ComparisonDocument> auto& d) {
    v("name", d.name, "tolerance", d.tolerance, "scheme", d.scheme, "inner", d.inner, "inners", d.inners);
    v("assumptions", d.assumptions, "devices", d.devices, "designs", d.designs, "cores", d.cores, "rows", d.rows);
    v("sparse", d.sparse, "cycle_cores", d.cycle_cores, "peers", d.peers, "section55", d.section55, "best", d.best);
    v("best_constant_stencil", d.best_constant_stencil, "stages", d.stages, "gaps", d.gaps);
    v("references", d.references, "findings", d.findings, "origins", d.origins);
}

template <class T> constexpr bool kIsMaybe = false;
template <class T> constexpr bool kIsMaybe<Maybe<T>> = true;
template <class T> constexpr bool kIsOptional = false;
template <class T> constexpr bool kIsOptional<std::optional<T>> = true;
template <class T> constexpr bool kIsList = false;
template <class T> constexpr bool kIsList<std::vector<T>> = true;

struct Writer {
    static constexpr bool kReads = false;
    Json json = Json::object();

    template <class T, class... More> void operator()(const char* key, const T& value, const More&... more) {
        if constexpr (kIsMaybe<T>) {
            if (!value.lacks) json[key] = value ? written(*value) : Json(nullptr);
        } else if constexpr (kIsOptional<T>) {
            if (value) json[key] = written(*value);
        } else {
            json[key] = written(value);
        }
        if constexpr (sizeof...(More) > 0) (*this)(more...);
    }

    template <class T> static Json written(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            return text_of(value);
        } else if constexpr (std::same_as<T, std::vector<Origin>>) {
            Json by_id = Json::object();
            for (const Origin& o : value) by_id[o.id] = written(o);
            return by_id;
        } else if constexpr (kIsList<T>) {
            Json list = Json::array();
            for (const auto& item : value) list.push_back(written(item));
            return list;
        } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
            return value;
        } else {
            Writer inner;
            fields(inner, value);
            return std::move(inner.json);
        }
    }
};

struct Reader {
    static constexpr bool kReads = true;
    const Json& json;
    std::string* wrong = nullptr; ///< set to the first key whose value is of another type

    template <class T, class... More> void operator()(const char* key, T& value, More&... more) const {
        const auto it = json.find(key);
        if constexpr (kIsMaybe<T>) value.lacks = it == json.end();
        if (it != json.end()) {
            bool right = false;
            if constexpr (kIsMaybe<T> || kIsOptional<T>) {
                typename T::value_type known{};
                right = read(*it, known);
                if (right) value.emplace(std::move(known));
            } else {
                right = read(*it, value);
            }
            if (!right && !it->is_null() && wrong != nullptr && wrong->empty()) *wrong = key;
        }
        if constexpr (sizeof...(More) > 0) (*this)(more...);
    }

    /// False, and nothing is taken, where the type is another.
    template <class T> bool read(const Json& from, T& value) const {
        if constexpr (std::same_as<T, std::vector<Origin>>) {
            if (!from.is_object()) return false;
            for (const auto& [id, origin] : from.items())
                if (Origin o; read(origin, o)) {
                    o.id = id;
                    value.push_back(std::move(o));
                }
        } else if constexpr (kIsList<T>) {
            if (!from.is_array()) return false;
            for (const Json& item : from)
                if (typename T::value_type known{}; read(item, known)) value.push_back(std::move(known));
        } else if constexpr (std::same_as<T, bool>) {
            if (!from.is_boolean()) return false;
            value = from.get<bool>();
        } else if constexpr (std::is_arithmetic_v<T>) {
            if (!from.is_number()) return false;
            // (whole numbers are never below zero here, but for bits of headroom)
            const auto number = from.get<double>();
            if (std::integral<T> && !(number > -1e9 && number < (std::unsigned_integral<T> ? 1e18 : 1e9))) return false;
            if (std::unsigned_integral<T> && number < 0) return false;
            value = from.get<T>();
        } else if constexpr (std::is_enum_v<T>) {
            if (!from.is_string()) return false;
            value = value_of<T>(from.get_ref<const std::string&>());
        } else if constexpr (std::same_as<T, std::string>) {
            if (!from.is_string()) return false;
            value = from.get<std::string>();
        } else {
            if (!from.is_object()) return false;
            const Reader inner{from, wrong};
            fields(inner, value);
        }
        return true;
    }
};

} // namespace

std::string cycle_name(const std::string& cycle, const std::string& outer) {
    return outer.empty() || outer == to_string(kCycleIterate) ? cycle : cycle + ", u " + outer;
}

Json to_json(const ComparisonDocument& document) {
    return Writer::written(document);
}

Json to_json(const Row& row) {
    return Writer::written(row);
}
Json to_json(const SparseRow& row) {
    return Writer::written(row);
}

ComparisonDocument document_from_json(const Json& json, std::string* wrong) {
    ComparisonDocument document;
    Reader{json, wrong}.read(json, document);
    return document;
}

} // namespace mantissa::comparison
