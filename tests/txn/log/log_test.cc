// Log records and rings: what is written is read back over many laps, and nothing that is
// incomplete is accepted.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/seam/first_touch_memory.h"
#include "rdma/seam/page_arena.h"
#include "txn/log/log_record.h"
#include "txn/log/log_ring.h"
#include "txn/log/log_ring_memory.h"
#include "txn/store/record.h"

namespace verbena::txn {
namespace {

constexpr std::uint32_t payload_bytes(TableId table) { return 8 + table * 5U; }

struct Update {
  LogUpdate head;
  std::vector<std::byte> payload;
};

struct Record {
  std::uint64_t sequence;
  std::vector<PartitionId> partitions;
  std::vector<Update> updates;

  std::uint32_t bytes() const {
    std::uint32_t total = log_frame_bytes(static_cast<std::uint32_t>(partitions.size()));
    for (const Update& update : updates)
      total += log_update_bytes(payload_bytes(update.head.table));
    return total;
  }
};

Record random_record(Random& random, std::uint64_t sequence) {
  Record record{.sequence = sequence, .partitions = {}, .updates = {}};
  for (std::uint64_t i = 0; i < 1 + random.below(5); ++i) {
    record.partitions.push_back(static_cast<PartitionId>(random.below(500)));
  }
  for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
    Update update{.head = {.key = random.next(),
                           .version = random.next(),
                           .entry = static_cast<std::uint32_t>(random.next()),
                           .partition = static_cast<PartitionId>(random.below(500)),
                           .table = static_cast<TableId>(random.below(10)),
                           .reserved = 0},
                  .payload = {}};
    for (std::uint32_t b = 0; b < payload_bytes(update.head.table); ++b) {
      update.payload.push_back(static_cast<std::byte>(random.next()));
    }
    record.updates.push_back(update);
  }
  return record;
}

// A ring behind others in a region, in memory of its own or in units of an arena.
class FakeRing {
 public:
  explicit FakeRing(std::uint64_t bytes, rdma::PageArena* arena = nullptr)
      : region_("log", kBefore + bytes, {}, arena,
                {{.begin = 0, .unit_bytes = rdma::FirstTouchMemory::kPageBytes}}),
        memory_(region_, kBefore, bytes) {}

  const LogRingMemory& memory() const { return memory_; }

  template <typename Visit>
  bool advance(LogRingReader& reader, std::uint64_t limit, Visit&& visit) {
    return reader.advance(memory_, limit, copy_, visit);
  }

  template <typename Visit>
  void advance_to_end(LogRingReader& reader, Visit&& visit) {
    reader.advance_to_end(memory_, copy_, visit);
  }

 private:
  static constexpr std::uint64_t kBefore = 704;

  rdma::FirstTouchMemory region_;
  LogRingMemory memory_;
  std::vector<std::byte> copy_;
};

// Words, so that records are aligned.
std::vector<std::byte> compose(const Record& record, std::uint64_t position) {
  std::vector<std::byte> memory(record.bytes());
  LogRecordWriter writer(memory.data(), position, 42, record.sequence, record.partitions);
  for (const Update& update : record.updates) writer.add(update.head, update.payload);
  EXPECT_EQ(writer.finish(), memory.size());
  return memory;
}

bool same(const Record& record, const LogRecordReader& read) {
  bool equal = read.header().sequence == record.sequence && read.header().owner == 42 &&
               read.header().updates == record.updates.size() &&
               std::memcmp(read.partitions().data(), record.partitions.data(),
                           read.partitions().size()) == 0;
  std::size_t i = 0;
  read.for_each(payload_bytes, [&](const LogUpdate& head, const std::byte* payload) {
    const Update& expected = record.updates[i++];
    equal = equal && head.key == expected.head.key && head.version == expected.head.version &&
            head.entry == expected.head.entry && head.partition == expected.head.partition &&
            head.table == expected.head.table &&
            std::memcmp(payload, expected.payload.data(), expected.payload.size()) == 0;
  });
  return equal && i == record.updates.size();
}

RC_GTEST_PROP(LogRecord, IsReadAsItWasWritten, (std::uint64_t seed, std::uint64_t position)) {
  Random random(seed);
  const Record record = random_record(random, 9);
  const std::vector<std::byte> memory = compose(record, position);
  const auto read = LogRecordReader::parse(memory, position);
  RC_ASSERT(read.has_value());
  RC_ASSERT(same(record, *read));
}

RC_GTEST_PROP(LogRecord, IsNotAcceptedWithAnyLineMissing, (std::uint64_t seed)) {
  Random random(seed);
  const Record record = random_record(random, 9);
  const std::vector<std::byte> whole = compose(record, 640);
  RC_ASSERT(LogRecordReader::parse(whole, 640).has_value());
  for (std::size_t line = 0; line < whole.size(); line += 64) {
    std::vector<std::byte> partial = whole;
    std::memset(partial.data() + line, 0x5a, std::min<std::size_t>(64, whole.size() - line));
    RC_ASSERT(!LogRecordReader::parse(partial, 640).has_value());
  }
}

TEST(LogRecord, OfAnEarlierLapIsNotAccepted) {
  Random random(1);
  const std::vector<std::byte> record = compose(random_record(random, 1), 128);
  EXPECT_TRUE(LogRecordReader::parse(record, 128));
  EXPECT_FALSE(LogRecordReader::parse(record, 128 + 4096));
}

TEST(LogRecord, OfZerosIsNotAccepted) {
  const std::vector<std::byte> zeros(4096);
  EXPECT_FALSE(LogRecordReader::parse(zeros, 0));
}

// A coordinator that writes as long as there is room and a backup that applies up to random limits.
RC_GTEST_PROP(LogRing, DeliversAllRecordsInOrderOverManyLaps, (std::uint64_t seed, bool in_units)) {
  Random random(seed);
  constexpr std::uint64_t kRing = 2048;
  const auto arena = in_units ? rdma::PageArena::reserve() : nullptr;
  RC_ASSERT(in_units == (arena != nullptr));
  FakeRing ring(kRing, arena.get());
  LogRingUse use;
  LogRingWriter writer(use, kRing);
  LogRingReader reader;
  std::deque<Record> written;
  std::vector<std::uint64_t> ends;
  std::uint64_t sequence = 0;
  while (writer.tail() < 20 * kRing) {
    const Record record = random_record(random, ++sequence);
    if (writer.fits(record.bytes())) {
      const auto space = writer.reserve(record.bytes());
      if (space.padding > 0) {
        const std::uint64_t padding = log_padding_word(space.padding);
        ring.memory().write(writer.place(space.position - space.padding),
                            std::as_bytes(std::span(&padding, 1)));
      }
      const auto bytes = compose(record, space.position);
      RC_ASSERT(writer.place(space.position) + bytes.size() <= kRing);
      ring.memory().write(writer.place(space.position), bytes);
      written.push_back(record);
      ends.push_back(writer.tail());
    } else {
      RC_ASSERT(writer.used() > 0U);
      const std::uint64_t limit = ends[random.below(ends.size())];
      const bool valid = ring.advance(reader, limit, [&](const LogRecordReader& read) {
        RC_ASSERT(same(written.front(), read));
        written.pop_front();
      });
      RC_ASSERT(valid);
      writer.free_up_to(reader.applied());
      std::erase_if(ends, [&](std::uint64_t end) { return end <= reader.applied(); });
      --sequence;
    }
  }
  RC_ASSERT(
      ring.advance(reader, writer.tail(), [&](const LogRecordReader&) { written.pop_front(); }));
  RC_ASSERT(written.empty());
  RC_ASSERT(reader.applied() == writer.tail());
}

TEST(LogRing, NeverHandsOutSpaceThatIsNotFree) {
  LogRingUse use;
  LogRingWriter writer(use, 256);
  EXPECT_TRUE(writer.fits(128));
  writer.reserve(128);
  writer.reserve(128);
  EXPECT_FALSE(writer.fits(8));
  writer.free_up_to(128);
  EXPECT_TRUE(writer.fits(128));
  EXPECT_FALSE(writer.fits(136));
}

TEST(LogRing, StopsAtARecordThatIsNotThere) {
  FakeRing ring(1024);
  LogRingReader reader;
  EXPECT_FALSE(ring.advance(reader, 96, [](const LogRecordReader&) {}));
  EXPECT_EQ(reader.applied(), 0U);
}

// Backups do so once nothing runs any more.
RC_GTEST_PROP(LogRing, IsReadToTheEndWhereNobodyTellsIt, (std::uint64_t seed)) {
  Random random(seed);
  const auto arena = rdma::PageArena::reserve();
  RC_ASSERT(arena != nullptr);
  FakeRing ring(2048, arena.get());
  LogRingUse use;
  LogRingWriter writer(use, 2048);
  LogRingReader reader;
  const auto read_all = [&] {
    std::uint64_t records = 0;
    ring.advance_to_end(reader, [&](const LogRecordReader&) { ++records; });
    return records;
  };
  const std::uint64_t untouched = arena->bytes_in_use();
  RC_ASSERT(read_all() == 0U);
  RC_ASSERT(arena->bytes_in_use() == untouched);
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::uint64_t written = 0;
    while (random.below(4) > 0) {
      const Record record = random_record(random, round);
      if (!writer.fits(record.bytes())) break;
      const LogRingWriter::Space space = writer.reserve(record.bytes());
      if (space.padding > 0) {
        const std::uint64_t word = log_padding_word(space.padding);
        ring.memory().write(writer.place(space.position - space.padding),
                            std::as_bytes(std::span(&word, 1)));
      }
      ring.memory().write(writer.place(space.position), compose(record, space.position));
      ++written;
    }
    RC_ASSERT(read_all() == written);
    RC_ASSERT(reader.applied() == writer.tail());
    writer.free_up_to(reader.applied());
  }
}

TEST(LogRing, IsNotReadToTheEndPastARecordThatIsDamaged) {
  Random random(1);
  FakeRing ring(2048);
  const Record record = random_record(random, 1);
  ring.memory().write(0, compose(record, 0));
  std::vector<std::byte> damaged = compose(record, record.bytes());
  damaged[damaged.size() / 2] ^= std::byte{1};
  ring.memory().write(record.bytes(), damaged);
  LogRingReader reader;
  int records = 0;
  EXPECT_THROW(ring.advance_to_end(reader, [&](const LogRecordReader&) { ++records; }), Malformed);
  EXPECT_EQ(records, 1);
}

TEST(LogRing, StopsAtPaddingThatIsNotUpToTheEnd) {
  FakeRing ring(1024);
  const std::uint64_t padding = log_padding_word(96);
  ring.memory().write(0, std::as_bytes(std::span(&padding, 1)));
  LogRingReader reader;
  EXPECT_FALSE(ring.advance(reader, 96, [](const LogRecordReader&) {}));
  EXPECT_EQ(reader.applied(), 0U);
}

TEST(LogRing, StopsBeforeAnEndThatIsTooShortForARecord) {
  FakeRing ring(1024);
  LogRingReader reader;
  reader.applied_message(0, 1021, 1, 1024);
  EXPECT_FALSE(ring.advance(reader, 1024, [](const LogRecordReader&) {}));
  EXPECT_EQ(reader.applied(), 1021U);
}

TEST(LogRing, IsNotReadWhereAllMessagesOfARecordHaveCome) {
  FakeRing nothing(1024);
  const auto refuse = [](const LogRecordReader&) { FAIL() << "a record of zeros"; };
  LogRingReader reader;
  reader.applied_message(0, 96, 2, nothing.memory().bytes());
  EXPECT_EQ(reader.applied(), 0U) << "one of two messages";
  reader.applied_message(96, 104, 1, nothing.memory().bytes());
  EXPECT_EQ(reader.applied(), 0U) << "a record before it is missing";
  reader.applied_message(0, 96, 2, nothing.memory().bytes());
  EXPECT_EQ(reader.applied(), 200U);
  EXPECT_TRUE(nothing.advance(reader, 200, refuse));
}

TEST(LogRing, RefusesMessagesOfRecordsThatItHasNoRoomFor) {
  constexpr std::uint64_t kBytes = 1024;
  LogRingReader reader;
  EXPECT_THROW(reader.applied_message(kBytes, 96, 1, kBytes), Malformed);
  EXPECT_THROW(reader.applied_message(0, kBytes + 8, 1, kBytes), Malformed);
  EXPECT_THROW(reader.applied_message(0, 96, 0, kBytes), Malformed);
  EXPECT_EQ(reader.applied(), 0U);
}

// The ring is asked for while a message is on its way; what comes then is of no record any more.
TEST(LogRing, IsReadWhereMessagesOfARecordAreLate) {
  Random random(7);
  constexpr std::uint64_t kRing = 4096;
  FakeRing ring(kRing);
  LogRingUse use;
  LogRingWriter writer(use, kRing);
  std::vector<LogRingWriter::Space> spaces;
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
    const Record record = random_record(random, sequence);
    spaces.push_back(writer.reserve(record.bytes()));
    const auto bytes = compose(record, spaces.back().position);
    ring.memory().write(spaces.back().position, bytes);
  }
  LogRingReader reader;
  const auto message = [&](std::size_t record, std::uint16_t messages) {
    reader.applied_message(spaces[record].position, spaces[record].bytes, messages, kRing);
  };
  int read = 0;
  const auto count = [&](const LogRecordReader&) { ++read; };
  message(1, 1);
  message(0, 2);
  EXPECT_TRUE(ring.advance(reader, spaces[1].position, count));
  EXPECT_EQ(read, 1) << "the first; the second has come by message";
  EXPECT_EQ(reader.applied(), spaces[2].position);
  message(0, 2);
  EXPECT_EQ(reader.applied(), spaces[2].position);
  message(2, 1);
  EXPECT_EQ(reader.applied(), writer.tail());
}

TEST(LogLayout, GivesEverySourceWorkerItsOwnRing) {
  const LogLayout layout{.nodes = 3, .workers = 2, .ring_bytes = 4096};
  EXPECT_EQ(layout.ring_offset(0, 0), 0U);
  EXPECT_EQ(layout.ring_offset(2, 1), 5U * 4096);
  EXPECT_EQ(layout.region_bytes(), 6U * 4096);
}

}  // namespace
}  // namespace verbena::txn
