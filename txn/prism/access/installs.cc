// Which way by which extension.
#include "txn/prism/access/installs.h"

#include <stdexcept>

#include "txn/prism/access/split_installs.h"
#include "txn/prism/access/stocked_installs.h"
#include "txn/prism/access/whole_installs.h"

namespace verbena::txn::prism {

std::unique_ptr<Installs> make_installs(Without without, ServerChains& chains, BufferStock* stock) {
  switch (without) {
    case Without::kNothing:
      return std::make_unique<WholeInstalls>(chains);
    case Without::kIndirection:
    case Without::kChaining:
      return std::make_unique<SplitInstalls>(chains);
    case Without::kAllocation:
      return std::make_unique<StockedInstalls>(chains, *stock);
    case Without::kCas:
      break;
  }
  throw std::logic_error("no greater version is installed by equality");
}

}  // namespace verbena::txn::prism
