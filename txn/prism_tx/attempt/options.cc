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
       .help = "how an attempt that is given up treats keys it was about to write: undoes that, or "
               "has it decided once earlier attempts are (equal), or at once, as published "
               "(greater), which may lose writes not preceded by a read",
       .target = choice_of(options.abort),
       .choices = {"undo", "equal", "greater"}},
      {.name = "clock_skew",
       .help = "most that a node's clock may be ahead; each node has a value of its own",
       .target = &options.clock_skew,
       .maximum = 6e10},
      {.name = "merge_rmw",
       .help = "validate a record that is both read and written by one operation instead of two",
       .target = &options.merge_rmw}};
}

}  // namespace verbena::txn::prism_tx
