// One READ, and one chain.
#include "txn/kv/prism_operation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/chain/chain_message.h"
#include "rdma/rpc/rpc.h"
#include "txn/prism/install_newer.h"

namespace verbena::txn::kv {
namespace {

using prism::kAbsent;
using prism::kObjectHeaderBytes;
using prism::ObjectHeader;
using prism::Slot;
using rdma::Place;
using rdma::Work;

/// The region of objects is a server's first.
constexpr RegionId kObjects{0};

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

// The scratch memory is filled as a slot is laid out.
static_assert(sizeof(Slot) == rdma::kScratchBytes);
struct BoundAndVersion {
  std::uint64_t bytes;
  std::uint64_t version;
};
constexpr std::uint32_t kBoundAt = offsetof(Slot, bytes);

// The bound and version that the object needs, the object, and the swap of all three: word by word
// the pointer, its bound, the version, which alone is compared.
std::array<rdma::Operation, 3> installing(rdma::FreeListId list, std::uint64_t slot,
                                          const BoundAndVersion& bound,
                                          std::span<const std::byte> object) {
  rdma::Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.target = {Place::Where::kScratch, kBoundAt};
  write.length = sizeof bound;
  write.payload = std::as_bytes(std::span(&bound, 1));
  rdma::Operation swap;
  swap.opcode = rdma::ChainOpcode::kCompareAndSwap;
  swap.conditional = true;
  swap.mode = rdma::CompareMode::kGreater;
  swap.target = {Place::Where::kMemory, slot};
  swap.length = prism::kSlotBytes;
  swap.data = swap.compare = {Place::Where::kScratch, 0};
  swap.swap_mask = {kAllBits, kAllBits, kAllBits, 0};
  swap.compare_mask = {0, 0, kAllBits, 0};
  return {write, prism::allocate_to_scratch(list, object, offsetof(Slot, pointer)), swap};
}

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
    slot_ = *slot;
    const rdma::ChainId chain = batch_.chain(server(), kObjects);
    const rdma::OpId read =
        batch_.read(chain, {.offset = slot_, .indirect = true, .bounded = true}, wanted);
    batch_.post();
    batch_.wait();
    metrics_.count(worker_.now(), Counter::kSlotReads);
    const bool found = take(batch_.data(read));
    batch_.clear();
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
  const BoundAndVersion bound{object_.size(), version_ + 1};
  const rdma::ChainId chain = batch_.chain(server(), kObjects);
  std::array<rdma::OpId, 3> operations{};
  std::ranges::transform(installing(layout_.list_of(name().table), slot_, bound, object_),
                         operations.begin(),
                         [&](const rdma::Operation& one) { return batch_.add(chain, one); });
  batch_.post();
  worker_.core().reach("kv: install sent");
  batch_.wait();
  take_outcome(operations[1], operations[2]);
}

void PrismOperation::take_outcome(rdma::OpId allocate, rdma::OpId swap) {
  const bool allocated = batch_.outcome(allocate) == rdma::ChainOutcome::kDone;
  const bool swapped = batch_.outcome(swap) == rdma::ChainOutcome::kDone;
  const std::uint64_t buffer = allocated ? batch_.allocated(allocate) : 0;
  Slot replaced;
  if (swapped) std::memcpy(&replaced, batch_.data(swap).data(), sizeof replaced);
  batch_.clear();
  worker_.core().reach("kv: install answered");
  if (!allocated) return lack_buffer();
  if (!swapped) return lose(buffer);
  if (replaced.version != 0) give_back(replaced.pointer);
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

std::size_t PrismOperation::message_bytes(const prism::Layout& layout) {
  std::uint32_t longest = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    longest = std::max(longest, layout.object_bytes(static_cast<TableId>(t)));
  }
  const std::vector<std::byte> object(longest);
  std::size_t bytes = rdma::kChainHeaderBytes;
  for (const rdma::Operation& one : installing(0, 0, {}, object)) bytes += request_bytes(one);
  return bytes;
}

}  // namespace verbena::txn::kv
