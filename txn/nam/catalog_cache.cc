// Asking the catalog.
#include "txn/nam/catalog_cache.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "txn/message_io.h"

namespace verbena::txn::nam {

const CatalogCache::Entry* CatalogCache::find(const RecordName& name) const {
  const auto known = entries_.find(part_of(name));
  return known == entries_.end() ? nullptr : &known->second;
}

void CatalogCache::ask(rdma::RpcBatch& calls, std::span<const RecordName> names) {
  std::map<NodeId, std::set<TablePart>> by_home;
  for (const RecordName& name : names) by_home[layout_.catalog_home(name)].insert(part_of(name));
  std::vector<std::vector<TablePart>> asked;
  for (const auto& [home, parts] : by_home) {
    for (const TablePart& part : parts) {
      if (asked.empty() || asked.back().size() == kMostDescribed || part == *parts.begin()) {
        asked.emplace_back();
      }
      asked.back().push_back(part);
      if (asked.back().size() == kMostDescribed || part == *parts.rbegin()) {
        calls.add(home, Method::kDescribe, std::as_bytes(std::span(asked.back())));
      }
    }
  }
  calls.post();
  calls.wait();
  for (std::size_t call = 0; call < asked.size(); ++call) {
    MessageReader reply(calls.reply(call));
    const auto version = reply.take<DescribeReply>().version;
    for (const TablePart& part : asked[call]) {
      const auto generation = reply.take<std::uint32_t>();
      Entry& entry = entries_[part];
      if (version >= entry.version) entry = {.generation = generation, .version = version};
    }
  }
  calls.clear();
}

}  // namespace verbena::txn::nam
