// Address space by mmap; /proc/self/pagemap tells which pages were touched.
#include "rdma/seam/kept_mappings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <iterator>
#include <optional>

namespace verbena::rdma {
namespace {

// A million pages, of which the operating system tells in some milliseconds.
constexpr std::size_t kLargestKept = std::size_t{4} << 30;

enum class Touched { kCount, kClear };

// How many bytes the pages have that were touched, also those that were swapped out; kClear zeroes
// them. Nothing where the operating system does not tell, after some may have been zeroed.
std::optional<std::uint64_t> touched(std::byte* base, std::size_t bytes, Touched what) {
  constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return std::nullopt;
  const std::size_t pages = (bytes + page_bytes - 1) / page_bytes;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(base) / page_bytes;
  std::array<std::uint64_t, 2048> entries{};
  std::uint64_t touched_bytes = 0;
  for (std::size_t done = 0; done < pages;) {
    const std::size_t wanted = std::min(entries.size(), pages - done) * sizeof entries[0];
    const ssize_t got = pread(pagemap, entries.data(), wanted,
                              static_cast<off_t>((first + done) * sizeof entries[0]));
    if (got != static_cast<ssize_t>(wanted)) {
      close(pagemap);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < wanted / sizeof entries[0]; ++i, ++done) {
      if ((entries[i] & kPresentOrSwapped) == 0) continue;
      touched_bytes += page_bytes;
      if (what == Touched::kCount) continue;
      const std::size_t begin = done * page_bytes;
      std::memset(base + begin, 0, std::min(page_bytes, bytes - begin));
    }
  }
  close(pagemap);
  return touched_bytes;
}

std::byte* mapped(std::size_t bytes, int protection) {
  void* address =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  // Touching one record must not cost a huge page; a wish, hence no check.
  madvise(address, bytes, MADV_NOHUGEPAGE);
  return static_cast<std::byte*>(address);
}

}  // namespace

std::byte* map_zeros(std::size_t bytes) { return mapped(bytes, PROT_READ | PROT_WRITE); }

std::byte* KeptMappings::take(std::size_t bytes) {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                  [bytes](const Mapping& one) { return one.bytes == bytes; });
  if (found != kept_.rend()) {
    const auto mapping = std::prev(found.base());
    std::byte* base = mapping->base;
    if (touched(base, bytes, Touched::kClear)) {
      touched_bytes_ -= mapping->touched_bytes;
      kept_.erase(mapping);
      return base;
    }
    release(mapping);
  }
  return map(bytes, PROT_READ | PROT_WRITE);
}

std::byte* KeptMappings::reserve(std::size_t bytes) { return map(bytes, PROT_NONE); }

// Kept mappings take address space, too, and are released where it does not suffice.
std::byte* KeptMappings::map(std::size_t bytes, int protection) {
  std::byte* base = mapped(bytes, protection);
  if (base != nullptr || kept_.empty()) return base;
  release_all();
  return mapped(bytes, protection);
}

void KeptMappings::give_back(std::byte* mapping, std::size_t bytes) noexcept {
  const bool kept = most_bytes_ > 0 && bytes <= kLargestKept;
  const auto touched_bytes = kept ? touched(mapping, bytes, Touched::kCount) : std::nullopt;
  if (!touched_bytes) {
    munmap(mapping, bytes);
    return;
  }
  try {
    kept_.push_back({mapping, bytes, *touched_bytes});
  } catch (const std::exception&) {
    munmap(mapping, bytes);
    return;
  }
  touched_bytes_ += *touched_bytes;
  while (touched_bytes_ > most_bytes_) release(kept_.begin());
}

void KeptMappings::release(std::list<Mapping>::iterator mapping) {
  munmap(mapping->base, mapping->bytes);
  touched_bytes_ -= mapping->touched_bytes;
  kept_.erase(mapping);
}

void KeptMappings::release_all() {
  while (!kept_.empty()) release(kept_.begin());
}

}  // namespace verbena::rdma
