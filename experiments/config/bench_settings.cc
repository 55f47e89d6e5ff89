// The part of the table of settings that is bench's.
#include "experiments/config/bench_settings.h"

namespace verbena::experiments {

std::vector<Setting> bench_settings() {
  return {
      {.name = "payload",
       .placeholder = "BYTES",
       .help = "size of a request's data",
       .target = &Options::payload,
       .commands = kForBench | kForExplain,
       .minimum = 1,
       .maximum = 1U << 20},
      {.name = "request-payload",
       .placeholder = "BYTES",
       .help =
           "size of the request of rpc and write-rpc, of whose reply --payload is; otherwise as "
           "--payload",
       .target = &Options::request_payload,
       .commands = kForBench,
       .minimum = 1,
       .maximum = 1U << 20},
      {.name = "window",
       .placeholder = "N",
       .help = "requests in flight per coroutine; of --loop raw per thread",
       .target = &Options::window,
       .commands = kForBench,
       .minimum = 1,
       .maximum = 256},
      {.name = "clients",
       .placeholder = "N",
       .help = "nodes that send requests, the first ones; the others only answer",
       .target = &Options::clients,
       .commands = kForBench,
       .minimum = 1,
       .maximum = 1024},
      {.name = "servers",
       .placeholder = "N",
       .help = "nodes that requests go to, the last ones",
       .target = &Options::servers,
       .commands = kForBench,
       .minimum = 1,
       .maximum = 1024},
      {.name = "doorbell",
       .placeholder = "each|batched",
       .help = "one doorbell for each request, or one for those of a window to one queue pair",
       .target = &Options::doorbell,
       .commands = kForBench | kForExplain,
       .choices = {"each", "batched"}},
      {.name = "loop",
       .placeholder = "fibers|raw",
       .help = "coroutines on an event loop, or threads that post and poll one-sided requests "
               "by themselves, a sliding window each",
       .target = &Options::loop,
       .commands = kForBench,
       .choices = {"fibers", "raw"}},
      {.name = "rounds",
       .placeholder = "",
       .help = "--loop raw waits for its whole window before it posts the next, as coroutines do, "
               "instead of letting it slide",
       .target = &Options::rounds,
       .commands = kForBench},
      {.name = "threads-per-queue-pair",
       .placeholder = "N",
       .help = "threads that share queue pairs and their completion queue, with --loop raw",
       .target = &Options::threads_per_queue_pair,
       .commands = kForBench,
       .minimum = 1,
       .maximum = 256},
      {.name = "objects",
       .placeholder = "N",
       .help = "objects of one operation of multi-read and multi-write",
       .target = &Options::objects,
       .commands = kForBench,
       .minimum = 1,
       .maximum = 256},
      {.name = "primitive",
       .placeholder = "one-sided|two-sided",
       .help = "how multi-read and multi-write reach an object: by READ and WRITE, or by RPC",
       .target = &Options::primitive,
       .commands = kForBench,
       .choices = {"one-sided", "two-sided"}},
      {.name = "outstanding",
       .placeholder = "",
       .help = "requests for all objects of an operation are in flight at once, not one by one",
       .target = &Options::outstanding,
       .commands = kForBench},
      {.name = "passive",
       .placeholder = "",
       .help = "completions of multi-write are acknowledged passively: only the operation's last "
               "WRITE is signaled, or no RPC is answered",
       .target = &Options::passive,
       .commands = kForBench},
      {.name = "transport",
       .placeholder = "rc|uc",
       .help = "kind of the queue pairs; uc for write with --loop raw",
       .target = &Options::transport,
       .commands = kForBench,
       .choices = {"rc", "uc"}},
  };
}

void set_bench_defaults(Options& options) {
  const bool atomic = options.operation == "cas" || options.operation == "faa";
  const bool call = options.operation == "rpc" || options.operation == "write-rpc";
  const bool several = options.operation == "multi-read" || options.operation == "multi-write";
  options.payload = atomic ? 8 : call ? 32 : 64;
  options.doorbell = options.operation == "send" || options.operation == "rpc" ? "batched" : "each";
  options.window = options.simulated() && !several ? 4 : 1;
  options.objects = several ? 10 : 1;
  options.primitive = "one-sided";
  options.coroutines = options.simulated() ? 4 : 1;
  options.clients = options.simulated() ? options.nodes : 1;
  options.servers = options.nodes;
  options.request_payload = options.payload;
  options.loop = "fibers";
  options.threads_per_queue_pair = 1;
  options.transport = "rc";
}

}  // namespace verbena::experiments
