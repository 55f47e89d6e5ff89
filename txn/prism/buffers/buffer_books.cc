// Counting, and comparing with the free list.
#include "txn/prism/buffers/buffer_books.h"

#include <algorithm>
#include <string>
#include <utility>

namespace verbena::txn::prism {

void report(SelfCheck& check, std::string what) {
  constexpr std::size_t kMostErrors = 10;
  if (check.errors.size() < kMostErrors) check.errors.push_back(std::move(what));
}

BufferBooks::BufferBooks(const BufferList& list) : list_(list), references_(list.buffers()) {
  std::fill_n(references_.begin(), list.loaded, 1);
}

std::uint8_t* BufferBooks::of(std::uint64_t offset) {
  if (!list_.holds(offset)) return nullptr;
  return &references_[(offset - list_.first) / list_.buffer_bytes];
}

void BufferBooks::add(std::uint64_t offset) {
  if (std::uint8_t* const count = of(offset)) ++*count;
}

void BufferBooks::take(std::uint64_t offset) {
  if (std::uint8_t* const count = of(offset)) --*count;
}

void BufferBooks::check(const rdma::FreeList& free, std::uint32_t unused_from,
                        std::uint64_t most_lost, SelfCheck& check) const {
  const auto uses = [&](std::uint32_t buffer) {
    return references_[buffer] + (free.is_free(list_.offset_of(buffer)) ? 1U : 0U) +
           (buffer >= unused_from ? 1U : 0U);
  };
  for (std::uint32_t buffer = 0; buffer < list_.buffers(); ++buffer) {
    const unsigned count = uses(buffer);
    if (count == 1) continue;
    if (count == 0 && most_lost > 0) {
      --most_lost;
      continue;
    }
    const std::uint64_t offset = list_.offset_of(buffer);
    report(check,
           "the buffer at " + std::to_string(offset) +
               (count == 0 ? " is lost: no slot leads to it, and it is not free"
                           : " has several uses: slots " + std::to_string(references_[buffer]) +
                                 ", free " + (free.is_free(offset) ? "yes" : "no")));
  }
}

}  // namespace verbena::txn::prism
