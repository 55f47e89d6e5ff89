// Buffers first, and then two operations for each object.
#include "txn/prism/access/stocked_installs.h"

namespace verbena::txn::prism {
namespace {

constexpr std::uint32_t kSwap = 1;

}  // namespace

std::size_t StockedInstalls::add(NodeId server, const InstallChain& chain) {
  const auto copy = [](std::span<const std::byte> of) {
    return std::vector<std::byte>(of.begin(), of.end());
  };
  added_.push_back({.server = server,
                    .chain = chain,
                    .words = copy(chain[0].payload),
                    .object = copy(chain[1].payload)});
  return added_.size() - 1;
}

void StockedInstalls::carry_out(const RoundTrip& round_trip) {
  for (Added& one : added_) {
    one.buffer = stock_.take(one.server, one.chain[1].free_list, round_trip.begins);
  }
  bool any = false;
  for (Added& one : added_) {
    if (!one.buffer) continue;
    one.chain[0].payload = one.words;
    one.chain[1].payload = one.object;
    one.first = chains_.add(one.server, write_and_swap(one.chain, *one.buffer));
    any = true;
  }
  if (!any) return;
  chains_.carry_out(round_trip);
}

Installed StockedInstalls::installed(std::size_t install) const {
  const Added& one = added_[install];
  if (!one.first) return {};
  return {
      .how = chains_.done(*one.first, kSwap) ? Installed::How::kDone : Installed::How::kOvertaken,
      .buffer = *one.buffer,
      .replaced = chains_.words(*one.first, kSwap)};
}

void StockedInstalls::clear() {
  chains_.clear();
  added_.clear();
}

}  // namespace verbena::txn::prism
