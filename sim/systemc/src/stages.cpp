// The processes: the HLS stages as stalling pipelines, and the DMA.
#include <algorithm>
#include <array>
#include <cmath>

#include "mantissa/hls/kernel.hpp"
#include "system.hpp"

namespace mantissa::sim {

namespace {

constexpr std::size_t kPosted = 4;

/// The last few beats of a pipeline: entry `step` stays until entry step + capacity comes.
class Registers {
public:
    Registers(std::size_t beats, std::size_t bytes) : bytes_(bytes), beats_(beats), data_(beats * bytes) {}
    std::byte* operator[](std::uint64_t step) { return data_.data() + step % beats_ * bytes_; }

private:
    std::size_t bytes_, beats_;
    std::vector<std::byte> data_;
};

} // namespace

Cycle CoreSystem::Step::done(bool counts) {
    const Cycle stood = at_ - (stage_.at + 1);
    if (stood > 0 && bound_.fifo != nullptr) {
        (bound_.full ? bound_.fifo->report().writer_stalls : bound_.fifo->report().reader_stalls) += stood;
        stage_.report.stalls += stood;
    }
    if (counts) ++stage_.report.steps;
    stage_.at = at_;
    return at_;
}

// A pipeline of this kind moves only when its next input is there, or its inputs have ended; and each output leaves at
// its own depth. One clock of each latency is the FIFO after it.
void CoreSystem::update() {
    const mantissa_hls::StepTable& t = job_->kernel->step;
    const std::uint64_t beats = job_->shape.beats(static_cast<int>(t.lanes));
    const auto u_at = static_cast<std::uint64_t>(job_->timing->u_out - 1),
               r_at = static_cast<std::uint64_t>(job_->timing->r_out - 1),
               p_at = static_cast<std::uint64_t>(job_->timing->p_out - 1), depth = std::max(u_at, p_at);
    // q comes first, the others when what they meet is there.
    const std::uint64_t soon = std::min(u_at, r_at);
    const auto p_in = std::min(static_cast<std::uint64_t>(job_->timing->p_in), soon),
               u_in = std::min(static_cast<std::uint64_t>(job_->timing->u_in), soon),
               r_in = std::min(static_cast<std::uint64_t>(job_->timing->r_in), soon),
               formed = std::max({p_in, u_in, r_in});
    Registers u(formed + 1, t.u_beat), r(formed + 1, t.r_beat), p(formed + 1, t.p_beat), q(formed + 1, t.q_beat);
    Registers u_new(depth + 1, t.u_beat), r_new(depth + 1, t.r_beat), p_new(depth + 1, t.p_beat);
    const auto due = [&](std::uint64_t step, std::uint64_t first) { return step >= first && step - first < beats; };
    for (std::uint64_t step = 0; step < beats + depth; ++step) {
        Step s(*this, *update_);
        if (due(step, 0)) s.input(*q_in_);
        if (due(step, p_in)) s.input(*p_in_);
        if (due(step, r_in)) s.input(*r_in_);
        if (due(step, u_in)) s.input(*u_in_);
        if (due(step, u_at)) s.output(*u_out_);
        if (due(step, r_at)) {
            s.output(*r_out_);
            if (job_->summed) s.output(*r_dot_);
        }
        if (due(step, p_at)) {
            s.output(*p_out_);
            s.output(*p_line_);
        }
        const Cycle at = s.done(due(step, 0));
        if (due(step, 0)) q_in_->pop(at, q[step]);
        if (due(step, p_in)) p_in_->pop(at, p[step - p_in]);
        if (due(step, r_in)) r_in_->pop(at, r[step - r_in]);
        if (due(step, u_in)) u_in_->pop(at, u[step - u_in]);
        if (due(step, formed)) {
            const std::uint64_t beat = step - formed;
            t.update(job_->state, beat, u[beat], r[beat], p[beat], q[beat], u_new[beat], r_new[beat], p_new[beat]);
        }
        if (due(step, u_at)) u_out_->push(at, u_new[step - u_at]);
        if (due(step, r_at)) {
            r_out_->push(at, r_new[step - r_at]);
            if (job_->summed) r_dot_->push(at, r_new[step - r_at]);
        }
        if (due(step, p_at)) {
            p_out_->push(at, p_new[step - p_at]);
            p_line_->push(at, p_new[step - p_at]);
        }
    }
}

void CoreSystem::lines() {
    const mantissa_hls::StepTable& t = job_->kernel->step;
    const int lanes = static_cast<int>(t.lanes);
    const std::uint64_t beats = job_->shape.beats(lanes), lag = job_->shape.lag(lanes);
    std::vector<std::byte> p(t.p_beat), centre(t.p_beat), window(t.window);
    for (std::uint64_t slot = 0; slot < beats + lag; ++slot) {
        Step s(*this, *lines_);
        if (slot < beats) s.input(*p_line_);
        if (slot >= lag) {
            s.output(*window_);
            if (job_->summed) s.output(*p_dot_);
        }
        const Cycle at = s.done();
        if (slot < beats) p_line_->pop(at, p.data());
        else std::fill(p.begin(), p.end(), std::byte{});
        if (t.line(job_->state, p.data(), window.data(), centre.data())) {
            window_->push(at, window.data());
            if (job_->summed) p_dot_->push(at, centre.data());
        }
    }
}

void CoreSystem::rows() {
    const mantissa_hls::StepTable& t = job_->kernel->step;
    const std::uint64_t beats = job_->shape.beats(static_cast<int>(t.lanes));
    const auto latency = static_cast<std::uint64_t>(job_->timing->row - 1);
    const std::size_t streams = job_->shape.streams;
    // Each coefficient is taken when its product is formed, so a beat's come over several clocks.
    const std::array<int, 9>& taken_at = job_->timing->band;
    std::uint64_t formed = 0;
    for (std::size_t b = 0; b < streams; ++b) formed = std::max(formed, static_cast<std::uint64_t>(taken_at[b]));
    const std::size_t coefficients = t.lanes * job_->kernel->coefficient_word;
    Registers window(formed + 1, t.window), bands(formed + 1, t.bands), q(latency + 1, t.q_beat);
    const auto takes_band = [&](std::uint64_t step, std::size_t b) {
        const auto first = static_cast<std::uint64_t>(taken_at[b]);
        return step >= first && step - first < beats;
    };
    for (std::uint64_t step = 0; step < beats + latency; ++step) {
        Step s(*this, *rows_);
        const bool takes = step < beats, gives = step >= latency;
        if (takes) s.input(*window_);
        for (std::size_t b = 0; b < streams; ++b)
            if (takes_band(step, b)) s.input(*band_in_[b]);
        if (gives) {
            s.output(*q_out_);
            if (job_->summed) s.output(*q_dot_);
        }
        const Cycle at = s.done(takes);
        if (takes) window_->pop(at, window[step]);
        for (std::size_t b = 0; b < streams; ++b)
            if (takes_band(step, b))
                band_in_[b]->pop(at, bands[step - static_cast<std::uint64_t>(taken_at[b])] + b * coefficients);
        if (step >= formed && step - formed < beats) {
            const std::uint64_t beat = step - formed;
            t.row(job_->state, window[beat], streams != 0 ? bands[beat] : nullptr, q[beat]);
        }
        if (gives) {
            q_out_->push(at, q[step - latency]);
            if (job_->summed) q_dot_->push(at, q[step - latency]);
        }
    }
}

void CoreSystem::dot_rr() {
    const mantissa_hls::StepTable& t = job_->kernel->step;
    std::vector<std::byte> r(t.r_beat);
    for (std::uint64_t beat = 0; beat < job_->shape.beats(static_cast<int>(t.lanes)); ++beat) {
        Step s(*this, *rr_);
        s.input(*r_dot_);
        r_dot_->pop(s.done(), r.data());
        t.dot_rr(job_->state, beat, r.data());
    }
}

void CoreSystem::dot_pq() {
    const mantissa_hls::StepTable& t = job_->kernel->step;
    std::vector<std::byte> p(t.p_beat), q(t.q_beat);
    for (std::uint64_t beat = 0; beat < job_->shape.beats(static_cast<int>(t.lanes)); ++beat) {
        Step s(*this, *pq_);
        s.input(*p_dot_);
        s.input(*q_dot_);
        const Cycle at = s.done();
        p_dot_->pop(at, p.data());
        q_dot_->pop(at, q.data());
        t.dot_pq(job_->state, beat, p.data(), q.data());
        t.dot_qq(job_->state, beat, q.data());
    }
}

// DMA. In memory an element takes whole bytes; on a stream, a word. A reader asks for a burst as soon as the FIFO has
// room for it, one request a clock; several may be under way.
void CoreSystem::reader(Stage& stage, TimedFifo& to, std::size_t socket, std::uint64_t from, std::size_t vector) {
    const Job& job = *job_;
    const std::size_t lanes = job.kernel->step.lanes, bytes = job.element_bytes[vector], word = word_bytes(vector);
    const std::uint64_t beats = job.shape.beats(static_cast<int>(lanes));
    const std::uint64_t burst = std::min<std::uint64_t>(std::max(1U, job.options.memory.burst_beats), to.depth());
    std::vector<std::byte> data(burst * lanes * bytes), words(burst * lanes * word);
    for (std::uint64_t first = 0; first < beats; first += burst) {
        const std::uint64_t n = std::min(burst, beats - first);
        const Cycle room = to.await_room(abandoned_, n);
        const Cycle wanted = stage.at + 1;
        stage.at = std::max(wanted, room);
        if (room > wanted) stage.report.stalls += room - wanted;
        sync(stage.at);
        const double arrives =
            now_cycles() + access(socket, false, from + first * lanes * bytes, data.data(), n * lanes * bytes);
        for (std::uint64_t e = 0; e < n * lanes; ++e)
            hls::store_word(words.data() + e * word, word, hls::load_word(data.data() + e * bytes, bytes));
        // The burst's beats come one after the other at the channel's speed, the last at `arrives`.
        const double rate = job.options.memory.bytes_per_cycle;
        const double apart = rate > 0 ? static_cast<double>(lanes * bytes) / rate : 0;
        for (std::uint64_t k = 0; k < n; ++k) {
            const auto at = static_cast<Cycle>(std::ceil(arrives - apart * static_cast<double>(n - 1 - k) - 1e-6));
            to.push(at, words.data() + k * lanes * word, true);
        }
        stage.report.steps += n;
    }
}

// A writer gathers a burst and posts it; it holds the stream while kPosted bursts have not been taken.
void CoreSystem::writer(Stage& stage, TimedFifo& from, std::size_t socket, std::uint64_t to, std::size_t vector) {
    const Job& job = *job_;
    const std::size_t lanes = job.kernel->step.lanes, bytes = job.element_bytes[vector], word = word_bytes(vector);
    const std::uint64_t beats = job.shape.beats(static_cast<int>(lanes));
    const std::uint64_t burst = std::max(1U, job.options.memory.burst_beats);
    std::vector<std::byte> data(burst * lanes * bytes), words(lanes * word);
    std::array<Cycle, kPosted> taken{};
    for (std::uint64_t first = 0, post = 0; first < beats; first += burst, ++post) {
        const std::uint64_t n = std::min(burst, beats - first);
        if (const Cycle held = taken[post % kPosted]; held > stage.at) {
            stage.report.stalls += held - stage.at;
            stage.at = held;
        }
        for (std::uint64_t k = 0; k < n; ++k) {
            const Cycle ready = from.await_beat(abandoned_);
            stage.at = std::max(stage.at + 1, ready);
            from.pop(stage.at, words.data());
            for (std::size_t l = 0; l < lanes; ++l)
                hls::store_word(data.data() + (k * lanes + l) * bytes, bytes,
                                hls::load_word(words.data() + l * word, word));
        }
        sync(stage.at);
        const double delay = access(socket, true, to + first * lanes * bytes, data.data(), n * lanes * bytes);
        const double done = now_cycles() + delay;
        landed_ = std::max(landed_, static_cast<Cycle>(std::ceil(done - 1e-6)));
        taken[post % kPosted] = static_cast<Cycle>(std::max(0.0, std::ceil(done - job.options.memory.latency - 1e-6)));
        stage.report.steps += n;
    }
}

} // namespace mantissa::sim
