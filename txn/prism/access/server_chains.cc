// Filling chains.
#include "txn/prism/access/server_chains.h"

#include <algorithm>
#include <optional>

#include "rdma/chain/chain_message.h"
#include "rdma/rpc/rpc.h"

namespace verbena::txn::prism {
namespace {

/// The region of objects is a server's first.
constexpr RegionId kObjects{0};

}  // namespace

ServerChains::Chain& ServerChains::chain_with_room(NodeId server, const Chain& more) {
  const auto begin = [&](Chain& chain) {
    asked_.push_back(server);
    chain = {.server = server,
             .id = batch_.chain(server, kObjects),
             .operations = 0,
             .request_bytes = rdma::kChainHeaderBytes,
             .reply_bytes = 0};
  };
  auto found = std::ranges::find(chains_, server, &Chain::server);
  if (found == chains_.end()) {
    chains_.push_back({});
    found = std::prev(chains_.end());
    begin(*found);
  } else if (found->operations + more.operations > rdma::kMostOperations ||
             found->request_bytes + more.request_bytes > rpc_.max_payload() ||
             found->reply_bytes + more.reply_bytes > rpc_.max_payload()) {
    begin(*found);
  }
  return *found;
}

rdma::OpId ServerChains::add_alone(NodeId server, std::span<const rdma::Operation> operations) {
  std::optional<rdma::OpId> first;
  for (const rdma::Operation& one : operations) {
    asked_.push_back(server);
    const rdma::OpId added = batch_.add(batch_.chain(server, kObjects), one);
    if (!first) first = added;
  }
  return first.value();
}

rdma::OpId ServerChains::add(NodeId server, std::span<const rdma::Operation> operations) {
  if (grouping_ == Grouping::kAlone) return add_alone(server, operations);
  Chain more{.server = server,
             .id = {},
             .operations = operations.size(),
             .request_bytes = 0,
             .reply_bytes = 0};
  for (const rdma::Operation& one : operations) {
    more.request_bytes += rdma::request_bytes(one);
    more.reply_bytes += rdma::most_reply_bytes(one);
  }
  Chain& chain = chain_with_room(server, more);
  chain.operations += more.operations;
  chain.request_bytes += more.request_bytes;
  chain.reply_bytes += more.reply_bytes;
  const rdma::OpId first = batch_.add(chain.id, operations.front());
  for (const rdma::Operation& one : operations.subspan(1)) batch_.add(chain.id, one);
  return first;
}

void ServerChains::carry_out(const RoundTrip& round_trip) {
  if (round_trip.begins) round_trip.begins();
  batch_.post();
  if (round_trip.sent) round_trip.sent();
  batch_.wait();
  chains_.clear();
}

rdma::OperandWords ServerChains::words(rdma::OpId operation, std::uint32_t behind) const {
  rdma::OperandWords words{};
  const std::span<const std::byte> told = data(operation, behind);
  std::memcpy(words.data(), told.data(), std::min(told.size(), sizeof words));
  return words;
}

void ServerChains::clear() {
  batch_.clear();
  chains_.clear();
  asked_.clear();
}

}  // namespace verbena::txn::prism
