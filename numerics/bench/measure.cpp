#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <type_traits>

#include "loops.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa::bench {

#if defined(__x86_64__)
namespace avx512 {
const LoopTable& table();
}
namespace avx2 {
const LoopTable& table();
}
#endif
namespace baseline {
const LoopTable& table();
}

const LoopTable& loop_table() {
#if defined(__x86_64__)
    if (kernel_isa() == "avx512") return avx512::table();
    if (kernel_isa() == "avx2") return avx2::table();
#endif
    return baseline::table();
}

namespace {

/// n values from a 64-byte boundary on, as wide vectors like them: a load across two cache lines costs two.
template <class T> class Aligned {
public:
    void resize(std::size_t n) {
        storage_.resize(n + kBoundary / sizeof(T));
        const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
        begin_ = storage_.data() + (kBoundary - address % kBoundary) % kBoundary / sizeof(T);
        size_ = n;
    }
    [[nodiscard]] T* data() { return begin_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<T> span() { return {begin_, size_}; }

private:
    static constexpr std::size_t kBoundary = 64;
    std::vector<T> storage_;
    T* begin_ = nullptr;
    std::size_t size_ = 0;
};

/// The operands of every case of a carrier. All run on the same memory: where arrays happen to lie in a shared cache
/// decides more than the loops do.
template <class T> struct Arrays { Aligned<T> a, b, out; };

/// Numbers of `f` with exponents within eight of each other, either sign.
template <class T> std::shared_ptr<Arrays<T>> make_arrays(const Format& f, std::size_t n) {
    auto arrays = std::make_shared<Arrays<T>>();
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> fraction(1, 2);
    std::uniform_int_distribution<int> exponent(-4, 4);
    const auto fill = [&](Aligned<T>& x) {
        x.resize(n);
        for (T& value : x.span()) {
            const double magnitude = exact::convert(f, std::ldexp(fraction(random), exponent(random)));
            value = static_cast<T>((random() & 1) != 0 ? -magnitude : magnitude);
        }
    };
    fill(arrays->a);
    fill(arrays->b);
    arrays->out.resize(n);
    return arrays;
}

/// Float<F> holds nothing but its carrier.
template <class F, class T> F* as(T* x) {
    static_assert(sizeof(F) == sizeof(T) && alignof(F) == alignof(T) && std::is_standard_layout_v<F>);
    return reinterpret_cast<F*>(x);
}

class CaseList {
public:
    explicit CaseList(std::size_t n)
        : floats_(make_arrays<float>(TruncatingS17::format, n)),
          doubles_(make_arrays<double>(TruncatingS36::format, n)) {}
    std::vector<Case> take() { return std::move(cases_); }

    void add(std::string name, std::string baseline, double target, std::function<void()> run, std::string row = {},
             std::string column = {}) {
        cases_.push_back(
            {std::move(name), std::move(baseline), target, std::move(run), std::move(row), std::move(column)});
    }

    template <class T> std::shared_ptr<Arrays<T>> arrays() const {
        if constexpr (sizeof(T) == 4) return floats_;
        else return doubles_;
    }

    /// Loops over arrays of F, carried in T.
    template <class T, class F>
    void loops(const std::string& name, const std::string& baseline, double target, const Loops<F>& loops) {
        const auto with = [&](const char* op) { return baseline.empty() ? "" : baseline + op; };
        const auto bind = [x = arrays<T>()](Loop<F> run) {
            return [x, run] { run(as<F>(x->a.data()), as<F>(x->b.data()), as<F>(x->out.data()), x->a.size()); };
        };
        add(name + " add", with(" add"), target, bind(loops.add));
        add(name + " mul", with(" mul"), target, bind(loops.mul));
    }

    template <class T> void kernels(const Format& f, const std::string& baseline, double target) {
        const auto x = arrays<T>();
        const VectorUnit<T> unit(f);
        const std::string name = "kernel " + to_string(f);
        add(name + " add", baseline + " add", target, [x, unit] { unit.add(x->a.span(), x->b.span(), x->out.span()); });
        add(name + " mul", baseline + " mul", target, [x, unit] { unit.mul(x->a.span(), x->b.span(), x->out.span()); });
    }

    /// A kernel against native arithmetic, and the value type against the kernel.
    template <class F, class T> void format(double target, const std::string& native, const Loops<F>& value_loops) {
        const std::string text = to_string(F::format);
        kernels<T>(F::format, native, target);
        loops<T>("Float " + text, "kernel " + text, 0.8, value_loops);
    }

    void passes(int level);
    template <class T> void paths(const NativeLoops<T>& native, std::size_t elements);

private:
    std::shared_ptr<Arrays<float>> floats_;
    std::shared_ptr<Arrays<double>> doubles_;
    std::vector<Case> cases_;
};

constexpr double kCentre = 8.0 / 3, kEdge = -1.0 / 3;

/// The right-hand side of the timed passes: smooth, zero on the edges.
std::vector<double> right_hand_side(std::size_t side) {
    std::vector<double> b(side * side, 0.0);
    for (std::size_t y = 1; y + 1 < side; ++y)
        for (std::size_t x = 1; x + 1 < side; ++x) {
            const double s = static_cast<double>(x) / static_cast<double>(side - 1);
            const double t = static_cast<double>(y) / static_cast<double>(side - 1);
            b[y * side + x] = 2 * (s * (1 - s) + t * (1 - t)) / static_cast<double>(side);
        }
    return b;
}

struct NativeState {
    std::vector<float> u, r, p, q;
    NativePass<float> pass;

    explicit NativeState(std::size_t side) : u(side * side), r(side * side), p(side * side), q(side * side) {
        pass = {
            side, side, static_cast<float>(kCentre), static_cast<float>(kEdge), u.data(), r.data(), p.data(), q.data(),
            0,    0};
        restart();
    }
    void restart() {
        const auto b = right_hand_side(pass.row_length);
        std::transform(b.begin(), b.end(), r.begin(), [](double x) { return static_cast<float>(x); });
        for (auto* x : {&u, &p, &q}) std::fill(x->begin(), x->end(), 0.0F);
        pass.alpha = pass.beta = 0;
    }
};

constexpr std::uint64_t kPasses = 20; ///< in a timed call, from a fresh start so that no call meets a converged state

void CaseList::passes(int level) {
    const std::size_t side = (std::size_t{1} << level) + 1;
    const std::string at = " pass at level " + std::to_string(level);
    const auto native = std::make_shared<NativeState>(side);
    add("native float" + at, "", 0, [native, run = loop_table().float_pass] {
        native->restart();
        for (std::uint64_t i = 0; i < kPasses; ++i) run(native->pass);
    });
    std::array<double, kBands> coefficients{};
    coefficients.fill(kEdge);
    coefficients[4] = kCentre;
    const Stencil stencil(side, side, coefficients);
    for (const char* text : {"s17e8", "float"}) {
        const std::shared_ptr<Session> session = make_emulated_engine()->load(stencil, parse_spec(text), {});
        const auto b = std::make_shared<std::vector<double>>(right_hand_side(side));
        add("emulated " + std::string(text) + at, "native float" + at, std::string_view(text) == "s17e8" ? 1 / 1.5 : 0,
            [session, b] {
                for (const Vec v : {Vec::u, Vec::p, Vec::q}) session->clear(v);
                session->write(Vec::r, 0, *b);
                session->set_scalars(0, 0);
                session->run({kPasses, 0, 1});
            });
    }
}

/// Arrays of values of a format: positive for roots, and doubles for conversions.
template <class T> struct PathArrays {
    std::shared_ptr<Arrays<T>> first, second;
    std::shared_ptr<Arrays<double>> wide;

    PathArrays(const Format& f, std::size_t n)
        : first(make_arrays<T>(f, n)), second(make_arrays<T>(f, n)), wide(make_arrays<double>(formats::kDouble, n)) {
        for (T& x : second->b.span()) x = std::fabs(x);
    }
    [[nodiscard]] Operands<T> operands(Operation op) const {
        return {(op == Operation::sqrt ? second->b : first->a).data(),
                first->b.data(),
                second->a.data(),
                wide->a.data(),
                first->a.data()[0],
                first->out.data(),
                first->out.size()};
    }
};

template <class T> void run_kernel(const VectorUnit<T>& unit, const Timed& timed, const Operands<T>& x) {
    const std::span<const T> a(x.a, x.n), b(x.b, x.n), c(x.c, x.n);
    const std::span<T> out(x.out, x.n);
    if (timed.from_doubles) unit.convert({x.wide, x.n}, out);
    else unit.apply(timed.operation, a, b, c, x.s, out);
}

template <class T> void CaseList::paths(const NativeLoops<T>& native, std::size_t elements) {
    const std::string carrier = sizeof(T) == 4 ? "float" : "double";
    const auto name = [&](const std::string& what, int column) {
        return carrier + " arrays, " + what + " " + kTimed[column].name;
    };
    // A double's round() is its convert().
    const int columns = sizeof(T) == 4 ? kColumns : kColumns - 1;
    for (int k = 0; k < columns; ++k) {
        const PathArrays<T> x(path_formats<T>().front(), elements);
        add(name("native", k), "", 0, [x, run = native[k], in = x.operands(kTimed[k].operation)] { run(in); });
    }
    for (const Format& f : path_formats<T>()) {
        const PathArrays<T> x(f, elements);
        const VectorUnit<T> unit(f);
        const std::string row = carrier + " " + to_string(f) + " (" + std::string(unit.path()) + ")";
        for (int k = 0; k < columns; ++k)
            add(
                name(to_string(f), k), name("native", k), 0,
                [x, unit, k, in = x.operands(kTimed[k].operation)] { run_kernel(unit, kTimed[k], in); }, row,
                kTimed[k].name);
    }
}

/// One call's time, the mean of a few after untimed ones. A single pass does not settle arrays in a third-level cache
/// that is filled by what the second one evicts.
double seconds_of(const std::function<void()>& run) {
    constexpr int kUntimed = 3, kTimed = 3;
    for (int i = 0; i < kUntimed; ++i) run();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kTimed; ++i) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kTimed;
}

} // namespace

double median(std::vector<double> x) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    return *middle;
}

template <class T> std::vector<Format> path_formats() {
    std::vector<std::string> texts;
    if (sizeof(T) == 4)
        texts = {"s17e8",        "s10e5",     "s17e8:subnormals",     "s10e5:subnormals",    "float",
                 "s17e8:rne",    "s22e8:rne", "s17e8:rne:subnormals", "s7e8:rne:subnormals", "s10e5:rne:subnormals",
                 "s23e8:rne:sat"};
    else
        texts = {"s36e11",
                 "s30e9",
                 "s36e11:subnormals",
                 "s30e9:subnormals",
                 "double",
                 "s17e8:rne",
                 "s20e10:rne:subnormals",
                 "s30e11:rne",
                 "s51e11:rne",
                 "s40e11:rne:subnormals",
                 "s30e9:rne",
                 "s40e9:rne:subnormals",
                 "s52e11:rne:sat",
                 "s52e9:rne:subnormals"};
    std::vector<Format> formats;
    for (const std::string& text : texts) formats.push_back(parse_format(text));
    return formats;
}
template std::vector<Format> path_formats<float>();
template std::vector<Format> path_formats<double>();

std::vector<std::string> path_operations() {
    std::vector<std::string> names;
    for (const Timed& timed : kTimed) names.emplace_back(timed.name);
    return names;
}

std::vector<Case> make_cases(const CaseOptions& options) {
    const LoopTable& table = loop_table();
    CaseList list(options.elements);
    const std::string in_float = "native float", in_double = "native double";
    list.loops<float>(in_float, "", 0, table.native_float);
    list.loops<double>(in_double, "", 0, table.native_double);
    list.format<TruncatingS17, float>(0.9, in_float, table.truncating_s17);
    list.format<TruncatingS23, float>(0.9, in_float, table.truncating_s23);
    list.format<NearestS17, float>(0.75, in_float, table.nearest_s17);
    list.format<TruncatingS36, double>(0.9, in_double, table.truncating_s36);
    if (options.pass_level > 0) list.passes(options.pass_level);
    if (options.path_elements > 0) {
        list.paths<float>(table.native_float_all, options.path_elements);
        list.paths<double>(table.native_double_all, options.path_elements);
    }
    return list.take();
}

std::vector<Ratio> measure(const std::vector<Case>& cases, int repetitions) {
    std::vector<Ratio> ratios;
    std::vector<std::pair<const Case*, const Case*>> pairs;
    for (const Case& c : cases)
        for (const Case& b : cases)
            if (b.name == c.baseline) {
                pairs.emplace_back(&c, &b);
                ratios.push_back({c.name, b.name, 0, 0, 0, c.target, c.row, c.column});
            }
    std::vector<std::vector<double>> times(pairs.size()), baseline_times(pairs.size()), speeds(pairs.size());
    for (int n = 0; n < repetitions; ++n)
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const auto& [work, yardstick] = pairs[k];
            baseline_times[k].push_back(seconds_of(yardstick->run));
            times[k].push_back(seconds_of(work->run));
            speeds[k].push_back(baseline_times[k].back() / times[k].back());
        }
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        ratios[k].seconds = median(times[k]);
        ratios[k].baseline_seconds = median(baseline_times[k]);
        ratios[k].speed = median(speeds[k]);
    }
    return ratios;
}

} // namespace mantissa::bench
