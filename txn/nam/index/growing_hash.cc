// Both generations, and going from one to the other.
#include "txn/nam/index/growing_hash.h"

#include <stdexcept>
#include <vector>

#include "txn/index/bucket.h"
#include "txn/index/ordered_index.h"

namespace verbena::txn::nam {

GrowingHash::GrowingHash(const Layout& layout, const RecordName& name,
                         rdma::FirstTouchMemory& memory)
    : layout_(layout), name_(name) {
  for (std::uint32_t g = 0; g < table().hash.size(); ++g) {
    generations_.emplace_back(memory, layout.hash_area(name, g));
  }
}

std::optional<std::uint32_t> GrowingHash::find(Key key) {
  const std::uint32_t generation = state_.load(std::memory_order_acquire).generation;
  return generations_[generation].find(table().bucket_of(key, generation), key, nullptr);
}

bool GrowingHash::can_grow() const {
  return state_.load(std::memory_order_acquire).generation + 1 < generations_.size();
}

bool GrowingHash::wants_to_grow() const {
  if (!can_grow()) return false;
  const std::uint32_t generation = state_.load(std::memory_order_acquire).generation;
  const std::uint64_t slots = table().hash[generation].main * Bucket::kSlots;
  return 4 * keys_.load(std::memory_order_relaxed) > 3 * slots;
}

void GrowingHash::grow(rdma::Core& core, const std::function<bool()>& go_on,
                       const std::function<void(std::uint32_t generation)>& tell) {
  const std::uint32_t from = state_.load(std::memory_order_relaxed).generation;
  state_.store({.generation = from, .growing = true}, std::memory_order_release);
  for (std::uint64_t bucket = 0; bucket < table().hash[from].main; ++bucket) {
    copy_chain(from, bucket, core);
    if (!go_on()) return;
  }
  tell(from + 1);
  core.reach("nam: hash table has grown");
  state_.store({.generation = from + 1, .growing = false}, std::memory_order_release);
}

// Operations that had come to this chain before it grew have left it by the time that it is held.
void GrowingHash::copy_chain(std::uint32_t from, std::uint64_t bucket, rdma::Core& core) {
  const HashIndex::Chain held(generations_[from], bucket, kNoKey, &core);
  std::vector<OrderedIndex::Item> items;
  if (!generations_[from].list(bucket, items)) {
    throw std::logic_error("a chain of buckets changes, and somebody else holds it");
  }
  core.spend(rdma::Work::kIndexProbe,
             static_cast<std::uint32_t>(1 + items.size() / Bucket::kSlots));
  for (const OrderedIndex::Item& item : items) {
    HashIndex::Chain copy(generations_[from + 1], table().bucket_of(item.key, from + 1), item.key,
                          &core);
    core.spend(rdma::Work::kIndexInsert);
    if (copy.find(std::nullopt) == nullptr) copy.add(item.entry);
    core.step(&generations_[from + 1]);
  }
}

// Begins again if the state has changed by the time that the chain is held.
GrowingHash::Chains::Chains(GrowingHash& hash, Key key, rdma::Core* core) : hash_(hash) {
  for (;;) {
    const State state = hash.state_.load(std::memory_order_acquire);
    if (hash.generations_.size() > 1) rdma::step(core, nullptr);
    const auto chain_in = [&](std::optional<HashIndex::Chain>& chain, std::uint32_t generation) {
      chain.emplace(hash.generations_[generation], hash.table().bucket_of(key, generation), key,
                    core);
    };
    chain_in(now_, state.generation);
    if (state.growing) chain_in(next_, state.generation + 1);
    if (hash.state_.load(std::memory_order_acquire) == state) return;
    rdma::reach(core, "nam: hash table begins or ends to grow while a key comes or goes");
    next_.reset();
    now_.reset();
  }
}

// All that is in the next generation is in this one, too.
std::optional<std::uint32_t> GrowingHash::Chains::find(std::optional<std::uint32_t> entry) {
  slot_now_ = now_->find(entry);
  if (next_) slot_next_ = next_->find(entry);
  if (slot_now_ == nullptr) return std::nullopt;
  return *slot_now_ - 1;
}

void GrowingHash::Chains::add(std::uint32_t entry) {
  now_->add(entry);
  if (next_) next_->add(entry);
  hash_.keys_.fetch_add(1, std::memory_order_relaxed);
}

void GrowingHash::Chains::remove() {
  now_->remove(slot_now_);
  if (slot_next_ != nullptr) next_->remove(slot_next_);
  hash_.keys_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace verbena::txn::nam
