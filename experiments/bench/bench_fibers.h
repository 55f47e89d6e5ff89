// Functions that a client's fibers run, one for each operation of the bench.
#pragma once

#include "experiments/bench/bench_worker.h"
#include "rdma/rpc/rpc.h"

namespace verbena::experiments {

/// Installs the handlers by which the worker serves its peers. Throws ConfigurationError when a
/// payload is larger than a message can be.
void serve(BenchWorker& bench);

/// Posts a window of READs, WRITEs or ATOMICs, waits for all of them, and repeats.
void one_sided_fiber(BenchWorker& bench);

/// Makes a window of calls, waits for all replies, and repeats.
void rpc_fiber(BenchWorker& bench);

/// Sends a window of notifications, lets other fibers run, and repeats.
void send_fiber(BenchWorker& bench);

/// Run operations on several objects, with one request for each object (DrTM+H paper, section 4.2,
/// figure 6). An object is 64 B or more at a random place of a random peer. Options, in the order
/// of the figure's optimizations:
/// - `outstanding`: all requests of an operation are in flight together; otherwise one is.
/// - Doorbell::kBatched: requests to one queue pair are posted together.
/// - `passive` (section 3.2): of one-sided writes, only an operation's last is signaled and waited
///   for; two-sided writes are notifications, whose acknowledgements ride on other messages.
void multi_one_sided_fiber(BenchWorker& bench);
void multi_two_sided_fiber(BenchWorker& bench);

/// Posts a window of PRISM chains of one operation each, waits for all of them, and repeats. Gives
/// allocated buffers back.
void prism_fiber(BenchWorker& bench);

}  // namespace verbena::experiments
