// Batches of buffers.
#include "simnic/engine/payload_pool.h"

namespace verbena::simnic {

void PayloadStore::take(std::size_t size_class, FreeList<std::byte*>& free) {
  const std::lock_guard lock(mutex_);
  if (free.full()) free.make_room(most(size_class));
  const std::size_t count = batch(size_class);
  std::vector<std::byte*>& spare = free_[size_class];
  if (spare.size() >= count) {
    for (std::size_t i = spare.size() - count; i < spare.size(); ++i) free.push(spare[i]);
    spare.resize(spare.size() - count);
    return;
  }
  const std::size_t bytes = std::size_t{1} << size_class;
  memory_.push_back(std::make_unique<std::byte[]>(bytes * count));
  for (std::size_t i = count; i-- > 0;) free.push(memory_.back().get() + i * bytes);
}

void PayloadStore::give_back(std::size_t size_class, FreeList<std::byte*>& free) {
  const std::lock_guard lock(mutex_);
  // One that has released before it has allocated has no room yet.
  if (free.empty()) return free.make_room(most(size_class));
  const auto old = free.oldest(batch(size_class));
  free_[size_class].insert(free_[size_class].end(), old.begin(), old.end());
  free.drop_oldest(old.size());
}

}  // namespace verbena::simnic
