// Strict reading of a TOML table: unknown keys and values of a wrong type are errors. For .cc files
// only: it includes the parser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/config/toml_values.h"

namespace verbena::experiments {

/// Reads one table. Constructor and accessors throw ConfigurationError that begins with
/// "FILE:LINE:COLUMN: ".
class TableReader {
 public:
  /// `table` must outlive the reader. `what` is the table's name in messages, e.g. "[[series]]".
  /// Throws for a key that is not in `keys`, with the nearest of them.
  TableReader(std::string file, const toml::table& table, std::string what,
              const std::vector<std::string>& keys);

  bool has(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& otherwise) const;
  std::optional<double> number(const std::string& key) const;
  bool flag(const std::string& key) const;  ///< false when the key is missing
  std::string choice(const std::string& key, const std::vector<std::string>& choices,
                     const std::string& otherwise) const;

  /// One string or a list of them; empty when the key is missing.
  std::vector<std::string> texts(const std::string& key) const;

  /// One number or a list of them; empty when the key is missing.
  std::vector<double> numbers(const std::string& key) const;

  /// A list of values in the notation of flags; empty when the key is missing.
  std::vector<std::string> values(const std::string& key) const;

  /// A table of texts; empty when the key is missing.
  std::vector<std::pair<std::string, std::string>> text_table(const std::string& key) const;

  /// A table of settings and overrides.
  std::vector<Assignment> settings(const std::string& key) const;

  /// The table under this key; null when it is missing.
  const toml::table* table(const std::string& key) const;

  /// The tables of an array of tables; empty when the key is missing.
  std::vector<const toml::table*> tables(const std::string& key) const;

  const toml::array* list(const std::string& key) const;

  /// Throws an error at the place of `key` or, when the key is missing, of the table.
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

  const std::string& file() const { return file_; }
  std::string place(const std::string& key) const;

 private:
  std::string file_;
  const toml::table& table_;
  std::string what_;
};

}  // namespace verbena::experiments
