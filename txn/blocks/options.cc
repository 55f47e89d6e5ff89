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
       .help = "end a GET whose answers all have the same version without writing it back",
       .target = &options.skip_write_back},
      {.name = "put_reads",
       .help = "what a PUT reads before it writes: the block with its tag, or the tag alone",
       .target = choice_of(options.put_reads),
       .choices = {"block", "tag"}},
      {.name = "ask",
       .help = "replicas that an operation asks: all, where a quorum has to answer, or only a "
               "quorum, chosen in turn or the same for a block, and others once one of it is dead",
       .target = choice_of(options.ask),
       .choices = {"all", "quorum", "block-quorum"}}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::vector<Parameter> lock_parameters(Options& options) {
  return {{.name = "lock_backoff",
           .help = "longest wait of a client that did not get its locks before it tries again; it "
                   "doubles each time",
           .target = &options.lock_backoff,
           .minimum = 1,
           .maximum = 1e9},
          {.name = "lock_backoff_ceiling",
           .help = "limit of that wait as it doubles",
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
