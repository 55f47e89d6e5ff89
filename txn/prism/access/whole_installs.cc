// One chain for each object.
#include "txn/prism/access/whole_installs.h"

namespace verbena::txn::prism {
namespace {

constexpr std::uint32_t kAllocate = 1;
constexpr std::uint32_t kSwap = 2;

}  // namespace

std::size_t WholeInstalls::add(NodeId server, const InstallChain& chain) {
  added_.push_back(chains_.add(server, chain));
  return added_.size() - 1;
}

void WholeInstalls::carry_out(const RoundTrip& round_trip) { chains_.carry_out(round_trip); }

Installed WholeInstalls::installed(std::size_t install) const {
  const rdma::OpId first = added_[install];
  if (!chains_.done(first, kAllocate)) return {};
  return {.how = chains_.done(first, kSwap) ? Installed::How::kDone : Installed::How::kOvertaken,
          .buffer = chains_.allocated(first, kAllocate),
          .replaced = chains_.words(first, kSwap)};
}

void WholeInstalls::clear() {
  chains_.clear();
  added_.clear();
}

}  // namespace verbena::txn::prism
