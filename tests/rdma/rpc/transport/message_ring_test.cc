// Where messages lie in a ring, when one may be taken, and when one must wait.
#include "rdma/rpc/transport/message_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

constexpr std::size_t kHeader = sizeof(MessageHeader);

/// Both sides of a ring in memory of this test.
class Ring {
 public:
  Ring(std::uint32_t lines, std::uint32_t most_bytes)
      : shape(lines, most_bytes),
        memory(shape.bytes() / kCacheLineBytes),
        writer(shape),
        reader(shape, begin()) {}

  /// A message of `bytes`, header included, whose payload's bytes are all `mark`.
  static std::vector<std::byte> message(std::size_t bytes, std::byte mark = std::byte{7}) {
    std::vector<std::byte> made(bytes + 1, mark);
    const MessageHeader header{
        MessageKind::kRequest, 0, 0, 0, static_cast<std::uint32_t>(bytes), 0, 0, 0};
    std::memcpy(made.data(), &header, sizeof header);
    made.back() = RingShape::kEnd;
    return made;
  }

  /// Puts the message where a WRITE of it would.
  void write(const std::vector<std::byte>& made) {
    std::byte* at = place(made.size() - 1);
    ASSERT_LE(at + made.size(), begin() + shape.bytes());
    std::ranges::copy(made, at);
  }
  std::byte* place(std::size_t bytes) {
    return begin() + writer.take(RingShape::lines_of(bytes)) * kCacheLineBytes;
  }
  bool has_room(std::size_t bytes) const { return writer.has_room(RingShape::lines_of(bytes)); }
  void tell() {
    writer.cleared(reader.cleared());
    reader.told();
  }
  std::byte* begin() { return reinterpret_cast<std::byte*>(memory.data()); }

  struct alignas(kCacheLineBytes) Line {
    std::byte bytes[kCacheLineBytes];
  };
  RingShape shape;
  std::vector<Line> memory;
  RingWriter writer;
  RingReader reader;
};

TEST(MessageRing, GivesMessagesInTheirOrder) {
  Ring ring(16, 200);
  EXPECT_EQ(ring.reader.next(), nullptr);
  for (const std::size_t bytes : {kHeader, kHeader + 47, kHeader + 48, std::size_t{200}}) {
    ring.write(Ring::message(bytes));
  }
  for (const std::size_t bytes : {kHeader, kHeader + 47, kHeader + 48, std::size_t{200}}) {
    const MessageHeader* header = ring.reader.next();
    ASSERT_NE(header, nullptr);
    EXPECT_EQ(header->envelope, bytes);
  }
  EXPECT_EQ(ring.reader.next(), nullptr);
}

TEST(MessageRing, TakesNoMessageOfWhichAByteIsMissing) {
  for (const std::size_t bytes : {kHeader, kHeader + 30, std::size_t{64}, std::size_t{65},
                                  std::size_t{128}, std::size_t{200}}) {
    Ring ring(16, 200);
    const std::vector<std::byte> made = Ring::message(bytes, std::byte{1});
    std::byte* at = ring.place(bytes);
    for (std::size_t arrived = 0; arrived < made.size(); ++arrived) {
      ASSERT_EQ(ring.reader.next(), nullptr) << arrived << " of " << made.size() << " bytes";
      at[arrived] = made[arrived];
    }
    EXPECT_NE(ring.reader.next(), nullptr);
  }
}

TEST(MessageRing, TakesNoRestOfAnEarlierRoundForAMessage) {
  // Payloads of which every word looks like a header, and every byte like an end.
  Ring ring(8, 200);
  for (int round = 0; round < 100; ++round) {
    const std::size_t bytes = kHeader + static_cast<std::size_t>(round * 37 % 180);
    ring.write(Ring::message(bytes, std::byte{1}));
    ASSERT_NE(ring.reader.next(), nullptr);
    ASSERT_EQ(ring.reader.next(), nullptr) << "in round " << round;
    ring.reader.clear();
    ring.tell();
  }
}

TEST(MessageRing, IsFullWhenAMessageMoreWouldOverwriteOneThatWasNotCleared) {
  Ring ring(8, 200);
  for (int i = 0; i < 8; ++i) ring.write(Ring::message(kHeader));
  EXPECT_FALSE(ring.has_room(kHeader));
  for (int i = 0; i < 8; ++i) ASSERT_NE(ring.reader.next(), nullptr);
  EXPECT_EQ(ring.reader.next(), nullptr) << "the first is no message for the second time";
  ring.tell();
  EXPECT_FALSE(ring.has_room(kHeader)) << "they were read, but may still be looked at";
  ring.reader.clear();
  EXPECT_FALSE(ring.has_room(kHeader)) << "nobody has told";
  ring.tell();
  EXPECT_TRUE(ring.has_room(kHeader));
}

TEST(MessageRing, TellsOfRoomBeforeAWriterCouldWaitForEver) {
  for (std::uint32_t most = 63; most < 700; most += 64) {
    Ring ring(2 * RingShape::lines_of(most), most);
    while (ring.has_room(most)) ring.write(Ring::message(most));
    while (ring.reader.next() != nullptr) {
    }
    ring.reader.clear();
    EXPECT_TRUE(ring.reader.must_tell()) << most;
  }
}

TEST(MessageRing, KeepsEveryMessageWholeOverManyRounds) {
  std::mt19937 random(1);
  Ring ring(24, 600);
  std::deque<std::pair<std::size_t, std::byte>> expected;
  std::size_t waited = 0;
  for (int step = 0; step < 200'000; ++step) {
    const auto bytes = kHeader + random() % (600 - kHeader + 1);
    if (random() % 2 == 0) {
      if (!ring.has_room(bytes)) {
        ++waited;
        continue;
      }
      const auto mark = static_cast<std::byte>(random() % 256);
      ring.write(Ring::message(bytes, mark));
      expected.emplace_back(bytes, mark);
      continue;
    }
    while (const MessageHeader* header = ring.reader.next()) {
      ASSERT_FALSE(expected.empty());
      const auto [length, mark] = expected.front();
      expected.pop_front();
      ASSERT_EQ(header->envelope, length);
      const auto* payload = reinterpret_cast<const std::byte*>(header + 1);
      ASSERT_TRUE(std::all_of(payload, payload + length - kHeader,
                              [mark = mark](std::byte byte) { return byte == mark; }));
    }
    ASSERT_TRUE(expected.empty());
    ring.reader.clear();
    if (ring.reader.must_tell()) ring.tell();
  }
  EXPECT_GT(waited, 1000U);
}

TEST(MessageRing, RefusesAMessageThatIsLongerThanAny) {
  Ring ring(8, 200);
  const MessageHeader header{MessageKind::kRequest, 0, 0, 0, UINT32_MAX - 64, 0, 0, 0};
  std::memcpy(ring.begin(), &header, sizeof header);
  EXPECT_THROW(ring.reader.next(), Malformed);
}

TEST(MessageRing, RefusesToTakeMoreLinesForReadThanWereWritten) {
  Ring ring(8, 200);
  ring.write(Ring::message(100));
  EXPECT_THROW(ring.writer.cleared(3), Malformed);
  ring.writer.cleared(2);
  EXPECT_THROW(ring.writer.cleared(1), Malformed);
}

TEST(MessageRing, OfOptionsHoldsWhatMayBeOnItsWay) {
  RpcOptions options;
  EXPECT_GE(RingShape(options).lines, 2 * options.slots_per_peer + options.notify_window);
  options.slots_per_peer = 1;
  options.notify_window = 1;
  options.max_message_bytes = 4096;
  EXPECT_EQ(RingShape(options).lines, 2 * 65U) << "of the longest messages two";
}

}  // namespace
}  // namespace verbena::rdma
