// Names, ranges and helps.
#include "txn/nam/node/options.h"

#include <utility>

namespace verbena::txn::nam {
namespace {

std::vector<Parameter> placement(Options& options) {
  return {
      {.name = "memory_nodes",
       .help =
           "memory servers; 0: half of the nodes besides the oracle, or all of them with locality",
       .target = &options.memory_nodes,
       .maximum = 1000},
      {.name = "memory_workers",
       .help = "threads of a node that does not compute, at most --threads",
       .target = &options.memory_workers,
       .minimum = 1,
       .maximum = 1024},
      {.name = "oracle",
       .help = "source of snapshots: a vector with a slot for each coroutine, or for each compute "
               "server (compressed), or one counter for all",
       .target = Parameter::Choice{
           [&options] { return static_cast<std::size_t>(options.oracle); },
           [&options](std::size_t i) { options.oracle = static_cast<Oracle>(i); }},
       .choices = {"vector", "compressed", "counter"}},
      {.name = "oracles",
       .help = "servers that keep parts of the vector of commits",
       .target = &options.oracles,
       .minimum = 1,
       .maximum = 1000},
      {.name = "oracle_on_memory",
       .help =
           "keep the vector of commits on the first memory servers instead of on nodes of its own",
       .target = &options.oracle_on_memory},
      {.name = "locality",
       .help = "make all nodes besides the oracle both compute and memory servers, whose CPUs "
               "access their own machine's records; NICs take the locks there, too",
       .target = &options.node.locality},
      {.name = "own_by_nic",
       .help = "with locality, access records of the own machine by its NIC, like those of others, "
               "instead of its CPU",
       .target = &options.node.own_by_nic}};
}

std::vector<Parameter> snapshots(Options& options) {
  return {
      {.name = "stable_snapshots",
       .help = "read a vector of more than a cache line until it is the same twice; else snapshots "
               "may be torn, and two of them may each hold commits that the other lacks",
       .target = &options.node.stable_snapshots},
      {.name = "background_snapshots",
       .help = "have a coroutine of each compute server READ the vector of commits repeatedly, and "
               "transactions take its last result; else each transaction READs it",
       .target = &options.node.background_snapshots},
      {.name = "fetch_pause",
       .help =
           "pause of that coroutine after each READ: less work for the oracle, and older snapshots",
       .target = &options.node.fetch_pause,
       .maximum = 1e9},
      {.name = "session",
       .help = "a transaction whose vector lacks its coroutine's last commit waits for another "
               "vector, sees its commits all the same (override), or may miss them",
       .target = Parameter::Choice{
           [&options] { return static_cast<std::size_t>(options.node.session); },
           [&options](std::size_t i) { options.node.session = static_cast<Session>(i); }},
       .choices = {"wait", "override", "none"}},
      {.name = "await_publication",
       .help = "report a commit when the vector of commits has it; else, and always with a "
               "counter, when it is on its way there",
       .target = &options.node.await_publication},
      {.name = "stamp_empty",
       .help = "commit transactions that might have written, but have not, as if they had: to "
               "measure the oracle alone",
       .target = &options.node.stamp_empty},
      {.name = "longest_transaction",
       .help = "age at which a transaction's snapshot is no longer of use, so that entries nobody "
               "can read any more are taken out of indexes",
       .target = &options.node.longest_transaction,
       .minimum = 10'000,
       .maximum = 3.6e12}};
}

std::vector<Parameter> records(Options& options) {
  return {
      {.name = "versions",
       .help = "old versions that are kept of each record",
       .target = &options.versions,
       .minimum = 1,
       .maximum = 64},
      {.name = "overflow_kib",
       .help = "KiB of each memory server for versions older than these, kept as long as "
               "transactions may use them; 0: they are overwritten",
       .target = &options.overflow_kib,
       .maximum = 1 << 28},
      {.name = "extent_records",
       .help =
           "places for new records that a thread takes from a memory server at a time, for each "
           "partition of a table; 0: the server chooses a place when it is told of the key",
       .target = &options.node.extent_records,
       .maximum = 1024},
      {.name = "bucket_slots_percent",
       .help = "slots of hash buckets for each 100 records that may be inserted; with "
               "fewer, more buckets overflow into others",
       .target = &options.bucket_slots_percent,
       .minimum = 1,
       .maximum = 1000},
      {.name = "first_buckets",
       .help = "hash buckets that a partition of a table begins with, rounded up to a power of "
               "two; whenever they are three quarters full, up to four times as many follow, which "
               "compute servers learn from a catalog at memory servers; 0: all are there from the "
               "beginning, without a catalog",
       .target = &options.first_buckets,
       .maximum = 1 << 20}};
}

std::vector<Parameter> recovery(Options& options) {
  return {
      {.name = "journals",
       .help = "memory servers to which a coroutine writes its updates before it installs them, so "
               "that others can finish them; 0: none, else at least 2",
       .target = &options.node.journals,
       .maximum = 1000},
      {.name = "journal_bytes",
       .help = "bytes of each coroutine's journal ring at a server; 0: room for four of the "
               "longest entries",
       .target = &options.node.journal_bytes,
       .maximum = 1e9},
      {.name = "checkpoints",
       .help = "directory where memory servers save their records now and then, and their journals "
               "when one of them is lost, so that nam.restore begins where transactions ended; "
               "needs journals; none: nothing is saved",
       .target = &options.node.checkpoints},
      {.name = "checkpoint_interval",
       .help = "time from the beginning of a checkpoint to that of the next",
       .target = &options.node.checkpoint_interval,
       .minimum = 10'000,
       .maximum = 3.6e12},
      {.name = "restore",
       .help = "directory that a cluster of the same nodes and settings has saved, to begin with "
               "its records instead of freshly loaded ones",
       .target = &options.node.restore},
      {.name = "heartbeat",
       .help =
           "period at which a compute server tells the next one that it is alive; deaths are then "
           "noticed and the dead one's transactions finished, which needs journals; 0: none",
       .target = &options.node.heartbeat,
       .maximum = 1e9},
      {.name = "suspect_after",
       .help = "time of silence after which a compute server counts as dead",
       .target = &options.node.suspect_after,
       .minimum = 1000,
       .maximum = 2e8}};
}

}  // namespace

std::vector<ParameterSection> parameters(Options& options) {
  std::vector<Parameter> all;
  for (auto* group : {placement, snapshots, records, recovery}) {
    for (Parameter& parameter : group(options)) all.push_back(std::move(parameter));
  }
  return {{.name = "nam", .parameters = std::move(all)}};
}

}  // namespace verbena::txn::nam
