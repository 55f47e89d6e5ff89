// Records by number, of a pool that never gives memory back while the simulation lives.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace verbena::simnic {

/// Records of one type, each with a number that fits an event. A record keeps its address and, when
/// it is released and allocated again, its content.
template <typename Record>
class Slab {
 public:
  Record& operator[](std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }

  std::uint32_t allocate() {
    if (!free_.empty()) {
      const std::uint32_t number = free_.back();
      free_.pop_back();
      return number;
    }
    if (used_ % kChunk == 0) chunks_.push_back(std::make_unique<Record[]>(kChunk));
    return used_++;
  }

  void release(std::uint32_t number) { free_.push_back(number); }

  /// Number of records allocated now.
  std::uint32_t in_use() const { return used_ - static_cast<std::uint32_t>(free_.size()); }

 private:
  static constexpr std::uint32_t kChunk = 256;
  std::vector<std::unique_ptr<Record[]>> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

}  // namespace verbena::simnic
