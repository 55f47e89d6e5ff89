// Memory that is filled when first touched: what it asks of the operating system.
#include "rdma/seam/first_touch_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace verbena::rdma {
namespace {

constexpr std::uint64_t kHugePage = 2 << 20;
constexpr std::uint64_t kBytes = 64 * kHugePage;

// Has a loader that leaves the pages zero, as those are where records will be inserted.
FirstTouchMemory empty_memory() {
  return {"test", kBytes, [](std::uint64_t /*offset*/, std::span<std::byte> /*page*/) {}};
}

long minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

std::size_t resident_pages(const FirstTouchMemory& memory) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> in_core(memory.size() / page);
  EXPECT_EQ(mincore(memory.base(), memory.size(), in_core.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char state : in_core) resident += state & 1U;
  return resident;
}

// The flags of the mapping that holds `address`, as /proc/self/smaps tells them.
std::string mapping_flags(const std::byte* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = begin <= wanted && wanted < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line + " ";
    }
  }
  return "";
}

constexpr long kTouched = 1000;

// Page faults of a memory of which a word in each page is used: a few are for the bits that tell
// what is filled, and some for a sanitizer's shadow.
long faults_of(const std::function<void(volatile std::uint64_t&)>& use) {
  FirstTouchMemory memory = empty_memory();
  const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const long before = minor_faults();
  for (std::uint64_t i = 0; i < kTouched; ++i) {
    use(*reinterpret_cast<volatile std::uint64_t*>(memory.at(i * page, 8)));
  }
  return minor_faults() - before;
}

TEST(FirstTouchMemory, IsFaultedInOnceThoughItIsFirstReadAndThenWritten) {
  const long written = faults_of([](volatile std::uint64_t& word) { word = 1; });
  const long read_before = faults_of([](volatile std::uint64_t& word) {
    if (word == 0) word = 1;
  });
  EXPECT_GE(written, kTouched);
  EXPECT_LT(read_before, written + kTouched / 2);
}

TEST(FirstTouchMemory, CostsNoHugePagesForSingleRecords) {
  FirstTouchMemory memory = empty_memory();
  for (std::uint64_t at = 0; at < kBytes; at += kHugePage) memory.touch(at, 8);
  EXPECT_EQ(resident_pages(memory), kBytes / kHugePage);
  // That alone would hold wherever the system gives huge pages only to those who ask.
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this kernel has no huge pages to refuse";
  }
  EXPECT_NE(mapping_flags(memory.base()).find(" nh "), std::string::npos);
}

}  // namespace
}  // namespace verbena::rdma
