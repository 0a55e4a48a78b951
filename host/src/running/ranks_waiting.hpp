// Waiting for messages of MPI, but not for ever. For sources that are compiled with MPI.
#pragma once

#include <span>

#include <mpi.h>

#include "ranks.hpp"

namespace mantissa::running {

/// The time that a wait may take (Ranks::set_wait()). Time in which this process did not run does not count: a job that
/// is stopped as a whole goes on.
class Patience {
public:
    Patience();
    /// To be called again and again; false when the time is over.
    bool lasts();

private:
    double last_, left_;
    int calls_ = 0;
};

/// Returns once all requests are done. Where that takes too long, all ranks end, with one line; whom() says who has not
/// answered yet.
template <class Whom> void wait_for(const Ranks& ranks, std::span<MPI_Request> requests, Whom&& whom) {
    Patience patience;
    for (int done = 0;;) {
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        if (done != 0) return;
        if (!patience.lasts()) ranks.give_up(whom());
    }
}

} // namespace mantissa::running
