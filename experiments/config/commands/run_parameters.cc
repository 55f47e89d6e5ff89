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
       .help = "transaction system, `verbena list systems` explains them, or the path of a TOML "
               "file that is one",
       .target = &command.system,
       .choices = txn::system_names(),
       .or_file = true,
       .placeholder = "NAME"},
      {.name = "plan",
       .help = "changes of the system's phases: PHASE=one-sided|two-sided|hybrid or "
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
       .help = "check what the system promises of isolation, money, locks and replicas afterwards; "
               "alone, with no other flag, it hunts for errors in 240 random runs made to conflict",
       .target = &command.run.verify},
      {.name = "rate",
       .help = "transactions that are due per second, in the whole cluster, whatever becomes of "
               "those before; latency then is from when one was due. 0: a coroutine begins the "
               "next one when one has ended",
       .target = &offered.per_second,
       .minimum = 0,
       .maximum = 1e10},
      {.name = "arrivals",
       .help = "of --rate: as many independent users make them come, or evenly spaced",
       .target = Parameter::Choice{[&offered] { return offered.poisson ? 0 : 1; },
                                   [&offered](std::size_t i) { offered.poisson = i == 0; }},
       .choices = {"poisson", "fixed"}},
  };
}

std::vector<Parameter> precision_parameters(RunCommand& command) {
  workloads::PrecisionGoal& goal = command.run.goal;
  return {
      {.name = "precision",
       .help = "of --duration auto: half of the 95 % intervals of throughput and mean latency, in "
               "percent of the mean, and of the share of aborts, in percent of the attempts",
       .target = &command.precision_percent,
       .minimum = 0.01,
       .maximum = 50,
       .placeholder = "PERCENT"},
      {.name = "max-duration",
       .help = "when --duration auto gives up; warm-up and all, simulated",
       .target = &goal.longest,
       .minimum = 2e6,
       .maximum = 3600e9},
      {.name = "max-commits",
       .help = "likewise: about so many transactions are enough, warm-up and all; with --verify, "
               "which keeps what all of them have seen, otherwise 100000",
       .target = &goal.most_commits,
       .minimum = 1000,
       .maximum = 1e12},
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
       .help = "write which points of the program's code the run came to, of those that `hunt` "
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
       .help = "for how long a transaction may be tried again before the run fails; 0: for ever",
       .target = &command.run.patience,
       .maximum = 3600e9},
      {.name = "run.cold_start",
       .help = "whether NICs' caches and log rings begin empty, and not as a long run would have "
               "left them",
       .target = &command.run.cold_start},
      {.name = "run.latency_until",
       .help = "where a transaction's latency ends: when it is decided, or when its coroutine is "
               "done with it, having written back and unlocked",
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
       .help = "a point of the code at which faults.kill_node dies, one of those that --reached "
               "tells: a process is killed, a simulated node stands still from then on",
       .target = &command.crash.point},
      {.name = "faults.kill_count",
       .help = "how many times that node has to come there to die: 1 is the first time",
       .target = &command.crash.count,
       .minimum = 1,
       .maximum = 1e15},
      {.name = "faults.kill_late",
       .help = "with --chaos, what a simulated node had posted when it died arrives up to so "
               "much later, or is lost",
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
       .help = "how many times that node has to come there to die: 1 is the first time",
       .target = &command.second_crash.count,
       .minimum = 1,
       .maximum = 1e15},
      {.name = "faults.restore",
       .help = "a simulated cluster that has ended, or failed since a node was missing, begins "
               "again with what it had saved (nam.checkpoints, into a directory that is removed "
               "afterwards), and is measured and verified then; whatever clients had been told "
               "has to be there",
       .target = &command.restores}};
}

}  // namespace verbena::experiments
