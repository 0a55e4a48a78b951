// What sessions of every RTL core do by way of its registers: programming a run, its end, the scalars.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gtkwave_save.hpp"
#include "mantissa/sim/rtl_engine.hpp"

namespace mantissa::sim {

/// A session over a core's registers; who derives brings the model, the vectors and the clocks.
class CoreSession : public RtlSession {
public:
    explicit CoreSession(const DatapathSpec& spec, Recurrence recurrence = Recurrence::pipelined,
                         std::shared_ptr<UpsetTrial> trial = {})
        : spec_(spec), trial_(std::move(trial)), given_(recurrence == Recurrence::chebyshev) {}

    void set_scalars(double alpha, double beta) override;
    [[nodiscard]] Scalars scalars() const override { return scalars_; }
    RunReport run(const RunRequest& request) override;
    [[nodiscard]] std::string fault() const override { return fault_; }
    [[nodiscard]] const CycleCounts& counts() const override { return counts_; }
    void start(const RunRequest& request) override;
    RunReport finish() override;
    void reset() override;

protected:
    /// The wire alone: the registers are programmed again after it.
    virtual void reset_core() = 0;
    virtual void program_system() = 0;
    /// Before a run's registers are written, and after a run: STATUS.
    virtual void before_run() {}
    virtual void after_run(std::uint32_t /*status*/) {}
    /// After a run without a fault, which can still become one: what throws because the core does not answer is one.
    virtual void settle() {}

    /// STALL_LIMIT: where upsets are looked for the core is to end by itself; its memory does not stall there.
    [[nodiscard]] std::uint32_t stall_limit() const { return trial_ ? 4096 : 0; }
    /// The limit of a model's run that advance(clocks) makes, and what became of that run, by the model's code for it.
    [[nodiscard]] std::uint64_t run_limit(std::uint64_t clocks) const;
    void note_run(int code, std::uint64_t clocks);
    /// Does it; where the core does not answer, the next run ends in a fault.
    template <class Act> void attempt(Act&& act) {
        try {
            act();
        } catch (const std::runtime_error& error) {
            if (!core_does_not_serve(error)) throw;
            silent_ = error.what();
        }
    }

    void write_scalars();
    void write_pair(std::uint32_t address, std::uint64_t value) {
        write_register(address, static_cast<std::uint32_t>(value));
        write_register(address + 4, static_cast<std::uint32_t>(value >> 32));
    }
    std::uint64_t read_pair(std::uint32_t address) {
        return read_register(address) | (std::uint64_t{read_register(address + 4)} << 32);
    }

    DatapathSpec spec_;
    Scalars scalars_;
    CycleCounts counts_;
    std::string fault_;
    std::shared_ptr<UpsetTrial> trial_;
    bool unfit_ = false; // a value that does not fit was written
    mutable SaveOfTrace save_;

private:
    /// Adds to the report until the run ends. Throws where the core does not answer.
    void run_pieces(const RunRequest& request, RunReport& report);
    void end_unfit(RunReport& report);
    /// Those of a run, in operands, into the core's table where it holds others.
    void write_pairs(const RunRequest& request);
    /// What the scalar unit holds after a run; in its place the last pass's pair.
    [[nodiscard]] Scalars scalars_after(std::uint64_t passes);
    /// Bits of the longest word of a vector, from its register WORDS.
    int longest(std::uint32_t address);

    bool given_;                  ///< alpha and beta come from the core's table
    std::vector<StepPair> pairs_; ///< of the run
    std::vector<StepPair> held_;  ///< by the table
    std::string silent_;          ///< why attempt() got no answer
};

} // namespace mantissa::sim
