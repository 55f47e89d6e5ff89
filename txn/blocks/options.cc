// Names, ranges and helps.
#include "txn/blocks/options.h"

#include <algorithm>

#include "rdma/base/random.h"

namespace verbena::txn::blocks {

Nanoseconds Options::beat_every() const {
  return heartbeat > 0 ? heartbeat : std::max(suspect_after / 8, 1_ns);
}

std::vector<Parameter> parameters(Options& options) {
  return {{.name = "suspect_after",
           .help = "a server that owes an answer for so long counts as dead, as does a client "
                   "that has been silent for so long",
           .target = &options.suspect_after,
           .minimum = 1000,
           .maximum = 6e10},
          {.name = "heartbeat",
           .help = "how often a client tells servers that it is alive; 0: eight times in "
                   "blocks.suspect_after",
           .target = &options.heartbeat,
           .maximum = 3e10,
           .condition = "at most half of blocks.suspect_after",
           .holds = [&options] { return options.heartbeat <= options.suspect_after / 2; }},
          {.name = "skip_write_back",
           .help = "whether a GET whose answers are all of the same version ends without writing "
                   "that back",
           .target = &options.skip_write_back},
          {.name = "put_reads",
           .help = "what a PUT reads before it writes: the block with its tag, or the tag alone",
           .target = choice_of(options.put_reads),
           .choices = {"block", "tag"}},
          {.name = "ask",
           .help = "the replicas that an operation asks: all, of which a quorum has to answer, or "
                   "a quorum, and others once one of it is dead",
           .target = choice_of(options.ask),
           .choices = {"all", "quorum"}}};
}

std::vector<Parameter> lock_parameters(Options& options) {
  return {{.name = "lock_backoff",
           .help = "how long a client that has not got its locks waits at most before it tries "
                   "again; twice as long each time",
           .target = &options.lock_backoff,
           .minimum = 1,
           .maximum = 1e9},
          {.name = "lock_backoff_ceiling",
           .help = "the longest of these times",
           .target = &options.lock_backoff_ceiling,
           .minimum = 1,
           .maximum = 1e9,
           .condition = "at least blocks.lock_backoff",
           .holds = [&options] { return options.lock_backoff_ceiling >= options.lock_backoff; }}};
}

std::uint32_t agreement(const Options& options, std::uint64_t of_buffers) {
  std::uint64_t all = mix64(of_buffers);
  all = mix64(all ^ static_cast<std::uint64_t>(options.suspect_after.count()));
  all = mix64(all ^ static_cast<std::uint64_t>(options.heartbeat.count()));
  return static_cast<std::uint32_t>(mix64(all ^ static_cast<std::uint64_t>(options.ask)));
}

}  // namespace verbena::txn::blocks
