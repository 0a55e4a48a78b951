// A timed cycle core of some lanes. Internal to sim/systemc.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "../sparse/session.hpp"
#include "../system.hpp"
#include "../timed_fifo.hpp"
#include "mantissa/hls/cycle_memories.hpp"
#include "mantissa/hls/cycles.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"

namespace mantissa::sim {

template <int Lanes> class TimedCycles final : public multilevel::WordSolver {
    using Word = mantissa_hls::cycle::Word;
    using Grid = mantissa_hls::cycle::LevelGrid<Lanes>;
    using Smoothed = mantissa_hls::cycle::Smoothed<Lanes>;
    using Risen = mantissa_hls::cycle::Risen<Lanes>;
    template <class T> using Beat = mantissa_hls::Beat<T, Lanes>;
    static constexpr int kSteps = mantissa_hls::cycle::kMostSteps;

public:
    TimedCycles(const multilevel::GridPlan& plan, const SystemcOptions& options)
        : options_(options), plan_(hls::cycle_plan(plan)), before_(plan.before.size()), after_(plan.after.size()),
          memories_(plan_.levels), m_(memories_.memory()), stages_(std::make_unique<Stages>()) {
        const auto fifo = [](const std::string& name, const std::string& writer, const std::string& reader, int latency,
                             std::size_t bytes) {
            auto made = std::make_unique<TimedFifo>(name, writer, reader);
            // What is on its way through the writer's stages, and a few beats between the two.
            made->configure(static_cast<std::uint32_t>(latency) + 4, bytes);
            return made;
        };
        const multilevel::CycleTiming& t = multilevel::kCycleTiming;
        for (std::size_t k = 0; k <= before_; ++k)
            down_.push_back(fifo("down" + std::to_string(k), name_of("step", k), name_of("step", k + 1),
                                 k == 0 ? t.enter : t.step, sizeof(Smoothed)));
        for (std::size_t k = 0; k <= after_; ++k)
            up_.push_back(fifo("up" + std::to_string(k), name_of("after", k), name_of("after", k + 1),
                               k == 0 ? t.rise : t.after, sizeof(Risen)));
        v_ = fifo("v", "shorten", "rise", t.shorten, sizeof(Beat<std::int32_t>));
        for (const char* name : {"enter", "restrict", "shorten", "rise", "store", "correct"}) process(name);
        for (std::size_t k = 1; k <= before_; ++k) process(name_of("step", k));
        for (std::size_t k = 1; k <= after_; ++k) process(name_of("after", k));
    }

    multilevel::WordOutcome solve(std::span<const std::int64_t> b, const multilevel::WordRequest& request,
                                  std::vector<std::int64_t>& u) override {
        memories_.load(b);
        multilevel::WordOutcome out;
        {
            const Simulation lock;
            (void)CoreSystem::instance(); // elaborates
            sc_core::sc_spawn([&] { out = run(request); }, sc_core::sc_gen_unique_name("cycle_controller"));
            sc_core::sc_start();
        }
        memories_.read(u);
        if (options_.last_report) report(*options_.last_report, out);
        return out;
    }

private:
    struct Process {
        Cycle at = 0; ///< of its last step
        StageReport report;
    };
    struct Stages {
        mantissa_hls::cycle::Scale<Lanes> scale;
        mantissa_hls::cycle::Squares<Lanes> squares;
        mantissa_hls::cycle::SmoothDown<Lanes> down[kSteps];
        mantissa_hls::cycle::Restrict<Lanes> restriction;
        mantissa_hls::cycle::Shorten<Lanes> shorten;
        mantissa_hls::cycle::Interpolate<Lanes> interpolation;
        mantissa_hls::cycle::SmoothUp<Lanes> up[kSteps];
        mantissa_hls::cycle::Update<Lanes> update;
    };

    static std::string name_of(const char* stage, std::size_t k) { return stage + std::to_string(k); }
    void process(const std::string& name) {
        processes_.push_back(std::make_unique<Process>());
        processes_.back()->report.name = name;
    }
    Process& named(const std::string& name) {
        for (const auto& p : processes_)
            if (p->report.name == name) return *p;
        return *processes_.front();
    }

    /// A step under way: the first clock that its FIFOs allow.
    class Step {
    public:
        Step(TimedCycles& core, Process& process) : core_(core), process_(process), at_(process.at + 1) {}
        void input(TimedFifo& f) { at_ = std::max(at_, f.await_beat(core_.abandoned_)); }
        /// What enters now leaves `latency` clocks on.
        void output(TimedFifo& f, int latency) {
            const Cycle from = f.await_room(core_.abandoned_), ahead = static_cast<Cycle>(latency - 1);
            at_ = std::max(at_, from > ahead ? from - ahead : 0);
        }
        Cycle done() {
            process_.report.stalls += at_ - (process_.at + 1);
            ++process_.report.steps;
            return process_.at = at_;
        }

    private:
        TimedCycles& core_;
        Process& process_;
        Cycle at_;
    };
    template <class T> static void push(TimedFifo& f, Cycle at, int latency, const T& beat) {
        f.push(at + static_cast<Cycle>(latency - 1), &beat);
    }

    /// Runs the bodies as processes from clock `first` on, and waits for all.
    void sweep(Cycle first, std::vector<std::function<void()>> bodies) {
        for (const auto& p : processes_) p->at = first - 1;
        for (const auto& f : down_) f->reset();
        for (const auto& f : up_) f->reset();
        v_->reset();
        sc_core::sc_event done;
        std::size_t running = bodies.size();
        for (auto& body : bodies)
            sc_core::sc_spawn(
                [&running, &done, body = std::move(body)] {
                    body();
                    if (--running == 0) done.notify(sc_core::SC_ZERO_TIME);
                },
                sc_core::sc_gen_unique_name("cycle_stage"));
        sc_core::wait(done);
    }

    // The way down.
    void enter(int l, const Grid& grid) {
        Process& p = named("enter");
        const int latency = multilevel::kCycleTiming.enter;
        for (std::uint32_t beat = 0; beat < grid.beats; ++beat) {
            Step s(*this, p);
            s.output(*down_[0], latency);
            const auto x = mantissa_hls::cycle::read_beat<Word>(l == 0 ? m_.d : m_.t[l], grid, beat);
            if (l == 0) stages_->squares.step(x);
            const auto r = stages_->scale.step(x);
            Smoothed out{};
            for (int lane = 0; lane < Lanes; ++lane) out.r.lane[lane] = r.lane[lane];
            push(*down_[0], s.done(), latency, out);
        }
    }
    void smooth_down(std::size_t k, const Grid& grid) {
        Process& p = named(name_of("step", k + 1));
        const int latency = multilevel::kCycleTiming.step;
        for (std::uint32_t slot = 0; slot < grid.beats + grid.lag(); ++slot) {
            Step s(*this, p);
            Smoothed in{}, out{};
            if (slot < grid.beats) s.input(*down_[k]);
            if (slot >= grid.lag()) s.output(*down_[k + 1], latency);
            const Cycle at = s.done();
            if (slot < grid.beats) down_[k]->pop(at, &in);
            if (stages_->down[k].step(in, out)) push(*down_[k + 1], at, latency, out);
        }
    }
    void restrict_and_store(int l, const Grid& fine, const Grid& coarse) {
        Process& p = named("restrict");
        std::uint32_t left = 0;
        for (std::uint32_t beat = 0; beat < fine.beats; ++beat) {
            Step s(*this, p);
            Smoothed in;
            s.input(*down_[before_]);
            down_[before_]->pop(s.done(), &in);
            mantissa_hls::cycle::write_beat(m_.f[l], fine, beat, in.f);
            Beat<Word> t;
            if (stages_->restriction.step(in.r, t)) mantissa_hls::cycle::write_beat(m_.t[l + 1], coarse, left++, t);
        }
        swept_ = p.at + static_cast<Cycle>(multilevel::kCycleTiming.restriction);
    }
    /// From clock `first` on. Returns the OR of t's magnitudes.
    std::uint64_t down(int l, Cycle first) {
        const Grid fine(plan_.levels - l), coarse(plan_.levels - l - 1);
        stages_->scale.begin(sequencer_.entering(l), plan_.level[l].w);
        if (l == 0) stages_->squares.begin(sequencer_[0].y);
        stages_->restriction.begin(fine, coarse);
        std::vector<std::function<void()>> bodies{[&, l] { enter(l, fine); }};
        for (std::size_t k = 0; k < before_; ++k) {
            stages_->down[k].begin(plan_, plan_.level[l], fine, static_cast<int>(k));
            bodies.emplace_back([&, k] { smooth_down(k, fine); });
        }
        bodies.emplace_back([&, l] { restrict_and_store(l, fine, coarse); });
        sweep(first, std::move(bodies));
        return stages_->restriction.all();
    }

    // The way up.
    void shorten(int l, const Grid& coarse) {
        Process& p = named("shorten");
        const int latency = multilevel::kCycleTiming.shorten;
        p.at -= static_cast<Cycle>(latency); // words are read that much before the sweep's first node
        for (auto beat = static_cast<std::uint32_t>(coarse.row); beat < coarse.beats; ++beat) {
            Step s(*this, p);
            s.output(*v_, latency);
            const auto e = mantissa_hls::cycle::read_beat<std::int32_t>(m_.e[l + 1], coarse, beat);
            push(*v_, s.done(), latency, sequencer_[l].nothing ? Beat<std::int32_t>{} : stages_->shorten.step(e));
        }
    }
    void rise(int l, const Grid& fine) {
        Process& p = named("rise");
        const int latency = multilevel::kCycleTiming.rise;
        for (std::uint32_t beat = 0; beat < fine.beats; ++beat) {
            Step s(*this, p);
            std::vector<Beat<std::int32_t>> v(static_cast<std::size_t>(stages_->interpolation.wants()));
            for (auto& taken : v) { // (more than one only at the head of a row, from a FIFO that is full by then)
                s.input(*v_);
                v_->pop(v_->head_ready(), &taken);
            }
            s.output(*up_[0], latency);
            const Cycle at = s.done();
            for (const auto& taken : v) stages_->interpolation.take(taken);
            Risen out{};
            out.e = stages_->interpolation.step(mantissa_hls::cycle::read_beat<std::int32_t>(m_.f[l], fine, beat));
            if (after_ > 0)
                out.r = stages_->scale.step(mantissa_hls::cycle::read_beat<Word>(l == 0 ? m_.d : m_.t[l], fine, beat));
            push(*up_[0], at, latency, out);
        }
    }
    void smooth_up(std::size_t k, const Grid& grid) {
        Process& p = named(name_of("after", k + 1));
        const int latency = multilevel::kCycleTiming.after;
        for (std::uint32_t slot = 0; slot < grid.beats + grid.lag(); ++slot) {
            Step s(*this, p);
            Risen in{}, out{};
            if (slot < grid.beats) s.input(*up_[k]);
            if (slot >= grid.lag()) s.output(*up_[k + 1], latency);
            const Cycle at = s.done();
            if (slot < grid.beats) up_[k]->pop(at, &in);
            if (stages_->up[k].step(in, out)) push(*up_[k + 1], at, latency, out);
        }
    }
    void store(int l, const Grid& grid) {
        Process& p = named("store");
        for (std::uint32_t beat = 0; beat < grid.beats; ++beat) {
            Step s(*this, p);
            Risen in;
            s.input(*up_[after_]);
            up_[after_]->pop(s.done(), &in);
            mantissa_hls::cycle::write_beat(m_.e[l], grid, beat, in.e);
        }
        swept_ = p.at;
    }
    void correct(const Grid& grid) {
        using mantissa_hls::cycle::read_beat, mantissa_hls::cycle::write_beat;
        Process& p = named("correct");
        for (std::uint32_t slot = 0; slot < grid.beats + grid.lag(); ++slot) {
            const bool real = slot < grid.beats;
            Step s(*this, p);
            Risen in{};
            if (real) s.input(*up_[after_]);
            const Cycle at = s.done();
            if (real) up_[after_]->pop(at, &in);
            Beat<Word> u{}, d{}, u_out, d_out;
            if (real) {
                u = read_beat<Word>(m_.u, grid, slot);
                d = read_beat<Word>(m_.d, grid, slot);
            }
            const bool good = stages_->update.step(in.e, u, d, u_out, d_out);
            if (real) write_beat(m_.u, grid, slot, u_out);
            if (good) write_beat(m_.d, grid, slot - grid.lag(), d_out);
        }
        swept_ = p.at + static_cast<Cycle>(multilevel::kCycleTiming.correct);
    }
    /// Returns the OR of e's magnitudes, of the finest level D's.
    std::uint64_t up(int l, Cycle first) {
        const Grid fine(plan_.levels - l), coarse(plan_.levels - l - 1);
        const mantissa_hls::cycle::LevelWords& words = plan_.level[l];
        const mantissa_hls::cycle::LevelState& at = sequencer_[l];
        stages_->scale.begin(sequencer_.entering(l), words.w);
        stages_->shorten.begin(at.v_shift, plan_.level[l + 1].e);
        stages_->interpolation.begin(fine, coarse, words, at.e_point, at.v_point);
        if (l == 0) stages_->update.begin(plan_, fine, at.e_point + words.w - 1 - at.y);
        std::vector<std::function<void()>> bodies{[&, l] { shorten(l, coarse); }, [&, l] { rise(l, fine); }};
        for (std::size_t k = 0; k < after_; ++k) {
            stages_->up[k].begin(plan_, words, fine, static_cast<int>(k), at.e_point);
            bodies.emplace_back([&, k] { smooth_up(k, fine); });
        }
        if (l == 0) bodies.emplace_back([&] { correct(fine); });
        else bodies.emplace_back([&, l] { store(l, fine); });
        sweep(first, std::move(bodies));
        if (l == 0) return stages_->update.all();
        return after_ > 0 ? stages_->up[after_ - 1].all() : stages_->interpolation.all();
    }

    /// The sequencer: counts a length, a bit a clock, and starts a sweep.
    Cycle counted(Cycle at, int length) const {
        const multilevel::CycleTiming& t = multilevel::kCycleTiming;
        return at + static_cast<Cycle>(t.length + length + t.sweep);
    }

    multilevel::WordOutcome run(const multilevel::WordRequest& request);
    void coarsest(int l);
    void report(SystemReport& to, const multilevel::WordOutcome& outcome) const;

    SystemcOptions options_;
    mantissa_hls::cycle::CyclePlan plan_;
    std::size_t before_, after_;
    hls::CycleMemories memories_;
    mantissa_hls::cycle::CycleMemory m_;
    std::unique_ptr<Stages> stages_;
    mantissa_hls::cycle::Sequencer sequencer_;
    std::vector<std::unique_ptr<TimedFifo>> down_, up_;
    std::unique_ptr<TimedFifo> v_;
    std::vector<std::unique_ptr<Process>> processes_;
    Cycle swept_ = 0; ///< the clock in which the last sweep's last word was in memory
    bool abandoned_ = false;
};

} // namespace mantissa::sim
