// Values made again as they were loaded.
#include "txn/check/anomalies/initial_values.h"

#include <utility>

namespace verbena::txn {

InitialValues::InitialValues(Schema schema) : schema_(std::move(schema)) {}

ValueDigest InitialValues::of(const RecordName& name) const {
  const TableDefinition& table = schema_[name.table];
  if (!table.initial_index(name.key)) return kAbsentValue;
  payload_.assign(table.payload_bytes, std::byte{0});
  if (table.load) table.load(name.partition, name.key, payload_);
  return digest_of(payload_);
}

void InitialValues::visit(TableId table, Key first, Key last,
                          const std::function<void(Key key)>& visitor) const {
  const KeyShape shape = schema_[table].key_shape();
  const std::uint64_t begin = shape.rank(first);
  const std::uint64_t end = shape.rank_after(last);
  if (begin >= end) return;
  KeyShape::Walk walk(shape, begin);
  for (std::uint64_t i = begin; i < end; ++i, walk.next()) visitor(walk.key());
}

}  // namespace verbena::txn
