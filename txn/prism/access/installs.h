// Installs of objects, several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "txn/prism/access/install_chain.h"
#include "txn/prism/access/round_trip.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/access/without.h"

namespace verbena::txn::prism {

class BufferStock;

/// The result of an install.
struct Installed {
  enum class How : std::uint8_t {
    kDone,       ///< the slot leads to the object
    kOvertaken,  ///< the comparison failed: its buffer is not needed
    kNoBuffer,   ///< there was none
  };
  How how = How::kNoBuffer;
  std::uint64_t buffer = 0;          ///< of the object
  rdma::OperandWords replaced = {};  ///< words of the slot before it, once compared

  bool done() const { return how == How::kDone; }
};

/// Has servers install objects in new buffers, each where its slot is as it has to be. A fiber adds
/// installs, has them carried out, looks at the results, clears, and uses the object again.
class Installs {
 public:
  virtual ~Installs() = default;

  /// Adds an install at `server`, and returns its number, from 0. What `chain` refers to need not
  /// outlive the call.
  virtual std::size_t add(NodeId server, const InstallChain& chain) = 0;

  /// Carries them out. Suspends the fiber; throws as PrismBatch does.
  virtual void carry_out(const RoundTrip& round_trip) = 0;

  /// Returns a result; after carry_out(), until clear().
  virtual Installed installed(std::size_t install) const = 0;

  virtual void clear() = 0;
};

/// Returns installs by the operations that NICs have. `chains` has nothing else until clear();
/// `stock`, of which only Without::kAllocation needs one, and `chains` must outlive the result.
std::unique_ptr<Installs> make_installs(Without without, ServerChains& chains, BufferStock* stock);

/// Returns how operations of one client are posted together.
constexpr Grouping grouping(Without without) {
  return without == Without::kChaining ? Grouping::kAlone : Grouping::kByServer;
}

}  // namespace verbena::txn::prism
