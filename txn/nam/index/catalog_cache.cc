// Asking the catalog.
#include "txn/nam/index/catalog_cache.h"

#include <algorithm>
#include <set>
#include <vector>

#include "rdma/base/message_io.h"
#include "txn/nam/records/record_bounds.h"

namespace verbena::txn::nam {

const CatalogCache::Entry* CatalogCache::find(const RecordName& name) const {
  const auto known = entries_.find(part_of(name));
  return known == entries_.end() ? nullptr : &known->second;
}

void CatalogCache::ask(rdma::RpcBatch& calls, std::span<const RecordName> names) {
  std::map<NodeId, std::set<TablePart>> by_home;
  for (const RecordName& name : names) by_home[layout_.catalog_home(name)].insert(part_of(name));
  std::vector<TablePart> asked;  // in the order of replies
  for (const auto& [home, parts] : by_home) {
    const std::size_t before = asked.size();
    asked.insert(asked.end(), parts.begin(), parts.end());
    for (auto rest = std::span(asked).subspan(before); !rest.empty();) {
      const auto some = rest.first(std::min(rest.size(), kMostDescribed));
      calls.add(home, Method::kDescribe, std::as_bytes(some));
      rest = rest.subspan(some.size());
    }
  }
  calls.post();
  calls.wait();
  auto next = asked.begin();
  for (std::size_t call = 0; call < calls.size(); ++call) {
    calls.take(call, [&](std::span<const std::byte> bytes) {
      MessageReader reply(bytes);
      const auto version = reply.take<DescribeReply>().version;
      check_within(reply.count<std::uint32_t>(), 0, asked.end() - next, "parts of tables");
      for (; !reply.rest().empty(); ++next) {
        const auto generation = reply.take<std::uint32_t>();
        check_below(generation, layout_.table(next->table).hash.size(), "generation");
        Entry& entry = entries_[*next];
        if (version >= entry.version) entry = {.generation = generation, .version = version};
      }
    });
  }
  calls.clear();
}

}  // namespace verbena::txn::nam
