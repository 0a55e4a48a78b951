// SystemC processes that are used again. What is spawned in a simulation stays there: the library (2.3.4) gives back
// neither all of a process that has ended nor its name, and a simulation lasts as long as the program.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <systemc>

namespace mantissa::sim {

/// Runs bodies side by side, each in a process of its own. There are as many processes as bodies have run at a time.
class Workers {
public:
    /// Has a process run `body` in this delta cycle, after those that are ready already, or, outside of a simulation,
    /// when one is started. The body must not throw.
    void run(std::function<void()> body);

private:
    struct Worker {
        std::function<void()> body;
        sc_core::sc_event wanted;
    };
    void serve(Worker& worker);

    std::vector<std::unique_ptr<Worker>> all_;
    std::vector<Worker*> idle_;
};

} // namespace mantissa::sim
