// Two operations for each object, one after the other.
#include "txn/prism/access/split_installs.h"

namespace verbena::txn::prism {

std::size_t SplitInstalls::add(NodeId server, const InstallChain& chain) {
  added_.push_back({.server = server,
                    .allocate = chains_.add(server, allocation_of(chain)),
                    .swap = swap_of(chain, 0),
                    .pointer_word = chain[1].redirect.offset / sizeof(std::uint64_t)});
  return added_.size() - 1;
}

void SplitInstalls::carry_out(const RoundTrip& round_trip) {
  chains_.carry_out(round_trip);
  bool any = false;
  for (Added& one : added_) {
    if (!chains_.done(one.allocate)) continue;
    const std::uint64_t pointer = chains_.allocated(one.allocate, 0);
    one.swap.swap_words[one.pointer_word] = one.swap.compare_words[one.pointer_word] = pointer;
    one.swapped = chains_.add(one.server, one.swap);
    any = true;
  }
  if (!any) return;
  chains_.carry_out(round_trip);
}

Installed SplitInstalls::installed(std::size_t install) const {
  const Added& one = added_[install];
  if (!one.swapped) return {};
  return {.how = chains_.done(*one.swapped) ? Installed::How::kDone : Installed::How::kOvertaken,
          .buffer = chains_.allocated(one.allocate, 0),
          .replaced = chains_.words(*one.swapped, 0)};
}

void SplitInstalls::clear() {
  chains_.clear();
  added_.clear();
}

}  // namespace verbena::txn::prism
