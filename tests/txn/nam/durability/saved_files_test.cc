// Files of memory servers that are cut, forged or rotten, though their checksums are right.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/txn/nam/saved_cluster.h"
#include "txn/nam/durability/restored_state.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::testing {
namespace {

using txn::nam::JournalRecord;
using txn::nam::version_of;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;

// Where what is first in a checkpoint lies: the vector's counts, then the table "fixed".
constexpr std::size_t kUsed = 16;
constexpr std::size_t kCount = kUsed + 8;
constexpr std::size_t kEntry = kCount + 8;
constexpr std::size_t kImage = kEntry + 8;
constexpr std::size_t kNextEntry = kImage + 56;

void put(std::vector<std::byte>& content, std::size_t at, std::uint64_t value) {
  std::memcpy(content.data() + at, &value, sizeof value);
}

class SavedFiles : public ::testing::Test {
 protected:
  /// The text that the files are refused with; empty: they are taken.
  std::string refusal() const {
    try {
      cluster_.restore();
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  }

  /// The refusal when the content of a file is another.
  std::string refusal_of(const std::string& file,
                         const std::function<void(std::vector<std::byte>&)>& change) const {
    auto content = cluster_.content(file);
    change(content);
    cluster_.replace(file, content);
    return refusal();
  }

  std::string in_directory(const std::string& rest) const { return cluster_.directory() + rest; }

  SavedCluster cluster_{::testing::TempDir() + "saved_files"};
};

TEST_F(SavedFiles, AreTakenAsTheyWereWritten) { EXPECT_EQ(refusal(), ""); }

struct Forged {
  const char* what;
  std::function<void(std::vector<std::byte>&)> change;
  const char* said;
};

std::ostream& operator<<(std::ostream& out, const Forged& forged) { return out << forged.what; }

class ForgedCheckpoints : public SavedFiles, public ::testing::WithParamInterface<Forged> {};

TEST_P(ForgedCheckpoints, AreRefusedInALineThatSaysWhatIsAllowed) {
  EXPECT_EQ(refusal_of("checkpoint.1", GetParam().change),
            in_directory(std::string("/checkpoint.1: ") + GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    All, ForgedCheckpoints,
    ::testing::Values(
        Forged{"shorter than its counts", [](auto& content) { content.resize(4); },
               "ends too early: of 16 B at byte 0 there are 4"},
        Forged{"cut in a table", [](auto& content) { content.resize(kNextEntry + 20); },
               "ends too early: of 56 B at byte 104 there are 12"},
        Forged{"more behind its end", [](auto& content) { content.resize(content.size() + 8); },
               "has 8 B from byte 1488 on; allowed are none"},
        Forged{"entries in use", [](auto& content) { put(content, kUsed, std::uint64_t{1} << 40); },
               "has entries in use 1099511627776; allowed are 10 to 10"},
        Forged{"less in use than was loaded", [](auto& content) { put(content, kUsed, 9); },
               "has entries in use 9; allowed are 10 to 10"},
        Forged{"records", [](auto& content) { put(content, kCount, kHuge); },
               "has records 4611686018427387904; allowed are 0 to 10"},
        Forged{"an entry", [](auto& content) { put(content, kEntry, std::uint64_t{1} << 39); },
               "has entry 549755813888; allowed are 0 to 9"},
        Forged{"an entry twice", [](auto& content) { put(content, kNextEntry, 0); },
               "has entry 0; allowed are 1 to 9"},
        Forged{"a version of nobody",
               [](auto& content) {
                 put(content, kImage + txn::nam::kVersionOffset,
                     version_of({.slot = 77, .count = 1}, false));
               },
               "has slot of a version 77; allowed are 0 to 2"},
        Forged{"a record that has had no version",
               [](auto& content) { put(content, kImage + txn::nam::kInstallsOffset, 0); },
               "has installs 0; allowed are 1 to 4294967295"},
        Forged{"a key in another's entry",
               [](auto& content) { put(content, kImage + txn::nam::kKeyOffset, 3); },
               "has key 3 in entry 0; allowed is 0"}));

TEST_F(SavedFiles, ARecordInTwoEntriesIsRefused) {
  const std::string said = refusal_of("checkpoint.1", [&](std::vector<std::byte>& content) {
    std::uint64_t records = 0;
    std::memcpy(&records, content.data() + kCount, sizeof records);
    const std::size_t grows = kEntry + records * (kNextEntry - kEntry) + 2 * sizeof(std::uint64_t);
    const std::size_t inserted = grows + 5 * (kNextEntry - kEntry);
    // The key that was inserted is now that of a record that was loaded.
    put(content, inserted + sizeof(std::uint64_t) + txn::nam::kKeyOffset, 8);
  });
  EXPECT_EQ(said, in_directory(": what was saved of partition 0 has the record of key 8 of table "
                               "'grows' in entries 1 and 5; allowed is one"));
}

// A server may have saved its copy before a recovery completed it.
TEST_F(SavedFiles, TellOfWhatOneCopyOfAJournalHas) {
  const auto counts = [this] {
    const txn::nam::RestoredState state(cluster_.directory(), cluster_.layout(),
                                        cluster_.journals());
    return state.counts();
  };
  const std::vector<std::uint32_t> whole = counts();
  for (const std::string file : {"journals.1", "journals.2"}) {
    const std::vector<std::byte> content = cluster_.content(file);
    cluster_.replace(file, std::vector<std::byte>(content.size()));
    EXPECT_EQ(counts(), whole) << file;
    cluster_.replace(file, content);
  }
}

class ForgedJournals : public SavedFiles {
 protected:
  std::string refusal_with(const std::function<void(JournalRecord&)>& change) {
    JournalRecord record = cluster_.journal_record();
    change(record);
    cluster_.replace_journal(record);
    const std::string said = refusal();
    const std::string begin = in_directory(": an entry of the journal of slot 1 ");
    EXPECT_EQ(said.substr(0, begin.size()), begin);
    return said.substr(std::min(begin.size(), said.size()));
  }
};

TEST_F(ForgedJournals, OfRecordsThatThereAreNotAreRefused) {
  EXPECT_EQ(refusal_with([](JournalRecord& record) { record.partition = 2; }),
            "has partition 2; allowed are 0 to 1");
  EXPECT_EQ(refusal_with([](JournalRecord& record) { record.entry = std::uint64_t{1} << 39; }),
            "has entry 549755813888; allowed are 0 to 3");
  EXPECT_EQ(refusal_with([](JournalRecord& record) { record.key = 2; }),
            "has key 2 in entry 1; allowed is 1");
  EXPECT_EQ(refusal_with([](JournalRecord& record) { record.installs = UINT32_MAX; }),
            "has installs 4294967295; allowed are 1 to 4294967294");
  EXPECT_EQ(refusal_with([](JournalRecord& record) {
              record.replaced = version_of({.slot = 1U << 28, .count = 1}, false);
            }),
            "has slot of a version 268435456; allowed are 0 to 2");
}

TEST_F(SavedFiles, OfRingsThatAreCutAreRefused) {
  EXPECT_EQ(refusal_of("journals.1", [](auto& content) { content.resize(4); }),
            in_directory("/journals.1: has rings of another nam.journal_bytes or nam.journals"));
}

TEST_F(SavedFiles, ThatEndInTheirHeadersAreRefused) {
  std::filesystem::resize_file(cluster_.directory() + "/checkpoint.1", 20);
  EXPECT_EQ(refusal(), in_directory("/checkpoint.1: is not a whole checkpoint or journal"));
}

}  // namespace
}  // namespace verbena::testing
