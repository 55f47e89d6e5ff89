// Slots of one word, for compare-and-swaps of 8 B.
#include "txn/kv/packed_slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::txn::kv {
namespace {

using prism::Without;

constexpr std::uint64_t kMost = std::uint64_t{1} << 48;

std::string refusal(Without without, std::uint64_t region_bytes) {
  try {
    check_offsets(without, region_bytes);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(PackedWord, HasAnOffsetAndTheLowBitsOfAVersion) {
  const PackedWord word = PackedWord::of(kMost - 64, 0x12345);
  EXPECT_EQ(word.offset(), kMost - 64);
  EXPECT_EQ(word.version(), 0x2345);
}

TEST(PackedWord, IsTheSameAgainAfter65536Versions) {
  EXPECT_NE(PackedWord::of(64, 1).word, PackedWord::of(64, 65'536).word);
  EXPECT_EQ(PackedWord::of(64, 1).word, PackedWord::of(64, 65'537).word);
}

TEST(PackedWord, OfALoadedObjectIsNotThatOfASlotThatWasNeverUsed) {
  EXPECT_EQ(kPackedSlots.loaded(4096, 32)[0], PackedWord::of(4096, prism::kLoadedVersion).word);
  EXPECT_EQ(kPackedSlots.unused(64)[0], 0U);
}

TEST(PackedSlots, MemoryBeyondTheOffsetsOfASlotIsRefused) {
  EXPECT_EQ(refusal(Without::kCas, kMost), "nothing");
  EXPECT_EQ(refusal(Without::kNothing, kMost + 1), "nothing");
  EXPECT_EQ(refusal(Without::kCas, kMost + 1),
            "prism.without=cas with objects in 281474976710657 bytes of a server; allowed are "
            "281474976710656, since a slot has 48 bits of an offset");
}

}  // namespace
}  // namespace verbena::txn::kv
