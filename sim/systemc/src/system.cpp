// Elaboration, runs and passes of the system.
#include "system.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/hls/kernel.hpp"

// The library that SystemC comes as expects this entry; programs of ours start elsewhere.
int sc_main(int, char**) {
    return 0;
}

namespace mantissa::sim {

CoreSystem& CoreSystem::instance() {
    static CoreSystem* system = nullptr;
    if (system == nullptr) {
        sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
        system = new CoreSystem("core_system"); // lives as long as the simulation, which is as long as the program
    }
    return *system;
}

CoreSystem::CoreSystem(const sc_core::sc_module_name& name)
    : sc_module(name), dma_("dma", kSockets), interconnect_("interconnect"),
      controllers_("channel", Interconnect::kChannels) {
    for (auto& socket : dma_) socket.bind(interconnect_.in);
    for (std::size_t k = 0; k < controllers_.size(); ++k) interconnect_.out[k].bind(controllers_[k].socket);
    build_fifos();
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborate now
}

void CoreSystem::build_fifos() {
    const auto fifo = [this](const std::string& name, const std::string& writer, const std::string& reader) {
        fifos_.push_back(std::make_unique<TimedFifo>(name, writer, reader));
        return fifos_.back().get();
    };
    u_in_ = fifo("u_in", "load_u", "update");
    r_in_ = fifo("r_in", "load_r", "update");
    p_in_ = fifo("p_in", "load_p", "update");
    q_in_ = fifo("q_in", "load_q", "update");
    for (std::size_t b = 0; b < band_in_.size(); ++b)
        band_in_[b] = fifo(fmt::format("band{}_in", b), fmt::format("load_band{}", b), "rows");
    r_dot_ = fifo("r_dot", "update", "dot_rr");
    p_line_ = fifo("p_line", "update", "lines");
    window_ = fifo("window", "lines", "rows");
    p_dot_ = fifo("p_dot", "lines", "dot_pq");
    q_dot_ = fifo("q_dot", "rows", "dot_pq");
    u_out_ = fifo("u_out", "update", "store_u");
    r_out_ = fifo("r_out", "update", "store_r");
    p_out_ = fifo("p_out", "update", "store_p");
    q_out_ = fifo("q_out", "rows", "store_q");
    const auto stage = [this](const std::string& name) {
        stages_.push_back(std::make_unique<Stage>());
        stages_.back()->name = name;
        return stages_.back().get();
    };
    for (const char* name : {"load_u", "load_r", "load_p", "load_q", "store_u", "store_r", "store_p", "store_q"})
        stage(name);
    for (std::size_t b = 0; b < band_in_.size(); ++b) stage(fmt::format("load_band{}", b));
    update_ = stage("update");
    lines_ = stage("lines");
    rows_ = stage("rows");
    rr_ = stage("dot_rr");
    pq_ = stage("dot_pq");
}

std::size_t CoreSystem::word_bytes(std::size_t vector) const {
    const mantissa_hls::Kernel& k = *job_->kernel;
    const std::uint32_t all[] = {k.u_word, k.r_word, k.p_word, k.q_word, k.coefficient_word};
    return all[vector];
}

void CoreSystem::configure() {
    const SystemcOptions& o = job_->options;
    const mantissa_hls::StepTable& t = job_->kernel->step;
    const auto set = [&](TimedFifo* f, std::uint32_t depth, std::size_t bytes) {
        const bool band = f->name().starts_with("band");
        const auto found = o.fifo_depth.find(band ? "band_in" : f->name());
        if (found != o.fifo_depth.end()) depth = found->second;
        f->configure(depth, bytes);
        f->report() = FifoReport{f->report().name, f->report().writer, f->report().reader, depth, 0, 0, 0};
        for (const FifoReport& r : job_->report->fifos) // go on from the session's last run
            if (r.name == f->name()) f->report() = r;
    };
    set(u_in_, o.stream_fifo, t.u_beat);
    set(r_in_, o.stream_fifo, t.r_beat);
    set(p_in_, o.stream_fifo, t.p_beat);
    set(q_in_, o.stream_fifo, t.q_beat);
    for (TimedFifo* band : band_in_) set(band, o.stream_fifo, t.lanes * job_->kernel->coefficient_word);
    set(u_out_, o.stream_fifo, t.u_beat);
    set(r_out_, o.stream_fifo, t.r_beat);
    set(p_out_, o.stream_fifo, t.p_beat);
    set(q_out_, o.stream_fifo, t.q_beat);
    set(r_dot_, o.link_fifo, t.r_beat);
    set(p_line_, o.link_fifo, t.p_beat);
    set(window_, o.link_fifo, t.window);
    set(q_dot_, o.link_fifo, t.q_beat);
    set(p_dot_, static_cast<std::uint32_t>(job_->timing->row) + 4, t.p_beat);

    interconnect_.configure(o.memory);
    for (std::size_t k = 0; k < controllers_.size(); ++k) {
        controllers_[k].configure(o.memory, job_->store);
        controllers_[k].set_report(k < job_->report->channels.size() ? job_->report->channels[k] : ChannelReport{});
    }
    for (const auto& stage : stages_) {
        stage->report = StageReport{stage->name, 0, 0};
        for (const StageReport& r : job_->report->stages)
            if (r.name == stage->name) stage->report = r;
    }
}

JobResult CoreSystem::run(Job& job) {
    job_ = &job;
    result_ = {};
    abandoned_ = finished_ = false;
    landed_ = 0;
    running_ = 0;
    configure();
    spawn([this] {
#ifdef MANTISSA_SYSTEMC_RTL
        if (job_->rtl != nullptr) return rtl_controller();
#endif
        controller();
    });
    sc_core::sc_start();
    if (!finished_) { // nothing more can happen: who waits for whom?
        if (result_.deadlock.empty()) result_.deadlock = explain();
        abandoned_ = true;
        for (const auto& f : fifos_) f->wake();
        all_done_.notify(sc_core::SC_ZERO_TIME);
        sc_core::sc_start(); // the processes leave
    }
    SystemReport& report = *job.report;
    report.fifos.clear();
    report.stages.clear();
    report.channels.clear();
    const auto stands = [&](const std::string& name, const char* prefix) { // a stream that the matrix does not have
        for (std::size_t b = job.shape.streams; b < band_in_.size(); ++b)
            if (name.starts_with(fmt::format("{}{}", prefix, b))) return true;
        return false;
    };
    for (const auto& f : fifos_)
        if (!stands(f->name(), "band")) report.fifos.push_back(f->report());
    for (const auto& s : stages_)
        if (!stands(s->name, "load_band")) report.stages.push_back(s->report);
    report.channels.resize(static_cast<std::size_t>(job.options.memory.channels));
    for (std::size_t k = 0; k < report.channels.size(); ++k) controllers_[k].report(report.channels[k]);
    report.cycles += result_.cycles;
    report.passes += result_.passes;
    job_ = nullptr;
    return result_;
}

void CoreSystem::spawn(std::function<void()> body) {
    ++running_;
    workers_.run([this, body = std::move(body)] {
        try {
            body();
        } catch (const Abandoned&) {
        }
        if (--running_ == 1) all_done_.notify(sc_core::SC_ZERO_TIME); // the controller is left
    });
}

void CoreSystem::sync(Cycle to) {
    const double ahead = static_cast<double>(to) - now_cycles();
    if (ahead > 0) sc_core::wait(ahead * clock_period());
}

double CoreSystem::access(std::size_t socket, bool write, std::uint64_t address, std::byte* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    dma_[socket]->b_transport(payload, delay);
    if (!payload.is_response_ok()) SC_REPORT_FATAL("core_system", payload.get_response_string().c_str());
    return delay / clock_period();
}

// A run: passes one after the other, with the core's own clocks between them.
void CoreSystem::controller() {
    Job& job = *job_;
    const auto start = static_cast<Cycle>(std::ceil(now_cycles()));
    Cycle at = start + static_cast<Cycle>(job.timing->check); // the clock of the first command
    for (;;) {
        const Cycle asked = at;
        if (landed_ > at) at = landed_;
        job.report->landing += at - asked;
        const Cycle first = at + static_cast<Cycle>(job.timing->command);
        const mantissa_hls::PassRequest request =
            job.summed ? mantissa_hls::PassRequest{job.words->alpha, job.words->beta, job.rho_stop,
                                                   result_.passes + 1 >= job.rho_stop_from ? 1U : 0U}
                       : job.given[result_.passes];
        job.kernel->step.begin_pass(job.state, &request);
        sync(first);
        begin_pass(first);
        while (running_ > 1) {
            sc_core::wait(all_done_);
            if (abandoned_) throw Abandoned{};
        }
        const Cycle last = job.summed ? std::max(pq_->at, rr_->at) : rows_->at + 1;
        const Cycle closes = last + static_cast<Cycle>(job.timing->drain);
        mantissa_hls::ScalarResult scalars;
        job.kernel->step.scalars(job.state, &request, &scalars);
        at = closes + static_cast<Cycle>(job.timing->close) + job.timing->scalar(scalars);
        result_.words.merge(hls::word_use(*job.spec, scalars));
        if (job.unfit) scalars = hls::overflowed(); // a write() that no word held
        job.unfit = false;
        *job.words = scalars.words;
        job.bank = 1 - job.bank;
        job.report->streaming += last - first + 1;
        job.report->closing += at - last - 1;
        ++result_.passes;
        result_.sigma_guards += scalars.guarded;
        result_.end = hls::run_end(scalars.end);
        result_.cycles = at - start;
        if (result_.end != RunEnd::passes || result_.passes >= job.passes) break;
    }
    sync(at);
    finished_ = true;
}

void CoreSystem::begin_pass(Cycle first) {
    begin_streams(first, job_->bank);
    spawn([this] { update(); });
    spawn([this] { lines(); });
    spawn([this] { rows(); });
    if (!job_->summed) return;
    spawn([this] { dot_rr(); });
    spawn([this] { dot_pq(); });
}

// The DMA's part of a pass.
void CoreSystem::begin_streams(Cycle first, int bank) {
    Job& job = *job_;
    for (const auto& f : fifos_) f->reset();
    for (const auto& s : stages_) s->at = first - 1;
    landed_ = 0;
    TimedFifo* in[] = {u_in_, r_in_, p_in_, q_in_};
    TimedFifo* out[] = {u_out_, r_out_, p_out_, q_out_};
    for (std::size_t v = 0; v < 4; ++v) {
        Stage* load = stages_[v].get();
        Stage* store = stages_[4 + v].get();
        const std::uint64_t from = job.layout.vector[bank][v], to = job.layout.vector[1 - bank][v];
        spawn([this, load, v, in = in[v], from] { reader(*load, *in, v, from, v); });
        spawn([this, store, v, out = out[v], to] { writer(*store, *out, 13 + v, to, v); });
    }
    for (std::size_t b = 0; b < job.shape.streams; ++b) {
        Stage* load = stages_[8 + b].get();
        spawn([this, load, b] { reader(*load, *band_in_[b], 4 + b, job_->layout.band[b], 4); });
    }
}

// Follows the waits from one process to the next until they close.
std::string CoreSystem::explain() const {
    struct Wait {
        const TimedFifo* fifo;
        bool full;
    };
    const auto wait_of = [this](const std::string& process) -> Wait {
        for (const auto& f : fifos_) {
            if (f->writer_waits() && f->report().writer == process) return {f.get(), true};
            if (f->reader_waits() && f->report().reader == process) return {f.get(), false};
        }
        return {nullptr, false};
    };
    const auto sentence = [](const std::string& process, const Wait& w) {
        return w.full ? fmt::format("{} cannot write {} (full: {} of {})", process, w.fifo->name(), w.fifo->size(),
                                    w.fifo->depth())
                      : fmt::format("{} cannot read {} (empty)", process, w.fifo->name());
    };
    // Start at a full FIFO: the empty ones follow from it.
    std::string process;
    for (const auto& f : fifos_)
        if (f->writer_waits()) process = process.empty() ? f->report().writer : process;
    if (process.empty()) return fmt::format("deadlock in pass {}: no process can go on", result_.passes + 1);
    std::vector<std::string> seen, chain;
    std::string culprit;
    while (std::find(seen.begin(), seen.end(), process) == seen.end()) {
        const Wait w = wait_of(process);
        if (w.fifo == nullptr) break;
        seen.push_back(process);
        chain.push_back(sentence(process, w));
        process = w.full ? w.fifo->report().reader : w.fifo->report().writer;
    }
    // What closes the circle, not what led to it.
    const auto from = std::find(seen.begin(), seen.end(), process) - seen.begin();
    std::string text;
    for (auto k = static_cast<std::size_t>(from) % std::max<std::size_t>(chain.size(), 1); k < chain.size(); ++k) {
        const Wait w = wait_of(seen[k]);
        if (w.full && culprit.empty()) culprit = w.fifo->name();
        text += (text.empty() ? "" : "; ") + chain[k];
    }
    return fmt::format("deadlock in pass {}: FIFO {} is too shallow: {}", result_.passes + 1, culprit, text);
}

} // namespace mantissa::sim
