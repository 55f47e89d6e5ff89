// Names, ranges and helps.
#include "txn/nam/node/options.h"

#include <utility>

namespace verbena::txn::nam {
namespace {

std::vector<Parameter> placement(Options& options) {
  return {{.name = "memory_nodes",
           .help = "memory servers; 0: half of the nodes besides the oracle, or with locality "
                   "all of them",
           .target = &options.memory_nodes,
           .maximum = 1000},
          {.name = "memory_workers",
           .help = "threads of a node that does not compute, at most --threads",
           .target = &options.memory_workers,
           .minimum = 1,
           .maximum = 1024},
          {.name = "oracle",
           .help = "what tells snapshots: a vector with a slot of each coroutine, or of each "
                   "compute server (compressed), or one counter of all",
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
           .help = "whether the first memory servers keep the vector of commits, instead of "
                   "nodes of their own",
           .target = &options.oracle_on_memory},
          {.name = "locality",
           .help = "whether all nodes besides the oracle are compute and memory servers both, "
                   "whose CPUs access the records of their own machine; locks are taken by "
                   "NICs there, too",
           .target = &options.node.locality},
          {.name = "own_by_nic",
           .help = "with locality: whether the records of the own machine are accessed by its NIC, "
                   "as those of others, instead of its CPU",
           .target = &options.node.own_by_nic}};
}

std::vector<Parameter> snapshots(Options& options) {
  return {{.name = "stable_snapshots",
           .help = "whether a vector of more than a cache line is read until it is the same "
                   "twice; else snapshots may be torn, and two of them may each hold what the "
                   "other does not",
           .target = &options.node.stable_snapshots},
          {.name = "background_snapshots",
           .help = "whether a coroutine of each compute server READs the vector of commits "
                   "again and again, and transactions take what it has read last; else each "
                   "READs it",
           .target = &options.node.background_snapshots},
          {.name = "fetch_pause",
           .help = "how long that coroutine pauses after each READ: less for the oracle to do, and "
                   "older snapshots",
           .target = &options.node.fetch_pause,
           .maximum = 1e9},
          {.name = "session",
           .help = "of who would take a vector without its own last commit: it waits for "
                   "another, or sees its commits all the same (override), or may miss them",
           .target = Parameter::Choice{
               [&options] { return static_cast<std::size_t>(options.node.session); },
               [&options](std::size_t i) { options.node.session = static_cast<Session>(i); }},
           .choices = {"wait", "override", "none"}},
          {.name = "await_publication",
           .help = "whether a commit is reported when the vector of commits has it; else, and "
                   "always with a counter, when "
                   "it is on its way there",
           .target = &options.node.await_publication},
          {.name = "stamp_empty",
           .help = "whether transactions that might have written, but have not, commit as if "
                   "they had: to measure the oracle alone",
           .target = &options.node.stamp_empty},
          {.name = "longest_transaction",
           .help = "after this time a transaction's snapshot is of no use any more, so that "
                   "what nobody can come to read is taken out of indexes",
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
       .help = "KiB of each memory server for versions that are older than these, which are "
               "kept as long as transactions may use them; 0: they are overwritten",
       .target = &options.overflow_kib,
       .maximum = 1 << 28},
      {.name = "extent_records",
       .help = "places of records to be inserted that a thread takes of a memory server at a "
               "time, of each partition of a table; 0: the server chooses a place when it is "
               "told of the key",
       .target = &options.node.extent_records,
       .maximum = 1024},
      {.name = "bucket_slots_percent",
       .help = "slots of hash buckets for each 100 records that may be inserted; with "
               "fewer, more buckets overflow into others",
       .target = &options.bucket_slots_percent,
       .minimum = 1,
       .maximum = 1000},
      {.name = "first_buckets",
       .help = "hash buckets that a partition of a table begins with, or the next power of two: "
               "up to four times as many follow whenever they are three quarters full, and compute "
               "servers learn of "
               "it by a catalog at memory servers; 0: all are there from the beginning, and "
               "there is no catalog",
       .target = &options.first_buckets,
       .maximum = 1 << 20}};
}

std::vector<Parameter> recovery(Options& options) {
  return {{.name = "journals",
           .help = "memory servers to which a coroutine writes what it will install, before it "
                   "does, so that others can finish it; 0: none, else at least 2",
           .target = &options.node.journals,
           .maximum = 1000},
          {.name = "journal_bytes",
           .help = "of each coroutine's ring of such entries at a server; 0: room for four of "
                   "the longest",
           .target = &options.node.journal_bytes,
           .maximum = 1e9},
          {.name = "checkpoints",
           .help = "directory into which memory servers save their records now and then, and "
                   "their journals when one of them is lost, so that nam.restore begins where "
                   "transactions ended; needs journals; none: nothing is saved",
           .target = &options.node.checkpoints},
          {.name = "checkpoint_interval",
           .help = "from the beginning of a checkpoint to that of the next",
           .target = &options.node.checkpoint_interval,
           .minimum = 10'000,
           .maximum = 3.6e12},
          {.name = "restore",
           .help = "directory with what a cluster of the same nodes and settings has saved, from "
                   "which records begin, instead of as they are loaded",
           .target = &options.node.restore},
          {.name = "heartbeat",
           .help = "how often a compute server tells the next one that it is alive; then those "
                   "that die are found out and their transactions are finished, which needs "
                   "journals; 0: no",
           .target = &options.node.heartbeat,
           .maximum = 1e9},
          {.name = "suspect_after",
           .help = "a compute server counts as dead when it has been silent for so long",
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
