// Notifications of buffers that are given back.
#include "rdma/prism/buffer_reports.h"

#include <algorithm>
#include <array>
#include <span>

#include "rdma/base/message_io.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {

void BufferReports::give_back(NodeId server, FreeListId list, std::uint64_t offset) {
  auto found = std::ranges::find_if(
      collected_, [&](const Collected& of) { return of.server == server && of.list == list; });
  if (found == collected_.end()) {
    collected_.push_back({server, list, {}});
    found = std::prev(collected_.end());
  }
  found->offsets.push_back(offset);
  if (found->offsets.size() >= at_once()) {
    send(static_cast<std::size_t>(found - collected_.begin()));
  }
}

std::size_t BufferReports::at_once() const {
  return std::min(kAtOnce, (rpc_.max_payload() - sizeof(GivenBack)) / sizeof(std::uint64_t));
}

// Others may add meanwhile, since sending may suspend.
void BufferReports::send(std::size_t index) {
  const NodeId server = collected_[index].server;
  const GivenBack given{collected_[index].list};
  std::vector<std::uint64_t> offsets;
  offsets.swap(collected_[index].offsets);
  while (!offsets.empty()) {
    const std::size_t count = std::min(offsets.size(), at_once());
    std::array<std::byte, sizeof(GivenBack) + 8 * kAtOnce> message;
    MessageWriter writer(message);
    writer.put(given);
    for (std::size_t i = 0; i < count; ++i) writer.put(offsets[offsets.size() - count + i]);
    offsets.resize(offsets.size() - count);
    rpc_.notify(server, method_, std::span(message).first(sizeof(GivenBack) + 8 * count));
  }
}

void BufferReports::flush() {
  for (std::size_t i = 0; i < collected_.size(); ++i) send(i);
}

std::size_t BufferReports::waiting() const {
  std::size_t count = 0;
  for (const Collected& of : collected_) count += of.offsets.size();
  return count;
}

}  // namespace verbena::rdma
