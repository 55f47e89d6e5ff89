// Files of a memory server that must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace verbena::txn::nam {

/// Writes `content` to the file `name` in `directory`, which is created if missing. Writes under
/// another name first, so the file is either the whole new one or the previous one. `layout`: the
/// digest of the cluster's layout. Throws ConfigurationError when it cannot be written.
void save_file(const std::string& directory, const std::string& name, std::uint64_t layout,
               std::span<const std::byte> content);

/// Reads such a file; returns nothing if there is none. Throws ConfigurationError for one that is
/// incomplete, or of a cluster with another layout.
std::optional<std::vector<std::byte>> load_file(const std::string& directory,
                                                const std::string& name, std::uint64_t layout);

/// Removes a file if it exists.
void remove_file(const std::string& directory, const std::string& name);

}  // namespace verbena::txn::nam
