// Files in which a memory server keeps what must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace verbena::txn::nam {

/// Writes `content` to the file `name` in `directory`, which is made if it is not there: to another
/// name first, so that a file is either whole or the one before. `layout`, a digest, tells which
/// cluster it is of. Throws ConfigurationError when it cannot be written.
void save_file(const std::string& directory, const std::string& name, std::uint64_t layout,
               std::span<const std::byte> content);

/// The content of such a file; nothing if there is none. Throws ConfigurationError for one that is
/// not whole, or of a cluster with another layout.
std::optional<std::vector<std::byte>> load_file(const std::string& directory,
                                                const std::string& name, std::uint64_t layout);

/// Removes a file, if it is there.
void remove_file(const std::string& directory, const std::string& name);

}  // namespace verbena::txn::nam
