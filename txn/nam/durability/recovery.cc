// Fencing, rolling forward, releasing.
#include "txn/nam/durability/recovery.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/base/message_io.h"
#include "rdma/endpoint.h"
#include "txn/nam/durability/fence_calls.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

using rdma::Work;

std::size_t image_bytes(const Layout& layout) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    most = std::max<std::size_t>(most, layout.table(static_cast<TableId>(t)).format.stride());
  }
  return most;
}

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

Recovery::Recovery(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
                   const TransactionLimits& limits)
    : worker_(worker),
      layout_(layout),
      journals_(journals),
      batch_(worker.connections()),
      calls_(worker.rpc()),
      vector_(worker.allocate_scratch(layout.vector().bytes())),
      heads_(worker.allocate_scratch(journals.copies() * kCacheLineBytes)),
      entry_(worker.allocate_scratch(JournalEntryWriter::most_bytes(layout, limits))),
      current_(worker.allocate_scratch(image_bytes(layout))),
      next_(worker.allocate_scratch(image_bytes(layout))) {}

std::size_t Recovery::scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                    std::uint32_t copies) {
  const std::size_t lines = cache_lines(JournalEntryWriter::most_bytes(layout, limits)) + copies;
  return layout.vector().bytes() + lines * kCacheLineBytes + 2 * image_bytes(layout);
}

void Recovery::run(NodeId dead) {
  worker_.core().reach("nam: transactions of a dead server are finished");
  fence(dead);
  const std::uint32_t first = layout_.slot_of(dead, WorkerId{0}, 0);
  const std::uint32_t slots = layout_.fibers().fibers_of_server();
  batch_.read(layout_.vector().address(first), vector_.data(),
              static_cast<std::uint32_t>(slots * sizeof(std::uint32_t)));
  batch_.post();
  batch_.wait();
  std::vector<std::uint32_t> published(slots);
  std::memcpy(published.data(), vector_.data(), slots * sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < slots; ++i) finish_slot(first + i, published[i]);
  release(first, first + slots - 1);
}

void Recovery::fence(NodeId dead) {
  rdma::Endpoint& endpoint = worker_.endpoint();
  if (endpoint.connected(dead)) endpoint.fence(dead);
  FenceCalls calls(worker_);
  for (std::vector<NodeId> peers = calls.others(); !peers.empty();) {
    calls.post({.dead = dead, .by = worker_.node(), .reserved = {}}, peers);
    peers = calls.wait();
    if (!peers.empty()) worker_.sleep_until(worker_.now() + kMicrosecond);
  }
}

void Recovery::finish_slot(std::uint32_t slot, std::uint32_t published) {
  const auto found = find({.slot = slot, .count = published + 1});
  if (!found) return;
  complete_copies(*found);
  roll_forward(found->entry);
}

void Recovery::read_heads(std::uint32_t slot) {
  for (std::uint32_t copy = 0; copy < journals_.copies(); ++copy) {
    batch_.read(journals_.ring(slot, copy), heads_.data() + copy * kCacheLineBytes,
                sizeof(JournalHead));
  }
  batch_.post();
  batch_.wait();
}

JournalHead Recovery::head_of(std::uint32_t copy) const {
  JournalHead head;
  std::memcpy(&head, heads_.data() + copy * kCacheLineBytes, sizeof head);
  return head;
}

// A copy that is not whole, or tells of an older commit: others may be.
std::optional<Recovery::Found> Recovery::find(const Stamp& stamp) {
  read_heads(stamp.slot);
  for (std::uint32_t copy = 0; copy < journals_.copies(); ++copy) {
    const JournalHead head = head_of(copy);
    if (head.bytes == 0 || head.stamp != stamp || head.bytes > entry_.size()) continue;
    RemoteAddress at = journals_.ring(stamp.slot, copy);
    at.offset += head.at;
    batch_.read(at, entry_.data(), head.bytes);
    batch_.post();
    batch_.wait();
    worker_.core().spend(Work::kCopyLine, cache_lines(head.bytes));
    try {
      auto entry = JournalEntry::parse(entry_.first(head.bytes), layout_);
      if (!entry || entry->header().stamp != stamp) continue;
      return Found{.copy = copy, .head = head, .entry = *std::move(entry)};
    } catch (const Malformed& wrong) {
      throw PeerError("journal of slot " + std::to_string(stamp.slot) + " at node " +
                      std::to_string(at.node) + ": an entry " + wrong.what());
    }
  }
  return std::nullopt;
}

// In each the head comes behind the entry, as the writer's would have. That a copy's head tells of
// the entry already is not taken for proof.
void Recovery::complete_copies(const Found& found) {
  const std::uint32_t slot = found.entry.header().stamp.slot;
  for (std::uint32_t copy = 0; copy < journals_.copies(); ++copy) {
    if (copy == found.copy) continue;
    if (head_of(copy).stamp != found.head.stamp) {
      worker_.core().reach("nam: journal of a dead server lacks an entry in a copy");
    }
    const RemoteAddress head = journals_.ring(slot, copy);
    RemoteAddress at = head;
    at.offset += found.head.at;
    batch_.write(at, entry_.data(), found.head.bytes);
    batch_.write(head, &found.head, sizeof found.head);
  }
  batch_.post();
  batch_.wait();
  worker_.core().reach("nam: journal of a dead server is whole in all copies");
}

void Recovery::roll_forward(const JournalEntry& entry) {
  worker_.core().reach("nam: transaction of a dead server rolled forward");
  const Stamp& stamp = entry.header().stamp;
  for (const JournalEntry::Record& one : entry.records()) {
    install(one, version_of(stamp, one.record.erased));
  }
  batch_.write(layout_.vector().address(stamp.slot), &stamp.count, sizeof stamp.count);
  batch_.post();
  batch_.wait();
}

// The WRITE of a new version comes behind those of the old one and its header: where a part of it
// is there, these are.
void Recovery::install(const JournalEntry::Record& one, std::uint64_t version) {
  const JournalRecord& record = one.record;
  const ImageFormat& format = layout_.table(record.table).format;
  const RemoteAddress at = layout_.current(record.name(), record.entry);
  batch_.read(at, current_.data(), format.bytes());
  batch_.post();
  batch_.wait();
  worker_.core().spend(Work::kCopyLine, 2 * format.lines());
  RecordImage current(current_.data());
  const bool whole = format.whole(current);
  if (whole && current.version() == version) return;
  const std::uint32_t slot = record.installs % layout_.versions();
  const OldHeader header{.version = record.replaced, .installs = record.installs};
  if (whole) {
    if (current.version() != record.replaced) {
      throw std::logic_error("a record that a dead server had locked has another version");
    }
    current.unlock();
    if (!deleted(record.replaced)) {
      batch_.write(layout_.old(record.name(), record.entry, slot), current.bytes(), format.bytes());
    }
    RemoteAddress headers = layout_.headers(record.name(), record.entry);
    headers.offset += slot * sizeof(OldHeader);
    batch_.write(headers, &header, sizeof header);
  } else {
    worker_.core().reach("nam: record of a dead server was written in parts");
  }
  const RecordImage next(next_.data());
  std::vector<std::byte> payload(format.payload_bytes());
  std::ranges::copy(one.payload, payload.begin());
  format.compose(next, version, record.installs + 1, record.key, payload.data());
  batch_.write(at, next.bytes(), format.bytes());
  batch_.post();
  worker_.core().reach("nam: version of a dead server is being written");
  batch_.wait();
}

void Recovery::release(std::uint32_t first_slot, std::uint32_t last_slot) {
  for (std::uint32_t p = 0; p < layout_.view().partitions(); ++p) {
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      release(static_cast<PartitionId>(p), static_cast<TableId>(t), first_slot, last_slot);
    }
  }
}

void Recovery::release(PartitionId partition, TableId table, std::uint32_t first_slot,
                       std::uint32_t last_slot) {
  ReleaseRequest request{.from = 0,
                         .first_slot = first_slot,
                         .last_slot = last_slot,
                         .partition = partition,
                         .table = table,
                         .reserved = {}};
  while (request.from != kAllReleased) {
    calls_.add(layout_.view().primary(partition), Method::kRelease, bytes_of(request));
    calls_.post();
    calls_.wait();
    request.from = take_reply<ReleaseReply>(calls_, 0).next;
    calls_.clear();
  }
}

}  // namespace verbena::txn::nam
