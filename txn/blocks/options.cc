// Names, ranges and helps.
#include "txn/blocks/options.h"

#include "rdma/base/random.h"

namespace verbena::txn::blocks {

std::vector<Parameter> parameters(Options& options, prism::DeathOptions& deaths) {
  std::vector<Parameter> all = prism::death_parameters(
      deaths, "blocks",
      "a server that owes an answer for so long counts as dead, as does a client that has been "
      "silent for so long");
  const std::vector<Parameter> own = {
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
               "a quorum, of each in turn or the same for a block, and others once one of it is "
               "dead",
       .target = choice_of(options.ask),
       .choices = {"all", "quorum", "block-quorum"}}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
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

std::uint32_t agreement(const Options& options, const prism::DeathOptions& deaths,
                        std::uint64_t of_buffers) {
  const std::uint64_t all = deaths.agreement(mix64(of_buffers));
  return static_cast<std::uint32_t>(mix64(all ^ static_cast<std::uint64_t>(options.ask)));
}

}  // namespace verbena::txn::blocks
