// Jobs side by side. (Index ranges of a kernel are another thing: see host/src/running/parallel.hpp.)
#pragma once

#include <cstddef>
#include <functional>

namespace mantissa::base {

/// Runs job(0) ... job(count - 1) on up to `threads` threads, of which the calling one is one, and returns when all
/// have ended. They are begun in this order, each once. Where the system gives fewer threads, those that it gives do
/// the work.
///
/// `done(i)` is called after job(i), for one job at a time, by the thread that ran it: for results and progress.
///
/// Exceptions: when a job or `done` throws, no other job is begun and `done` is not called any more; those that run go
/// on to their end; then the exception that came first is thrown again. A job that must not stop the others catches its
/// own.
///
/// Signals: once the program ends by one (ending.hpp), no job is begun, and this does not return.
void run_jobs(std::size_t count, int threads, const std::function<void(std::size_t)>& job,
              const std::function<void(std::size_t)>& done = {});

} // namespace mantissa::base
