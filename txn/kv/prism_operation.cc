// One READ, and one chain.
#include "txn/kv/prism_operation.h"

#include <cstring>
#include <optional>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"

namespace verbena::txn::kv {
namespace {

using prism::kAbsent;
using prism::kObjectHeaderBytes;
using prism::ObjectHeader;
using rdma::Work;

}  // namespace

bool PrismOperation::look_up() {
  const bool whole = !item().blind;
  const std::uint32_t wanted =
      whole ? layout_.object_bytes(name().table) : std::uint32_t{kObjectHeaderBytes};
  for (std::uint64_t passed = 0;; ++passed) {
    const std::optional<std::uint64_t> slot = layout_.slot(name().table, name().key, passed);
    if (!slot) {
      find_none();
      return passed > 0;
    }
    const std::uint64_t rereads = slots_->rereads();
    const std::span<const std::byte> object = slots_->read(server(), *slot, wanted);
    metrics_.count(worker_.now(), Counter::kSlotReads);
    metrics_.count(worker_.now(), Counter::kRereads, slots_->rereads() - rereads);
    const bool found = take(object);
    slots_->forget();
    if (found) return true;
    worker_.core().reach("kv: slot of another key passed");
  }
}

// A key that nobody will insert is absent all the same.
void PrismOperation::find_none() {
  if (item().intent == Intent::kInsert) {
    throw ConfigurationError("table " + table().name +
                             ": all slots for keys that were not loaded are in use; allowed is a "
                             "larger " +
                             table().capacity_setting);
  }
  ours_ = false;
  item().found = false;
}

// False: the object is another key's.
bool PrismOperation::take(std::span<const std::byte> object) {
  ours_ = !object.empty();
  item().found = false;
  version_ = 0;
  if (!ours_) return true;
  BoundedReader reader(object);
  const auto header = reader.take<ObjectHeader>();
  if (header.key != name().key) return false;
  version_ = header.version;
  item().found = header.value_bytes != kAbsent;
  if (!item().found || item().blind) return true;
  const std::span<const std::byte> value = reader.take_bytes(item().bytes);
  worker_.core().spend(Work::kCopyLine, cache_lines(item().bytes));
  std::memcpy(item().payload, value.data(), value.size());
  return true;
}

void PrismOperation::install() {
  const std::uint32_t value = item().erased ? 0 : item().bytes;
  const ObjectHeader header{.version = version_ + 1,
                            .key_bytes = sizeof(Key),
                            .value_bytes = item().erased ? kAbsent : value,
                            .key = name().key};
  object_.resize(kObjectHeaderBytes + value);
  std::memcpy(object_.data(), &header, sizeof header);
  std::memcpy(object_.data() + sizeof header, item().payload, value);
  worker_.core().spend(Work::kCopyLine, cache_lines(object_.size()));
  const Slots::Replaced replaced = slots_->replace(
      {.version = version_ + 1, .list = layout_.list_of(name().table), .bytes = object_},
      {.sent = [this] { worker_.core().reach("kv: install sent"); }});
  worker_.core().reach("kv: install answered");
  if (!replaced.had_buffer) return lack_buffer();
  if (!replaced.done) return lose(replaced.buffer);
  if (replaced.pointer != 0) give_back(replaced.pointer);
}

// Some that it has collected may wait for others to go with.
void PrismOperation::lack_buffer() {
  worker_.core().reach("kv: no free buffer");
  doom(Abort::kNoBuffer);
  reports_.flush();
}

// A slot that was never used may be another key's now, so the own key is looked for again.
void PrismOperation::lose(std::uint64_t allocated) {
  give_back(allocated);
  if (ours_ && item().blind) {
    worker_.core().reach("kv: blind write overwritten at once");
    return metrics_.count(worker_.now(), Counter::kOverwritten);
  }
  if (ours_) worker_.core().reach("kv: update overtaken");
  if (!ours_) worker_.core().reach("kv: empty slot taken by another");
  doom(Abort::kConflict);
}

void PrismOperation::give_back(std::uint64_t buffer) {
  metrics_.count(worker_.now(), Counter::kBuffersBack);
  reports_.give_back(server(), layout_.list_of(name().table), buffer);
}

}  // namespace verbena::txn::kv
