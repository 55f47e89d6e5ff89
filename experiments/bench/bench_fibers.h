// The work of one fiber of a client, for each operation of the bench.
#pragma once

#include "experiments/bench/bench_worker.h"
#include "rdma/rpc/rpc.h"

namespace verbena::experiments {

/// Installs what the worker serves its peers. Throws ConfigurationError when a payload is larger
/// than a message can be.
void serve(BenchWorker& bench);

/// READ, WRITE or ATOMIC: a window of them, then the wait for all.
void one_sided_fiber(BenchWorker& bench);

/// Calls: a window of them, then the wait for all.
void rpc_fiber(BenchWorker& bench);

/// Notifications: a window of them, then a turn for the others.
void send_fiber(BenchWorker& bench);

/// Operations on several objects, each by a request of its own (DrTM+H paper, section 4.2, figure
/// 6). An object is 64 B or more at a random place of a random peer. In the order of the figure's
/// optimizations:
/// - without `outstanding` one request is in flight, else all of the operation's are;
/// - Doorbell::kBatched posts those to one queue pair together;
/// - `passive` (section 3.2): of one-sided writes only the operation's last is signaled and waited
///   for; two-sided ones are notifications, which nothing answers but acknowledgements that ride on
///   other messages.
void multi_one_sided_fiber(BenchWorker& bench);
void multi_two_sided_fiber(BenchWorker& bench);

/// Operations of PRISM: a window of chains of one operation each, then the wait for all. Buffers
/// that were allocated are given back.
void prism_fiber(BenchWorker& bench);

}  // namespace verbena::experiments
