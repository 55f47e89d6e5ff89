// Memory of a node whose initial content is computed, page by page, when it is first touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace verbena::rdma {

/// Writes the initial content of `page` (zeroed, of kPageBytes or less at the end), which begins at
/// `offset` of the memory. Must depend on nothing but `offset`: pages are filled in any order, on
/// hardware in parallel.
using PageLoader = std::function<void(std::uint64_t offset, std::span<std::byte> page)>;

/// A range of reserved address space that costs physical memory only where it was touched, and
/// there no huge pages, whatever the system gives by default; who will fill it all may ask for
/// them.
///
/// Whoever reads or writes it, NIC model or store, first calls `touch` for the bytes concerned. On
/// hardware the NIC cannot, so `fill_all` is called before the memory is registered; afterwards
/// `touch` is one predictable branch. Not thread-safe before `fill_all` has returned (under
/// simulation one thread runs everything).
class FirstTouchMemory {
 public:
  /// The unit of filling. Smaller than the operating system's page, so that touching one record
  /// does not compose a hundred others.
  static constexpr std::size_t kPageBytes = 512;

  /// Reserves `bytes` (rounded up to pages; zero is allowed). `loader` may be empty: pages are then
  /// zero. `name` is for errors.
  FirstTouchMemory(std::string name, std::uint64_t bytes, PageLoader loader);
  ~FirstTouchMemory();
  FirstTouchMemory(const FirstTouchMemory&) = delete;
  FirstTouchMemory& operator=(const FirstTouchMemory&) = delete;

  std::uint64_t size() const { return bytes_; }
  std::byte* base() const { return base_; }

  /// Makes sure that [offset, offset + length) holds its initial content or what was written since.
  /// The caller guarantees that the range is inside.
  void touch(std::uint64_t offset, std::uint64_t length) {
    if (complete_) return;
    const std::uint64_t first = offset / kPageBytes;
    const std::uint64_t last = (offset + (length == 0 ? 0 : length - 1)) / kPageBytes;
    for (std::uint64_t page = first; page <= last; ++page) {
      if ((filled_[page / 64] >> (page % 64) & 1U) == 0) fill(page);
    }
  }

  /// `touch`, then the address of `offset`.
  std::byte* at(std::uint64_t offset, std::uint64_t length) {
    touch(offset, length);
    return base_ + offset;
  }

  /// Whether `page` holds its content already. One that was never touched still has its initial
  /// content to come.
  bool filled(std::uint64_t page) const {
    return complete_ || (filled_[page / 64] >> (page % 64) & 1U) != 0;
  }

  /// The first page from `page` on that holds its content already; the number of pages if there is
  /// none.
  std::uint64_t next_filled(std::uint64_t page) const;

  /// Fills what was not filled yet, with `threads` threads.
  void fill_all(unsigned threads);

 private:
  std::uint64_t mapped_bytes() const { return bytes_ + filled_words_ * sizeof(std::uint64_t); }
  void fill(std::uint64_t page);
  void load(std::uint64_t page);

  std::string name_;
  std::uint64_t bytes_;
  PageLoader loader_;
  std::byte* base_ = nullptr;
  std::uint64_t filled_words_;
  std::uint64_t* filled_ = nullptr;  // one bit per page, behind the bytes in the same mapping
  bool complete_;                    // no loader, or fill_all is done
};

}  // namespace verbena::rdma
