#include "workers.hpp"

#include <utility>

namespace mantissa::sim {

void Workers::run(std::function<void()> body) {
    if (!idle_.empty()) {
        Worker& worker = *idle_.back();
        idle_.pop_back();
        worker.body = std::move(body);
        if (sc_core::sc_get_status() == sc_core::SC_RUNNING) worker.wanted.notify();
        else worker.wanted.notify(sc_core::SC_ZERO_TIME);
        return;
    }
    Worker& worker = *all_.emplace_back(std::make_unique<Worker>());
    worker.body = std::move(body);
    sc_core::sc_spawn([this, &worker] { serve(worker); }, sc_core::sc_gen_unique_name("worker"));
}

void Workers::serve(Worker& worker) {
    for (;;) {
        worker.body();
        worker.body = nullptr; // what it holds ends here, not when the next one comes
        idle_.push_back(&worker);
        sc_core::wait(worker.wanted);
    }
}

} // namespace mantissa::sim
