// Results of finished points on disk, so that none is measured twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/points/measuring_command.h"
#include "experiments/points/point_result.h"

namespace verbena::experiments {

/// The parts of a result file's name. Each is a hash.
struct PointName {
  std::string settings;   ///< identity_of the point
  std::string program;    ///< file of the program
  std::string libraries;  ///< names, sizes and modification times of the loaded libraries

  /// "SETTINGS-PROGRAM-LIBRARIES.json".
  std::string text() const;
};

/// Parses the result of PointName::text(); nothing for another name.
std::optional<PointName> parse_point_name(const std::string& text);

/// A directory with the results of points, one JSON document each.
class PointStore {
 public:
  /// Creates `directory` if need be. Throws ConfigurationError that names it when it cannot be
  /// written.
  explicit PointStore(const std::string& directory);
  /// Removes the directories that it created and that are still empty, unless they are kept.
  ~PointStore();
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  /// Keeps the directories, since other commands may have begun to measure into them.
  void keep();

  PointName name_of(const MeasuringCommand& command) const;

  /// Name of the file for the result of a point. Throws ConfigurationError when something other
  /// than a file is there.
  std::string file_of(const MeasuringCommand& command) const;

  /// Reads the result in `file`; nothing when there is none or it belongs to another command, or
  /// files that this names had other contents.
  static std::optional<PointResult> find(const std::string& file, const MeasuringCommand& command);

  /// Reads the result in `file`. Throws ConfigurationError that begins with `file` and tells why
  /// there is none.
  static PointResult read(const std::string& file, const MeasuringCommand& command);

 private:
  std::string directory_;
  std::string program_;
  std::string libraries_;
  std::vector<std::string> made_;  // by this object, the innermost first
};

}  // namespace verbena::experiments
