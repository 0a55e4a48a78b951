#include <cstdlib>

#include "fixed_matrix.hpp"
#include "fixed_session.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "mantissa/row_forms.hpp"
#include "resident/twin.hpp"
#include "session_base.hpp"

namespace mantissa {

namespace {

class EmulatedEngine final : public Engine {
public:
    explicit EmulatedEngine(bool general) : general_(general) {}
    [[nodiscard]] std::string name() const override { return "emulated"; }
    [[nodiscard]] std::string description() const override {
        return "vectorised C++ emulation on this processor, the executable specification (kernels: " +
               std::string(kernel_isa()) + ")";
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        try {
            spec.validate();
            if (std::string why = free_sums_refusal(spec); !why.empty()) return why;
            if (std::string why = row_form_refusal(spec.order, system); !why.empty()) return why;
            if (std::string why = point_refusal(spec, options); !why.empty()) return why;
            if (spec.fixed_vectors()) return detail::fixed_refusal(system, spec);
        } catch (const InvalidInput& e) {
            return e.what();
        }
        return {};
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string why = refusal(spec, system, options); !why.empty()) throw InvalidInput(why);
        if (spec.fixed_vectors()) {
            if (!general_)
                if (auto session = detail::make_fixed_fused_session(system, spec, options)) return session;
            return detail::make_fixed_general_session(system, spec, options);
        }
        if (!general_)
            if (auto session = detail::make_fused_session(system, spec, options)) return session;
        return detail::make_block_session(system, spec, options);
    }
    [[nodiscard]] std::string resident_refusal(const DatapathSpec& spec, const System& system,
                                               const Format& iterate) const override {
        return detail::twin_refusal(spec, system, iterate);
    }
    [[nodiscard]] std::unique_ptr<ResidentSolver> resident(const System& system, const DatapathSpec& spec,
                                                           const Format& iterate, int threads) const override {
        if (const std::string why = resident_refusal(spec, system, iterate); !why.empty()) throw InvalidInput(why);
        return detail::make_resident_twin(system, spec, iterate, threads);
    }
    [[nodiscard]] std::string cycle_refusal(const System&, const CycleSpec&) const override { return {}; }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return multilevel::word_cycles_refusal(name(), system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        if (const std::string why = cycles_refusal(system, spec, loop); !why.empty()) throw InvalidInput(why);
        const auto grid = *multilevel::grid_words(system);
        return multilevel::make_cycle_solver(grid, loop, multilevel::make_word_solver(grid, spec));
    }

    [[nodiscard]] bool has_native() const override { return true; }
    [[nodiscard]] std::string native_refusal(const DatapathSpec& spec, const System& system,
                                             const NativeChoice& choice) const override {
        return recurrence::processor_native_refusal(spec, system, choice);
    }
    [[nodiscard]] std::unique_ptr<NativeSolver> native(const System& system, const DatapathSpec& spec,
                                                       const NativeChoice& choice) const override {
        if (const std::string why = native_refusal(spec, system, choice); !why.empty()) throw InvalidInput(why);
        return recurrence::make_processor_native(spec, system, choice);
    }

private:
    static std::string point_refusal(const DatapathSpec& spec, const SessionOptions& options) {
        if (!spec.moves() || options.recurrence == Recurrence::pipelined) return {};
        return "point=moving: the point moves between passes of the pipelined recurrence; leave it out with others";
    }

    bool general_;
};

} // namespace

std::unique_ptr<Engine> make_emulated_engine(EmulatedPath path) {
    return std::make_unique<EmulatedEngine>(path == EmulatedPath::general);
}

} // namespace mantissa
