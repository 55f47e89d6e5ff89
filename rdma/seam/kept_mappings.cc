// Address space by mmap; /proc/self/pagemap tells which pages were touched.
#include "rdma/seam/kept_mappings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>

namespace verbena::rdma {
namespace {

// Passes each touched page, also one that was swapped out, to visit(page), in bytes; how many bytes
// they have. Nothing where the operating system does not tell, after some may have been passed.
template <typename Visit>
std::optional<std::uint64_t> for_each_touched(std::byte* base, std::size_t bytes, Visit&& visit) {
  constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return std::nullopt;
  const std::size_t pages = (bytes + page_bytes - 1) / page_bytes;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(base) / page_bytes;
  std::array<std::uint64_t, 2048> entries{};
  std::uint64_t touched = 0;
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
      const std::size_t begin = done * page_bytes;
      visit(base + begin, std::min(page_bytes, bytes - begin));
      touched += page_bytes;
    }
  }
  close(pagemap);
  return touched;
}

bool cleared(std::byte* base, std::size_t bytes) {
  return for_each_touched(
             base, bytes,
             [](std::byte* page, std::size_t page_bytes) { std::memset(page, 0, page_bytes); })
      .has_value();
}

}  // namespace

std::byte* map_zeros(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  // Touching one record must not cost a huge page; a wish, hence no check.
  madvise(address, bytes, MADV_NOHUGEPAGE);
  return static_cast<std::byte*>(address);
}

KeptMappings::~KeptMappings() {
  while (!kept_.empty()) release(kept_.begin());
}

std::byte* KeptMappings::take(std::size_t bytes) {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                  [bytes](const Mapping& one) { return one.bytes == bytes; });
  if (found == kept_.rend()) return map_zeros(bytes);
  const auto mapping = std::prev(found.base());
  if (!cleared(mapping->base, bytes)) {
    release(mapping);
    return map_zeros(bytes);
  }
  std::byte* base = mapping->base;
  touched_bytes_ -= mapping->touched_bytes;
  kept_.erase(mapping);
  return base;
}

void KeptMappings::give_back(std::byte* mapping, std::size_t bytes) {
  const std::optional<std::uint64_t> touched =
      for_each_touched(mapping, bytes, [](std::byte*, std::size_t) {});
  if (!touched) {
    munmap(mapping, bytes);
    return;
  }
  kept_.push_back({mapping, bytes, *touched});
  touched_bytes_ += *touched;
  while (touched_bytes_ > most_bytes_) release(kept_.begin());
}

void KeptMappings::release(std::list<Mapping>::iterator mapping) {
  munmap(mapping->base, mapping->bytes);
  touched_bytes_ -= mapping->touched_bytes;
  kept_.erase(mapping);
}

}  // namespace verbena::rdma
