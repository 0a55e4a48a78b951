// The system around the core: one elaborated simulation that serves every session's runs in turn.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core_timing.hpp"
#include "mantissa/engine.hpp"
#include "mantissa_hls/abi.hpp"
#include "memory_system.hpp"
#include "timed_fifo.hpp"
#include "workers.hpp"

namespace mantissa::sim {

class RtlCore;

/// Where a session's vectors and bands lie in its store, in bytes.
struct Layout {
    std::uint64_t vector[2][4]{}; ///< by bank: u r p q
    std::uint64_t band[9]{};
    std::uint64_t bytes = 0;
};

/// What a run needs; the session owns it.
struct Job {
    const DatapathSpec* spec = nullptr;
    const mantissa_hls::Kernel* kernel = nullptr;
    void* state = nullptr; ///< the kernel's
    mantissa_hls::Shape shape;
    SystemcOptions options;
    const CoreTiming* timing = nullptr;
    Store* store = nullptr;
    Layout layout;
    std::size_t element_bytes[5]{}; ///< in memory: u r p q coefficient
    int bank = 0;                   ///< that holds u r p q now
    mantissa_hls::ScalarWords* words = nullptr;
    std::uint64_t rho_stop = 0, rho_stop_from = 1, passes = 1;
    std::vector<mantissa_hls::PassRequest> given; ///< alpha and beta of each pass, where they are known in advance
    bool summed = true;                           ///< else they are, and there are no dot products
    SystemReport* report = nullptr;
    bool unfit = false;     ///< a word written did not fit: the coming pass ends with window_overflow
    RtlCore* rtl = nullptr; ///< stands in the core's place when set
};

struct JobResult {
    std::uint64_t passes = 0, sigma_guards = 0, cycles = 0;
    RunEnd end = RunEnd::passes;
    WordUse words;
    std::string deadlock; ///< one line when the run stood still
};

/// A process's own clock and its stalls.
struct Stage {
    std::string name;
    Cycle at = 0; ///< clock of its last step; before the first, one less than its first clock
    StageReport report;
};

class CoreSystem : public sc_core::sc_module {
public:
    /// The one of this program.
    static CoreSystem& instance();
    /// Runs a job to its end or to a deadlock. One at a time.
    JobResult run(Job& job);
    /// The processes of every run, sparse cores' too.
    [[nodiscard]] Workers& workers() { return workers_; }

private:
    explicit CoreSystem(const sc_core::sc_module_name& name);

    struct Bound { ///< what holds a step back
        TimedFifo* fifo = nullptr;
        bool full = false;
    };
    /// A step under way: the latest of the clocks that its FIFOs allow.
    class Step {
    public:
        Step(CoreSystem& system, Stage& stage) : system_(system), stage_(stage), at_(stage.at + 1) {}
        void input(TimedFifo& f) { take(f.await_beat(system_.abandoned_), {&f, false}); }
        void output(TimedFifo& f) { take(f.await_room(system_.abandoned_), {&f, true}); }
        Cycle done(bool counts = true);

    private:
        void take(Cycle from, Bound bound) {
            if (from > at_) {
                at_ = from;
                bound_ = bound;
            }
        }
        CoreSystem& system_;
        Stage& stage_;
        Cycle at_;
        Bound bound_;
    };

    void build_fifos();
    void configure();
    void controller();
    void rtl_controller();
    void begin_streams(Cycle first, int bank);
    void begin_pass(Cycle first);
    void spawn(std::function<void()> body);
    void reader(Stage& stage, TimedFifo& to, std::size_t socket, std::uint64_t from, std::size_t vector);
    void writer(Stage& stage, TimedFifo& from, std::size_t socket, std::uint64_t to, std::size_t vector);
    void update();
    void lines();
    void rows();
    void dot_rr();
    void dot_pq();
    void sync(Cycle to);
    /// Moves `bytes` at `address` and returns the clocks it takes.
    double access(std::size_t socket, bool write, std::uint64_t address, std::byte* data, std::size_t bytes);
    [[nodiscard]] std::string explain() const;
    [[nodiscard]] std::size_t word_bytes(std::size_t vector) const;

    // TLM: a socket per stream (u r p q and nine bands in, u r p q out), the interconnect, the channels.
    static constexpr std::size_t kSockets = 17;
    sc_core::sc_vector<tlm_utils::simple_initiator_socket<CoreSystem>> dma_;
    Interconnect interconnect_;
    sc_core::sc_vector<MemoryController> controllers_;

    std::vector<std::unique_ptr<TimedFifo>> fifos_;
    TimedFifo *u_in_, *r_in_, *p_in_, *q_in_, *u_out_, *r_out_, *p_out_, *q_out_, *r_dot_, *p_line_, *p_dot_, *q_dot_,
        *window_;
    std::array<TimedFifo*, 9> band_in_;
    std::vector<std::unique_ptr<Stage>> stages_; ///< load u r p q, store u r p q, load_band, the others
    Stage *update_, *lines_, *rows_, *rr_, *pq_;

    Job* job_ = nullptr;
    JobResult result_;
    bool abandoned_ = false;
    bool finished_ = false;
    Cycle landed_ = 0; ///< when the last write of the pass can be read
    int running_ = 0;  ///< processes of this pass
    sc_core::sc_event all_done_;
    Workers workers_;
};

} // namespace mantissa::sim
