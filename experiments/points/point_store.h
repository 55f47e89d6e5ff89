// Finished points on disk, so that none is measured twice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// The parts of a result file's name, each a hash.
struct PointName {
  std::string settings;   ///< of the point's resolved settings, and of all files that they name
  std::string program;    ///< of the program's file
  std::string libraries;  ///< of names, sizes and times of change of the libraries it has loaded

  /// "SETTINGS-PROGRAM-LIBRARIES.json".
  std::string text() const;
};

/// Reads what PointName::text() wrote; nothing when it is the name of another file.
std::optional<PointName> parse_point_name(const std::string& text);

/// The results of points in a directory, one JSON document each. Files that settings name are
/// profiles, systems, and platforms, with the files that these name, and checkpoints.
class PointStore {
 public:
  /// Makes `directory` if need be. Throws ConfigurationError that names it when it cannot be
  /// written.
  explicit PointStore(const std::string& directory);

  PointName name_of(const MeasuringCommand& command);

  /// The file for the result of a point. Throws ConfigurationError when something else than a file
  /// is there.
  std::string file_of(const MeasuringCommand& command);

  /// The result in `file`; nothing when there is none or it is of something else than `command`.
  static std::optional<PointResult> find(const std::string& file, const MeasuringCommand& command);

  /// The same. Throws ConfigurationError that begins with `file` and tells why there is none.
  static PointResult read(const std::string& file, const MeasuringCommand& command);

 private:
  std::uint64_t content_hash(const std::string& file);
  std::uint64_t platform_hash(const std::string& file);

  std::string directory_;
  std::uint64_t program_hash_;
  std::uint64_t libraries_hash_;
  std::map<std::string, std::uint64_t> content_hashes_;
  std::map<std::string, std::uint64_t> platform_hashes_;
};

}  // namespace verbena::experiments
