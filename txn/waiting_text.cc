// Words of what transactions wait for.
#include "txn/waiting_text.h"

#include <algorithm>
#include <vector>

namespace verbena::txn {

std::string record_text(const Schema& schema, const RecordName& name, NodeId node,
                        std::size_t among) {
  if (among > 1) {
    return "one of " + std::to_string(among) + " records of node " + std::to_string(node);
  }
  return schema[name.table].name + " partition " + std::to_string(name.partition) + " key " +
         std::to_string(name.key) + " of node " + std::to_string(node);
}

std::string holder_text(NodeId node, WorkerId worker, std::uint32_t fiber) {
  return "node " + std::to_string(node) + ", worker " + std::to_string(worker) + ", coroutine " +
         std::to_string(fiber);
}

std::string with_awaited(const std::string& what, std::span<const NodeId> peers) {
  if (peers.empty()) return what;
  std::vector<NodeId> nodes(peers.begin(), peers.end());
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
  std::string text = what + " (no answer yet of node";
  if (nodes.size() > 1) text += "s";
  for (const NodeId node : nodes) text += ' ' + std::to_string(node);
  return text + ")";
}

}  // namespace verbena::txn
