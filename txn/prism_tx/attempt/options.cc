// Names, ranges and helps.
#include "txn/prism_tx/attempt/options.h"

namespace verbena::txn::prism_tx {

std::vector<Parameter> parameters(Options& options) {
  return {
      {.name = "prepare",
       .help = "how reads and writes are validated: writes after reads, a round trip each, or "
               "both in one",
       .target = choice_of(options.prepare),
       .choices = {"sequential", "pipelined"}},
      {.name = "abort",
       .help = "what an attempt that is given up does to keys that it was about to write: undo "
               "that, or have it decided once what came before is (equal), or at once, as "
               "published (greater), which may lose writes that are not preceded by a read",
       .target = choice_of(options.abort),
       .choices = {"undo", "equal", "greater"}},
      {.name = "clock_skew",
       .help = "the clock of each node is ahead by a time of its own, up to this",
       .target = &options.clock_skew,
       .maximum = 6e10},
      {.name = "merge_rmw",
       .help = "whether a record that is read and written is validated by one operation instead "
               "of two",
       .target = &options.merge_rmw}};
}

}  // namespace verbena::txn::prism_tx
