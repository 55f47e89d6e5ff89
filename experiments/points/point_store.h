// Results of finished points on disk, so that none is measured twice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// The parts of a result file's name. Each is a hash.
struct PointName {
  std::string settings;   ///< resolved settings of the point, and all files that they name
  std::string program;    ///< file of the program
  std::string libraries;  ///< names, sizes and modification times of the loaded libraries

  /// "SETTINGS-PROGRAM-LIBRARIES.json".
  std::string text() const;
};

/// Parses the result of PointName::text(); nothing for another name.
std::optional<PointName> parse_point_name(const std::string& text);

/// A directory with the results of points, one JSON document each. Hashes of settings include the
/// files that these name: profiles, systems and platforms, with the files that they name in turn,
/// and checkpoints.
class PointStore {
 public:
  /// Creates `directory` if need be. Throws ConfigurationError that names it when it cannot be
  /// written.
  explicit PointStore(const std::string& directory);

  PointName name_of(const MeasuringCommand& command);

  /// Name of the file for the result of a point. Throws ConfigurationError when something other
  /// than a file is there.
  std::string file_of(const MeasuringCommand& command);

  /// Reads the result in `file`; nothing when there is none or it belongs to another command.
  static std::optional<PointResult> find(const std::string& file, const MeasuringCommand& command);

  /// Reads the result in `file`. Throws ConfigurationError that begins with `file` and tells why
  /// there is none.
  static PointResult read(const std::string& file, const MeasuringCommand& command);

 private:
  /// Returns the hash that `make` returned when it was called for `what`, or calls it: files count
  /// as they were then.
  template <typename Make>
  std::uint64_t once(const std::string& what, Make&& make);
  std::uint64_t content_hash(const std::string& file);
  std::uint64_t platform_hash(const std::string& file);

  std::string directory_;
  std::uint64_t program_hash_;
  std::uint64_t libraries_hash_;
  std::map<std::string, std::uint64_t> hashes_;  // by what once() was asked for
};

}  // namespace verbena::experiments
