// Checkpoints and journals as memory servers write them, for tests of their readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rdma/memory/region.h"
#include "txn/nam/durability/checkpoint.h"
#include "txn/nam/durability/journal_entry.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/durability/restored_state.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/records/layout.h"

namespace verbena::testing {

/// Two memory servers with a partition each of three tables: "fixed", of ten records; "grows", of
/// five, ordered, and room for others, two of which are there; "long", whose records have several
/// cache lines. Some records have been written by slot 1, after which one more commit stands in
/// slot 1's journal, and one in slot 2's.
class SavedCluster {
 public:
  /// Writes the files to `directory`, which it makes.
  explicit SavedCluster(std::string directory);

  const std::string& directory() const { return directory_; }
  const txn::nam::Layout& layout() const { return layout_; }
  const txn::nam::JournalLayout& journals() const { return journals_; }

  /// Reads all files as a cluster does that begins from them, and restores both servers.
  void restore() const;

  /// The content of a file, its header without; and a file with other content, whose header fits.
  std::vector<std::byte> content(const std::string& file) const;
  void replace(const std::string& file, std::span<const std::byte> content) const;

  /// The record that slot 1's journal tells of; and writes files in which it tells of another.
  const txn::nam::JournalRecord& journal_record() const { return updated_; }
  void replace_journal(const txn::nam::JournalRecord& record);

  /// The entry of slot 1's journal; and writes journals with another, whose checksum and length are
  /// made right.
  const std::vector<std::byte>& entry() const { return entry_; }
  void replace_entry(std::span<const std::byte> entry);

  static constexpr txn::TableId kFixed = 0;
  static constexpr txn::TableId kGrows = 1;
  static constexpr txn::TableId kLong = 2;
  static constexpr txn::Key kInserted = 3;  ///< of "grows", in its first entry that was not loaded

 private:
  /// The contents of a memory server's memory.
  struct Server {
    Server(const txn::nam::Layout& layout, const txn::nam::JournalLayout& journal_layout,
           NodeId node);

    rdma::Region records;
    rdma::Region journals;
    std::deque<txn::nam::KeyIndex> indexes;
  };

  static txn::Deployment deployment();
  static txn::nam::IndexOf index_of(Server& server);
  void write_files();
  void write_entry(std::uint32_t slot, std::span<const std::byte> entry);
  void write_record(Server& server, const txn::RecordName& name, std::uint64_t entry,
                    std::uint32_t count) const;
  void write_journal(std::uint32_t slot, const txn::nam::JournalRecord& record);
  std::vector<std::byte> compose(std::uint32_t slot, const txn::nam::JournalRecord& record) const;

  std::string directory_;
  txn::Deployment deployment_;
  txn::nam::Layout layout_;
  txn::nam::JournalLayout journals_;
  txn::nam::JournalRecord updated_;
  std::vector<std::byte> entry_;
  std::map<NodeId, Server> servers_;
};

}  // namespace verbena::testing
