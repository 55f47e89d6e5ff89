// Values that records had, each since some moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "txn/check/anomalies/initial_values.h"
#include "txn/moment.h"
#include "txn/schema/table.h"
#include "txn/schema/value_digest.h"

namespace verbena::txn {

/// The plain model that a run is replayed against. It holds the values of each record asked for,
/// from the newest back to the last that an attempt may still have read. Not thread-safe.
class VersionTable {
 public:
  using Record = std::uint32_t;  ///< names a record of the table
  using Number = std::uint32_t;  ///< names a version

  static constexpr Number kNone = UINT32_MAX;

  struct Version {
    ValueDigest value = kAbsentValue;
    Moment since = kBeforeAll;
    Number older = kNone;  ///< the version before; kNone: there is none, or it was forgotten
  };

  /// `initial` must outlive it.
  explicit VersionTable(const InitialValues& initial);

  /// Finds a record; adds it with its initial value if it is new here.
  Record find(const RecordName& name);

  /// Returns the value since the record's latest write; its initial value, if it is not here.
  ValueDigest value_of(const RecordName& name) const;

  /// Brings into the cache what find(name) will read: first the place of the record, then, some
  /// time later, the record.
  void prefetch_place(const RecordName& name) const;
  void prefetch_record(const RecordName& name) const;

  const Version& newest(Record record) const { return records_[record].newest; }
  const Version& version(Number number) const { return versions_[number]; }

  /// Sets the value of a record since `since`, which is later than all before. Forgets versions
  /// that were replaced by `horizon`.
  void write(Record record, ValueDigest value, Moment since, Moment horizon);

  /// Records that were asked for, by Record.
  std::size_t size() const { return records_.size(); }
  const RecordName& name(Record record) const { return records_[record].name; }

 private:
  struct alignas(64) Entry {  // a cache line, which is fetched ahead
    RecordName name;
    Version newest;
    Moment trimmed = kBeforeAll;  // versions replaced by then are forgotten
  };

  Number keep(const Version& version);
  void forget(Number first);
  void grow();
  std::size_t place_of(const RecordName& name) const;

  const InitialValues& initial_;
  std::vector<Entry> records_;
  std::vector<Record> places_;  // a hash table of records_, half full at most
  std::vector<Version> versions_;
  Number free_ = kNone;  // the first of the versions that are not used
};

}  // namespace verbena::txn
