// Comparing rows with what is loaded.
#include "workloads/unwritten_tables.h"

#include <algorithm>
#include <cstddef>

namespace verbena::workloads {

std::vector<std::string> changed_rows(const txn::Schema& schema,
                                      std::span<const txn::TableId> tables,
                                      txn::PartitionId partition, txn::StateAtRest& state) {
  std::vector<std::string> changed;
  std::vector<std::byte> loaded;
  for (const txn::TableId table : tables) {
    const txn::TableDefinition& definition = schema[table];
    loaded.resize(definition.payload_bytes);
    state.visit_changed(
        table, partition, [&](txn::Key key, bool present, std::span<const std::byte> payload) {
          const bool was_there = definition.initial_index(key).has_value();
          std::ranges::fill(loaded, std::byte{0});
          if (was_there && definition.load) definition.load(partition, key, loaded);
          if (present == was_there && (!present || std::ranges::equal(payload, loaded))) return;
          changed.push_back("table " + definition.name + ", partition " +
                            std::to_string(partition) + ", key " + std::to_string(key) +
                            ": is not as it was loaded, and nobody writes that table");
        });
  }
  return changed;
}

}  // namespace verbena::workloads
