// Looking through buckets that others may be changing, and changing them.
#include "txn/index/hash_index.h"

#include <stdexcept>

#include "rdma/base/errors.h"

namespace verbena::txn {
namespace {

template <typename T>
T load_relaxed(T& word) {
  return std::atomic_ref<T>(word).load(std::memory_order_relaxed);
}

template <typename T>
void store_relaxed(T& word, T value) {
  std::atomic_ref<T>(word).store(value, std::memory_order_relaxed);
}

// Result of a look-up in one bucket, read consistently.
struct BucketView {
  std::optional<std::uint32_t> entry;
  std::uint32_t link;
  std::uint64_t version;
};

// Throws rather than wait: whoever is in the bucket would never leave it.
[[noreturn]] void refuse_to_wait() {
  throw std::logic_error("a bucket is being changed where nothing else was to run");
}

BucketView look_up(Bucket& bucket, Key wanted, rdma::Core* core) {
  constexpr unsigned kPatience = 64;
  for (unsigned looks = 1;; ++looks) {
    const std::uint64_t before =
        std::atomic_ref(bucket.lines[0].version).load(std::memory_order_acquire);
    BucketView view{
        .entry = std::nullopt, .link = load_relaxed(bucket.lines[0].link), .version = before};
    for (Bucket::Line& line : bucket.lines) {
      step(core, &bucket);
      for (unsigned i = 0; i < Bucket::kSlotsPerLine; ++i) {
        if (load_relaxed(line.keys[i]) != wanted) continue;
        const std::uint32_t stored = load_relaxed(line.entries[i]);
        if (stored != 0) view.entry = stored - 1;
      }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && load_relaxed(bucket.lines[0].version) == before) return view;
    if (core == nullptr) refuse_to_wait();
    core->reach("index: bucket changes while it is looked through");
    if (looks % kPatience == 0) core->give_way();
  }
}

// Takes a lock that others hold only for moments.
std::unique_lock<SpinLock> locked(SpinLock& lock, rdma::Core* core) {
  lock.lock([core] {
    if (core == nullptr) refuse_to_wait();
    core->reach("index: chain of buckets being changed by another");
    core->give_way();
  });
  return {lock, std::adopt_lock};
}

// Makes a bucket's versions odd for its scope.
class BucketChange {
 public:
  BucketChange(Bucket& bucket, rdma::Core* core)
      : bucket_(bucket), version_(bucket.lines[0].version) {
    for (Bucket::Line& line : bucket_.lines) {
      store_relaxed(line.version, version_ + 1);
      step(core, &bucket_);
    }
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~BucketChange() {
    for (Bucket::Line& line : bucket_.lines) {
      std::atomic_ref(line.version).store(version_ + 2, std::memory_order_release);
    }
  }
  BucketChange(const BucketChange&) = delete;
  BucketChange& operator=(const BucketChange&) = delete;

 private:
  Bucket& bucket_;
  std::uint64_t version_;
};

}  // namespace

void refuse_more(const std::string& table, const std::string& capacity_setting,
                 std::uint64_t capacity, const char* what) {
  throw ConfigurationError("table '" + table + "': all " + std::to_string(capacity) + " " + what +
                           " of a partition are in use; allowed is a larger " + capacity_setting);
}

std::optional<std::uint32_t> HashIndex::find(std::uint64_t main_bucket, Key key, rdma::Core* core,
                                             std::uint32_t* probes, std::uint64_t* stamp) {
  for (Bucket* current = &main(main_bucket);;) {
    if (probes != nullptr) ++*probes;
    const BucketView view = look_up(*current, key, core);
    if (stamp != nullptr) *stamp += view.version;
    if (view.entry || view.link == 0) return view.entry;
    reach(core, "index: link to another bucket followed");
    current = &indirect(view.link - 1);
  }
}

bool HashIndex::list(std::uint64_t main_bucket, std::vector<OrderedIndex::Item>& items) {
  const Bucket* current = &main(main_bucket);
  for (std::uint64_t links = 0; links <= area_.indirect_buckets && current->untorn(); ++links) {
    for (unsigned slot = 0; slot < Bucket::kSlots; ++slot) {
      const auto entry = current->entry(slot);
      if (entry) items.push_back({.key = current->key(slot), .entry = *entry});
    }
    const auto next = current->next();
    if (!next) return true;
    if (*next >= area_.indirect_buckets) return false;
    current = &indirect(*next);
  }
  return false;
}

HashIndex::Chain::Chain(HashIndex& index, std::uint64_t main_bucket, Key key, rdma::Core* core)
    : index_(index),
      core_(core),
      key_(key),
      held_(locked(index.stripes_[main_bucket % kStripes].changing, core)),
      last_(&index.main(main_bucket)) {}

std::uint32_t* HashIndex::Chain::find(std::optional<std::uint32_t> entry) {
  for (;;) {
    for (Bucket::Line& line : last_->lines) {
      for (unsigned i = 0; i < Bucket::kSlotsPerLine; ++i) {
        const std::uint32_t stored = line.entries[i];
        if (stored == 0) {
          if (free_entry_ == nullptr) remember_free(line, i);
        } else if (line.keys[i] == key_ && stored == entry.value_or(stored - 1) + 1) {
          return &line.entries[i];
        }
      }
    }
    if (last_->lines[0].link == 0) return nullptr;
    last_ = &index_.indirect(last_->lines[0].link - 1);
  }
}

void HashIndex::Chain::add(std::uint32_t entry) {
  if (free_entry_ == nullptr) return add_bucket(entry);
  const BucketChange change(*free_bucket_, core_);
  store_relaxed(*free_key_, key_);
  step(core_, free_bucket_);
  store_relaxed(*free_entry_, entry + 1);
  step(core_, free_bucket_);
}

void HashIndex::Chain::remove(std::uint32_t* slot) {
  const BucketChange change(*last_, core_);
  store_relaxed(*slot, 0U);
  step(core_, last_);
}

void HashIndex::Chain::remember_free(Bucket::Line& line, unsigned slot) {
  free_bucket_ = last_;
  free_key_ = &line.keys[slot];
  free_entry_ = &line.entries[slot];
}

void HashIndex::Chain::add_bucket(std::uint32_t entry) {
  const std::uint64_t capacity = index_.area_.indirect_buckets;
  const std::uint64_t number = index_.next_indirect_.fetch_add(1, std::memory_order_relaxed);
  if (number >= capacity) {
    refuse_more(index_.area_.table, index_.area_.capacity_setting, capacity, "indirect buckets");
  }
  reach(core_, "index: bucket added to a chain");
  Bucket& fresh = index_.indirect(static_cast<std::uint32_t>(number));
  {
    const BucketChange change(fresh, core_);
    store_relaxed(fresh.lines[0].keys[0], key_);
    step(core_, &fresh);
    store_relaxed(fresh.lines[0].entries[0], entry + 1);
  }
  const BucketChange change(*last_, core_);
  store_relaxed(last_->lines[0].link, static_cast<std::uint32_t>(number) + 1);
}

}  // namespace verbena::txn
