// The lower bits of timestamps.
#include "txn/prism_tx/records/owners.h"

#include "txn/waiting_text.h"

namespace verbena::txn::prism_tx {

std::optional<prism::ClientPlace> Owners::client_of(Timestamp timestamp) const {
  const std::uint64_t number = timestamp & prism::kMostClients;
  if (timestamp >> prism::kClientBits == 0) return std::nullopt;
  if (number == 0 || number > clients_.count()) return std::nullopt;
  return clients_.of(number);
}

std::optional<NodeId> Owners::dead_client(Timestamp timestamp) const {
  const std::optional<prism::ClientPlace> client = client_of(timestamp);
  if (!client || !endpoint_.is_dead(client->node)) return std::nullopt;
  return client->node;
}

std::string Owners::name_of(Timestamp timestamp) const {
  const std::optional<prism::ClientPlace> client = client_of(timestamp);
  return client ? holder_text(client->node, client->worker, client->fiber) : "nobody";
}

}  // namespace verbena::txn::prism_tx
