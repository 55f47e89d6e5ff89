// Two READs, or a call.
#include "txn/kv/pilaf_operation.h"

#include <cstring>
#include <optional>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/cache_line.h"
#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "txn/kv/pilaf_entry.h"
#include "txn/kv/pilaf_server.h"

namespace verbena::txn::kv {
namespace {

using rdma::Work;

/// The region of entries and objects is a server's first.
constexpr RegionId kObjects{0};

// The length of a PUT's request.
std::size_t put_bytes(std::size_t value_bytes) {
  return sizeof(PilafPut) + (value_bytes + 7) / 8 * 8;
}

std::size_t up_to_lines(std::size_t bytes) { return cache_lines(bytes) * kCacheLineBytes; }

}  // namespace

PilafOperation::PilafOperation(rdma::Worker& worker, const Deployment& deployment,
                               const PilafLayout& layout, WorkerMetrics& metrics)
    : Operation(worker, deployment, metrics),
      layout_(layout),
      requests_(worker.connections()),
      call_(worker.rpc()),
      entry_(worker.allocate_scratch(up_to_lines(sizeof(PilafEntry)))),
      object_(worker.allocate_scratch(up_to_lines(layout.longest_object_bytes()))) {}

std::size_t PilafOperation::scratch_bytes(const PilafLayout& layout) {
  return up_to_lines(sizeof(PilafEntry)) + up_to_lines(layout.longest_object_bytes());
}

std::size_t PilafOperation::message_bytes(const PilafLayout& layout) {
  return put_bytes(layout.longest_object_bytes() - sizeof(PilafObject));
}

bool PilafOperation::look_up() {
  const std::optional<std::uint64_t> at = layout_.entry(name().table, name().key);
  item().found = at.has_value();
  if (!at || item().blind) return false;
  while (!read(*at)) metrics_.count(worker_.now(), Counter::kRereads);
  return true;
}

// False: something was torn, or is another's by now.
bool PilafOperation::read(std::uint64_t entry_at) {
  requests_.read({.node = server(), .region = kObjects, .offset = entry_at}, entry_.data(),
                 sizeof(PilafEntry));
  requests_.post();
  requests_.wait();
  metrics_.count(worker_.now(), Counter::kSlotReads);
  PilafEntry entry;
  std::memcpy(&entry, entry_.data(), sizeof entry);
  worker_.core().spend(Work::kCrcLine);
  if (!entry.whole()) {
    worker_.core().reach("kv: entry read torn");
    return false;
  }
  check_within(entry.bytes, layout_.object_bytes(name().table), object_.size(),
               "bytes of an object");
  requests_.read({.node = server(), .region = kObjects, .offset = entry.object}, object_.data(),
                 static_cast<std::uint32_t>(entry.bytes));
  requests_.post();
  requests_.wait();
  const auto object = std::span<const std::byte>(object_).first(entry.bytes);
  worker_.core().spend(Work::kCrcLine, cache_lines(object.size()));
  if (crc_of(object) != entry.object_crc) {
    worker_.core().reach("kv: object replaced while it is read");
    return false;
  }
  BoundedReader reader(object);
  const auto header = reader.take<PilafObject>();
  check_within(header.key, name().key, name().key, "key of an object");
  worker_.core().spend(Work::kCopyLine, cache_lines(item().bytes));
  std::memcpy(item().payload, reader.take_bytes(item().bytes).data(), item().bytes);
  return true;
}

void PilafOperation::install() {
  MessageWriter message(call_.reserve(server(), kPilafPut, put_bytes(item().bytes)));
  message.put(PilafPut{.table = name().table, .key = name().key});
  worker_.core().spend(Work::kCopyLine, cache_lines(item().bytes));
  message.put_padded({item().payload, item().bytes});
  call_.post();
  worker_.core().reach("kv: put sent");
  call_.wait();
  worker_.core().reach("kv: put answered");
  call_.clear();
}

}  // namespace verbena::txn::kv
