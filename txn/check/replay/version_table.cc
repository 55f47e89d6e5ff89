// Records in a hash table; their older versions in lists.
#include "txn/check/replay/version_table.h"

#include <utility>

#include "rdma/base/random.h"

namespace verbena::txn {
namespace {

constexpr std::size_t kFirstPlaces = 1024;

std::uint64_t hash_of(const RecordName& name) {
  const std::uint64_t where = std::uint64_t{name.table} << 16 | name.partition;
  return mix64(name.key ^ (where << 40));
}

}  // namespace

VersionTable::VersionTable(const InitialValues& initial)
    : initial_(initial), places_(kFirstPlaces, kNone) {}

std::size_t VersionTable::place_of(const RecordName& name) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash_of(name) & mask;
  while (places_[place] != kNone && records_[places_[place]].name != name) {
    place = (place + 1) & mask;
  }
  return place;
}

void VersionTable::prefetch_place(const RecordName& name) const {
  __builtin_prefetch(&places_[hash_of(name) & (places_.size() - 1)]);
}

void VersionTable::prefetch_record(const RecordName& name) const {
  const Record record = places_[hash_of(name) & (places_.size() - 1)];
  if (record != kNone) __builtin_prefetch(&records_[record]);
}

VersionTable::Record VersionTable::find(const RecordName& name) {
  std::size_t place = place_of(name);
  if (places_[place] != kNone) return places_[place];
  if (2 * records_.size() >= places_.size()) {
    grow();
    place = place_of(name);
  }
  const auto record = static_cast<Record>(records_.size());
  records_.push_back({.name = name, .newest = {.value = initial_.of(name)}});
  places_[place] = record;
  return record;
}

ValueDigest VersionTable::value_of(const RecordName& name) const {
  const Record record = places_[place_of(name)];
  return record == kNone ? initial_.of(name) : newest(record).value;
}

void VersionTable::grow() {
  std::vector<Record> larger(2 * places_.size(), kNone);
  places_.swap(larger);
  for (Record record = 0; record < records_.size(); ++record) {
    places_[place_of(records_[record].name)] = record;
  }
}

void VersionTable::write(Record record, ValueDigest value, Moment since, Moment horizon) {
  Version& newest = records_[record].newest;
  const Number older = keep(newest);
  newest = {.value = value, .since = since, .older = older};
  if (horizon <= std::exchange(records_[record].trimmed, horizon)) return;
  // The first that was current at the horizon is the last that is needed.
  Number last = older;
  while (versions_[last].since > horizon && versions_[last].older != kNone) {
    last = versions_[last].older;
  }
  forget(std::exchange(versions_[last].older, kNone));
}

VersionTable::Number VersionTable::keep(const Version& version) {
  if (free_ == kNone) {
    versions_.push_back(version);
    return static_cast<Number>(versions_.size() - 1);
  }
  const Number number = free_;
  free_ = versions_[number].older;
  versions_[number] = version;
  return number;
}

void VersionTable::forget(Number first) {
  while (first != kNone) {
    const Number next = std::exchange(versions_[first].older, free_);
    free_ = first;
    first = next;
  }
}

}  // namespace verbena::txn
