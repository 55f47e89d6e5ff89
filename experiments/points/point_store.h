// Finished points on disk, so that none is measured twice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// The results of points in a directory, one JSON document each, named by a hash of the point's
/// resolved settings, of the profiles, systems and platforms that are files, of the files that a
/// platform names, of the program, and of the names, sizes and times of change of the shared
/// libraries that it has loaded.
class PointStore {
 public:
  /// Makes `directory` if need be. Throws ConfigurationError that names it when it cannot be
  /// written.
  explicit PointStore(const std::string& directory);

  /// The file for the result of a point. Throws ConfigurationError when a directory is there.
  std::string file_of(const MeasuringCommand& command);

  /// The result in `file`; nothing when there is none or it is of something else than `command`.
  static std::optional<PointResult> find(const std::string& file, const MeasuringCommand& command);

 private:
  std::uint64_t content_hash(const std::string& file);
  std::uint64_t platform_hash(const std::string& file);

  std::string directory_;
  std::uint64_t program_hash_;
  std::map<std::string, std::uint64_t> content_hashes_;
  std::map<std::string, std::uint64_t> platform_hashes_;
};

}  // namespace verbena::experiments
