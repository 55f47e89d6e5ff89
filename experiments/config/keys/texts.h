// Checks on the form of texts of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace verbena::experiments {

/// Each function returns what is expected instead of `text`; empty when `text` is valid.
std::string check_file_name(const std::string& text);
std::string check_history_name(const std::string& text);
std::string check_directory_name(const std::string& text);
std::string check_device_name(const std::string& text);
std::string check_peers(const std::string& text);
std::string check_plan_text(const std::string& text);
std::string check_node_range(const std::string& text);
std::string check_memory_size(const std::string& text);

/// Parses "3" or "12-15" to the first and last node; nothing for another text.
std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_node_range(const std::string& text);

/// Parses a size of memory: whole bytes, KiB, MiB, GiB or TiB, such as "3GiB"; nothing for another
/// text, including "auto".
std::optional<std::uint64_t> parse_memory_size(const std::string& text);

/// The shortest text that parse_memory_size takes back to exactly `bytes`: "3GiB", "1536MiB".
std::string format_memory_size(std::uint64_t bytes);

/// Joins values of `key` to a text that a flag takes as a list: with commas or, for plans and
/// values that contain commas, with bars.
std::string list_of(const std::string& key, const std::vector<std::string>& values);

}  // namespace verbena::experiments
