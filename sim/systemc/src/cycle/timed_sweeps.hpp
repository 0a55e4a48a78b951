// One timed cycle core's sweeps: its stages as processes with clocks of their own, between bounded FIFOs and its
// memories. Internal to sim/systemc.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../system.hpp"
#include "../timed_fifo.hpp"
#include "mantissa/hls/cycle_memories.hpp"
#include "mantissa/hls/cycles.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"

namespace mantissa::sim {

template <int Lanes> class TimedSweeps {
    using Word = mantissa_hls::cycle::Word;
    using Grid = mantissa_hls::cycle::LevelGrid<Lanes>;
    using Smoothed = mantissa_hls::cycle::Smoothed<Lanes>;
    using Risen = mantissa_hls::cycle::Risen<Lanes>;
    template <class T> using Beat = mantissa_hls::Beat<T, Lanes>;
    static constexpr int kSteps = mantissa_hls::cycle::kMostSteps;

public:
    /// `prefix` is in front of the names of processes and FIFOs: "core1/", or empty.
    TimedSweeps(const multilevel::GridPlan& plan, const mantissa_hls::cycle::CycleSlab& slab, const std::string& prefix)
        : plan_(hls::cycle_plan(plan)), slab_(slab), name_(prefix), before_(plan.before.size()),
          after_(plan.after.size()), memories_(plan_.levels, slab), m_(memories_.memory()),
          stages_(std::make_unique<Stages>()) {
        const auto fifo = [this](const std::string& name, const std::string& writer, const std::string& reader,
                                 int latency, std::size_t bytes) {
            auto made = std::make_unique<TimedFifo>(name_ + name, name_ + writer, name_ + reader);
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

    [[nodiscard]] const mantissa_hls::cycle::CycleMemory& memory() const { return m_; }
    [[nodiscard]] const mantissa_hls::cycle::LevelSlab& slab(int l) const { return slab_.level[l]; }
    [[nodiscard]] Grid grid(int l) const { return {plan_.levels - l, slab_.level[l]}; }
    void load(std::span<const std::int64_t> b, bool alone) {
        memories_.load(b);
        stages_->update.begin_solve(alone);
    }
    void read(std::span<std::int64_t> u) const { memories_.read(u); }
    [[nodiscard]] std::uint64_t all_of_d() const {
        std::uint64_t all = 0;
        for (std::uint32_t k = 0; k < grid(0).beats * static_cast<std::uint32_t>(grid(0).lanes); ++k)
            all |= mantissa_hls::cycle::magnitude(m_.d[k]);
        return all;
    }
    [[nodiscard]] std::uint64_t squares() const { return stages_->squares.sum(); }
    [[nodiscard]] bool over() const { return stages_->update.over(); }
    /// Before a sweep that begins in clock `first`.
    void begin_sweep(Cycle first) {
        for (const auto& p : processes_) p->at = first - 1;
        for (const auto& f : down_) f->reset();
        for (const auto& f : up_) f->reset();
        v_->reset();
    }
    /// The clock in which the last sweep's last word was in memory.
    [[nodiscard]] Cycle swept() const { return swept_; }
    void report(SystemReport& to) const {
        for (const auto& p : processes_) to.stages.push_back(p->report);
        for (const auto* list : {&down_, &up_})
            for (const auto& f : *list) to.fifos.push_back(f->report());
        to.fifos.push_back(v_->report());
    }

    /// What a sweep down level l runs.
    std::vector<std::function<void()>> down(int l, const mantissa_hls::cycle::Sequencer& sequencer) {
        const Grid fine = grid(l), coarse = grid(l + 1);
        stages_->scale.begin(sequencer.entering(l), plan_.level[l].w);
        if (l == 0) stages_->squares.begin(sequencer[0].y);
        stages_->restriction.begin(fine, coarse, coarse.beats_of(coarse_from(l)));
        std::vector<std::function<void()>> bodies{[this, l, fine] { enter(l, fine); }};
        for (std::size_t k = 0; k < before_; ++k) {
            stages_->down[k].begin(plan_, plan_.level[l], fine, static_cast<int>(k));
            bodies.emplace_back([this, k, fine] { smooth_down(k, fine); });
        }
        bodies.emplace_back([this, l, fine, coarse] { restrict_and_store(l, fine, coarse); });
        return bodies;
    }
    /// The OR of t's magnitudes, of its own ones.
    [[nodiscard]] std::uint64_t all_of_t() const { return stages_->restriction.all(); }
    /// What a sweep up level l runs.
    std::vector<std::function<void()>> up(int l, const mantissa_hls::cycle::Sequencer& sequencer) {
        const mantissa_hls::cycle::LevelState& at = sequencer[l];
        const Grid fine = grid(l), coarse = grid(l + 1);
        const mantissa_hls::cycle::LevelWords& words = plan_.level[l];
        stages_->scale.begin(sequencer.entering(l), words.w);
        stages_->shorten.begin(at.v_shift, plan_.level[l + 1].e);
        stages_->interpolation.begin(fine, coarse, words, at.e_point, at.v_point);
        if (l == 0) stages_->update.begin(plan_, fine, at.e_point + words.w - 1 - at.y);
        std::vector<std::function<void()>> bodies{
            [this, l, coarse, nothing = at.nothing] { shorten(l, nothing, coarse); },
            [this, l, fine, coarse] { rise(l, fine, coarse); }};
        for (std::size_t k = 0; k < after_; ++k) {
            stages_->up[k].begin(plan_, words, fine, static_cast<int>(k), at.e_point);
            bodies.emplace_back([this, k, fine] { smooth_up(k, fine); });
        }
        if (l == 0) bodies.emplace_back([this, fine] { correct(fine); });
        else bodies.emplace_back([this, l, fine] { store(l, fine); });
        return bodies;
    }
    /// The OR of e's magnitudes, of the finest level D's; of its own ones.
    [[nodiscard]] std::uint64_t all_of_e(int l) const {
        if (l == 0) return stages_->update.all();
        return after_ > 0 ? stages_->up[after_ - 1].all() : stages_->interpolation.all();
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
        processes_.back()->report.name = name_ + name;
    }
    Process& named(const std::string& name) {
        for (const auto& p : processes_)
            if (p->report.name == name_ + name) return *p;
        return *processes_.front();
    }

    /// A step under way: the first clock that its FIFOs allow.
    class Step {
    public:
        Step(TimedSweeps& core, Process& process) : core_(core), process_(process), at_(process.at + 1) {}
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
        TimedSweeps& core_;
        Process& process_;
        Cycle at_;
    };
    template <class T> static void push(TimedFifo& f, Cycle at, int latency, const T& beat) {
        f.push(at + static_cast<Cycle>(latency - 1), &beat);
    }

    // The way down.
    void enter(int l, const Grid& grid) {
        Process& p = named("enter");
        const int latency = multilevel::kCycleTiming.enter;
        for (std::uint32_t beat = 0; beat < grid.beats; ++beat) {
            Step s(*this, p);
            s.output(*down_[0], latency);
            const auto x = mantissa_hls::cycle::read_beat<Word>(l == 0 ? m_.d : m_.t[l], grid, beat);
            if (l == 0 && grid.owns(beat)) stages_->squares.step(x);
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
        std::uint32_t left = coarse.beats_of(coarse_from(l));
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
    // The way up.
    void shorten(int l, bool nothing, const Grid& coarse) {
        Process& p = named("shorten");
        const int latency = multilevel::kCycleTiming.shorten;
        p.at -= static_cast<Cycle>(latency); // words are read that much before the sweep's first node
        const int first = coarse_from(l), last = first + grid(l).rows / 2;
        // (A slab that does not begin at the grid's edge has a row of v at its first one.)
        for (std::uint32_t beat = coarse.beats_of(slab(l).low > 0 ? first : first + 1); beat < coarse.beats_of(last);
             ++beat) {
            Step s(*this, p);
            s.output(*v_, latency);
            const auto e = mantissa_hls::cycle::read_beat<std::int32_t>(m_.e[l + 1], coarse, beat);
            push(*v_, s.done(), latency, nothing ? Beat<std::int32_t>{} : stages_->shorten.step(e));
        }
    }
    /// The next beat of v; in the clock that it is there.
    Beat<std::int32_t> next_v(Step& s) {
        Beat<std::int32_t> v;
        s.input(*v_);
        v_->pop(v_->head_ready(), &v);
        return v;
    }
    void rise(int l, const Grid& fine, const Grid& coarse) {
        Process& p = named("rise");
        const int latency = multilevel::kCycleTiming.rise;
        for (std::uint32_t beat = 0; beat < fine.beats; ++beat) {
            Step s(*this, p);
            for (int k = 0; beat == 0 && slab(l).low > 0 && k < coarse.row; ++k)
                stages_->interpolation.begins_with(k, next_v(s));
            std::vector<Beat<std::int32_t>> v(static_cast<std::size_t>(stages_->interpolation.wants()));
            // (More than one only at the head of a row, from a FIFO that is full by then.)
            for (auto& taken : v) taken = next_v(s);
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
    [[nodiscard]] int coarse_from(int l) const { return slab_.level[l].low / 2 - slab_.level[l + 1].low; }

    mantissa_hls::cycle::CyclePlan plan_;
    mantissa_hls::cycle::CycleSlab slab_;
    std::string name_;
    std::size_t before_, after_;
    hls::CycleMemories memories_;
    mantissa_hls::cycle::CycleMemory m_;
    std::unique_ptr<Stages> stages_;
    std::vector<std::unique_ptr<TimedFifo>> down_, up_;
    std::unique_ptr<TimedFifo> v_;
    std::vector<std::unique_ptr<Process>> processes_;
    Cycle swept_ = 0;
    bool abandoned_ = false;
};

} // namespace mantissa::sim
