// One request on an idle cluster: keys, defaults, conditions.
#include "experiments/config/commands/explain.h"

#include <fmt/format.h>

#include "experiments/bench/bench_options.h"
#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/fabric_checks.h"
#include "experiments/config/keys/fabric_keys.h"

namespace verbena::experiments {

Keys ExplainCommand::keys() {
  Keys all;
  add_cluster(all, *this);
  add(all, "explain",
      {{.name = "payload",
        .help = "size of the request's data",
        .target = &payload,
        .minimum = 1,
        .maximum = 1 << 20,
        .placeholder = "BYTES"},
       {.name = "doorbell",
        .help = "the request is written to the NIC if it fits, or announced by a doorbell as a "
                "batch of requests is",
        .target = choice_of(doorbell),
        .choices = {"each", "batched"}},
       {.name = "inline",
        .help = "the request carries its data, which the NIC then does not fetch",
        .target = &inlined},
       {.name = "state",
        .help = "what the NICs' caches hold: all, all but the queue pair, or nothing",
        .target = &state,
        .choices = {"warm", "qp-miss", "cold"}},
       {.name = "prism",
        .help = "what carries out chains of PRISM: the callee's cores, or its NIC as PRISM's paper "
                "projects it",
        .target = choice_of(by_nic),
        .choices = {"software", "nic"}}});
  add_output(all, output);
  add_constants(all, fabric);
  return all;
}

void ExplainCommand::set_defaults() {
  cluster.nodes = 2;
  cluster.endpoint.nics = 1;
  cluster.endpoint.workers = 16;  // so that a node may have as many NICs
  const std::string& operation = record.operation;
  payload = operation == "cas" || operation == "faa" ? 8 : operation == "prism-cas" ? 16 : 64;
}

void ExplainCommand::check(const Said& said) {
  const std::string& operation = record.operation;
  if ((operation == "cas" || operation == "faa") && payload != 8) {
    refuse("payload", "an atomic operation takes 8 bytes");
  }
  if (operation == "prism-cas" && payload != 16) {
    refuse("payload", "prism-cas takes 16 bytes");
  }
  if (is_call() && cluster.nodes == 1) {
    refuse("nodes", fmt::format("{} calls another node", operation));
  }
  if (is_call() && state == "qp-miss") {
    refuse("state", fmt::format("{} has warm and cold", operation));
  }
  if (is_chain() && by_nic && cluster.endpoint.nics != 1) {
    throw ConflictError({"prism", "nics-per-node"},
                        fmt::format("--prism nic: nics-per-node is {}, and NICs of a node do not "
                                    "exclude each other; allowed is 1",
                                    cluster.endpoint.nics));
  }
  const bool carries = operation == "write" || operation == "send" || operation == "allocate" ||
                       operation == "prism-write";
  if (inlined && !carries && !is_call()) {
    throw ConflictError({"inline"}, fmt::format("--inline: {} carries no data", operation));
  }
  check_fabric(*this, said, false, operation == "send" || (is_call() && operation != "write-rpc"));
}

bool ExplainCommand::is_chain() const { return is_prism(operation_of(record.operation)); }

bool ExplainCommand::is_call() const {
  return experiments::is_call(operation_of(record.operation)) || (is_chain() && !by_nic);
}

}  // namespace verbena::experiments
