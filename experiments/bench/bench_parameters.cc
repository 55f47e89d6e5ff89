// Parameters of a bench that users may set.
#include <utility>

#include "experiments/bench/bench_options.h"

namespace verbena::experiments {
namespace {

constexpr double kLargestPayload = 1 << 20;

std::vector<Parameter> load_parameters(BenchOptions& options) {
  return {
      {.name = "payload",
       .help = "size of a request's data",
       .target = &options.payload_bytes,
       .minimum = 1,
       .maximum = kLargestPayload,
       .placeholder = "BYTES"},
      {.name = "request-payload",
       .help = "size of the request of rpc and write-rpc, with --payload for the reply",
       .target = &options.request_bytes,
       .minimum = 1,
       .maximum = kLargestPayload,
       .placeholder = "BYTES",
       .otherwise = "as --payload"},
      {.name = "window",
       .help = "requests in flight per coroutine, or per thread with --loop raw",
       .target = &options.window,
       .minimum = 1,
       .maximum = 256},
      {.name = "clients",
       .help = "nodes that send requests, the first ones; the others only answer",
       .target = &options.clients,
       .minimum = 1,
       .maximum = 1024,
       .otherwise = "all that --servers leaves, on hardware one"},
      {.name = "servers",
       .help = "nodes that requests go to, the last ones",
       .target = &options.servers,
       .minimum = 1,
       .maximum = 1024,
       .otherwise = "all"},
      {.name = "doorbell",
       .help = "one doorbell for each request, or one for those of a window to one queue pair",
       .target = choice_of(options.doorbell),
       .choices = {"each", "batched"}},
      {.name = "rounds",
       .help = "--loop raw waits for its whole window before it posts the next, as coroutines do, "
               "instead of letting it slide",
       .target = &options.rounds},
      {.name = "threads-per-queue-pair",
       .help = "threads that share queue pairs and their completion queue, with --loop raw",
       .target = &options.threads_per_queue_pair,
       .minimum = 1,
       .maximum = 256},
  };
}

std::vector<Parameter> object_parameters(BenchOptions& options) {
  return {
      {.name = "objects",
       .help = "objects of one operation of multi-read and multi-write",
       .target = &options.objects,
       .minimum = 1,
       .maximum = 256},
      {.name = "primitive",
       .help = "how multi-read and multi-write reach an object: by READ and WRITE, or by RPC",
       .target = choice_of(options.two_sided),
       .choices = {"one-sided", "two-sided"}},
      {.name = "outstanding",
       .help = "requests for all objects of an operation are in flight at once, not one by one",
       .target = &options.outstanding},
      {.name = "passive",
       .help = "completions of multi-write are acknowledged passively: only the operation's last "
               "WRITE is signaled, or no RPC is answered",
       .target = &options.passive},
      {.name = "transport",
       .help = "kind of the queue pairs; uc for write with --loop raw",
       .target = choice_of(options.transport),
       .choices = {"rc", "uc"}},
  };
}

}  // namespace

std::vector<Parameter> parameters(BenchOptions& options) {
  std::vector<Parameter> all = load_parameters(options);
  for (Parameter& more : object_parameters(options)) all.push_back(std::move(more));
  return all;
}

}  // namespace verbena::experiments
