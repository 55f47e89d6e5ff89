// Names, ranges and helps.
#include "experiments/config/commands/run_parameters.h"

#include "experiments/config/keys/texts.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {

std::vector<Parameter> run_parameters(RunCommand& command) {
  workloads::OfferedLoad& offered = command.run.offered;
  return {
      {.name = "system",
       .help = "transaction system (see `verbena list systems`), or the path of a TOML file that "
               "is one",
       .target = &command.system,
       .choices = txn::system_names(),
       .or_file = true,
       .placeholder = "NAME"},
      {.name = "plan",
       .help = "changes to the system's phases: PHASE=one-sided|two-sided|hybrid or "
               "PHASE.OPTION=on|off, e.g. commit=two-sided,commit.passive_ack=off",
       .target = &command.plan_changes,
       .check = check_plan_text,
       .placeholder = "PHASE=PRIMITIVE,..."},
      {.name = "workload",
       .help = "what the transactions do; `verbena list workloads` explains them",
       .target = &command.workload,
       .choices = workloads::workload_names(),
       .placeholder = "NAME"},
      {.name = "replicas",
       .help = "copies of every record, the primary included",
       .target = &command.run.replicas,
       .minimum = 1,
       .maximum = 16},
      {.name = "verify",
       .help =
           "check after the run that the system kept its promises of isolation, money, locks and "
           "replicas; without other flags, hunt for errors in 240 random runs with many conflicts",
       .target = &command.run.verify},
      {.name = "rate",
       .help = "transactions due per second in the whole cluster (open loop); latency counts from "
               "the due time. 0: closed loop, each coroutine begins the next transaction when one "
               "has ended",
       .target = &offered.per_second,
       .minimum = 0,
       .maximum = 1e10},
      {.name = "arrivals",
       .help = "when transactions of --rate come: as from many independent users, or evenly spaced",
       .target = Parameter::Choice{[&offered] { return offered.poisson ? 0 : 1; },
                                   [&offered](std::size_t i) { offered.poisson = i == 0; }},
       .choices = {"poisson", "fixed"}},
  };
}

std::vector<Parameter> precision_parameters(RunCommand& command) {
  workloads::PrecisionGoal& goal = command.run.goal;
  return {
      {.name = "precision",
       .help = "goal of --duration auto: half-width of 95 % intervals, in percent of the mean for "
               "throughput and mean latency, of all attempts for the share of aborts",
       .target = &command.precision_percent,
       .minimum = 0.01,
       .maximum = 50,
       .placeholder = "PERCENT"},
      {.name = "max-duration",
       .help = "simulated time, warm-up included, after which --duration auto gives up",
       .target = &goal.longest,
       .minimum = 2e6,
       .maximum = 3600e9},
      {.name = "max-commits",
       .help = "transactions, warm-up included, after which --duration auto ends (about); by "
               "default 100000 with --verify, which keeps the history of all",
       .target = &goal.most_commits,
       .minimum = 1000,
       .maximum = 1e12},
      {.name = "max-memory",
       .help = "memory for the data of the simulated nodes, such as 3GiB, after which --duration "
               "auto ends (about); auto: three fifths of the memory that is free when the run "
               "begins, less 4 MiB for each thread, shared by all runs at once",
       .target = &command.max_memory,
       .check = check_memory_size,
       .placeholder = "SIZE"},
  };
}

Parameter explain_parameter(RunCommand& command) {
  return {.name = "explain",
          .help =
              "tell where the latency of transactions goes: the stations, queues and cores on "
              "their critical paths",
          .target = &command.explain};
}

std::vector<Parameter> file_parameters(RunCommand& command) {
  return {
      {.name = "history",
       .help = "write what each transaction read and wrote to this file, for checkers such as "
               "Elle: as EDN (.edn) or JSON lines (.jsonl)",
       .target = &command.output.history,
       .check = check_history_name,
       .placeholder = "FILE"},
      {.name = "reached",
       .help = "write the points of the program's code that the run reached, among those `hunt` "
               "looks for, to this file, one a line",
       .target = &command.output.reached,
       .check = check_file_name,
       .placeholder = "FILE"},
  };
}

std::vector<Parameter> limit_parameters(RunCommand& command) {
  return {
      {.name = "run.max_transactions",
       .help = "transactions after which a coroutine ends; 0: no such limit",
       .target = &command.run.max_transactions,
       .maximum = 1e15},
      {.name = "run.patience",
       .help = "time for which a transaction may be tried again before the run fails; 0: for ever",
       .target = &command.run.patience,
       .maximum = 3600e9},
      {.name = "run.cold_start",
       .help =
           "begin with empty NIC caches and log rings instead of those a long run would have left",
       .target = &command.run.cold_start},
      {.name = "run.latency_until",
       .help = "end of a transaction's latency: when it is decided, or when its coroutine returns "
               "after writing back and unlocking",
       .target = choice_of(command.run.latency_until_return),
       .choices = {"decided", "returned"}}};
}

std::vector<Parameter> fault_parameters(RunCommand& command) {
  return {
      {.name = "faults.kill_node",
       .help = "the node that dies at faults.kill_at",
       .target = &command.crash.node,
       .maximum = 100000},
      {.name = "faults.kill_at",
       .help = "point of the code (see --reached) at which faults.kill_node dies: a process is "
               "killed, a simulated node stops",
       .target = &command.crash.point},
      {.name = "faults.kill_count",
       .help = "number of the visit to that point at which the node dies; 1 is the first",
       .target = &command.crash.count,
       .minimum = 1,
       .maximum = 1e15},
      {.name = "faults.kill_late",
       .help = "with --chaos, requests that a simulated node had posted when it died arrive up to "
               "so much later, or are lost",
       .target = &command.crash.late,
       .maximum = 1e12},
      {.name = "faults.second_node",
       .help = "another node, which dies at faults.second_at, before or after the first",
       .target = &command.second_crash.node,
       .maximum = 100000},
      {.name = "faults.second_at",
       .help = "a point of the code, as faults.kill_at",
       .target = &command.second_crash.point},
      {.name = "faults.second_count",
       .help = "number of the visit to that point at which the node dies; 1 is the first",
       .target = &command.second_crash.count,
       .minimum = 1,
       .maximum = 1e15},
      {.name = "faults.restore",
       .help = "when a simulated cluster has ended, or failed because of a dead node, restart it "
               "from what it saved (nam.checkpoints, in a temporary directory), measure and "
               "verify; every commit that clients were told of must be there",
       .target = &command.restores}};
}

}  // namespace verbena::experiments
