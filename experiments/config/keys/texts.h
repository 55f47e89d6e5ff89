// Forms that texts of the command line have to have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace verbena::experiments {

/// Each tells what is expected instead of `text`; empty when it is fine.
std::string check_file_name(const std::string& text);
std::string check_history_name(const std::string& text);
std::string check_directory_name(const std::string& text);
std::string check_device_name(const std::string& text);
std::string check_peers(const std::string& text);
std::string check_plan_text(const std::string& text);
std::string check_node_range(const std::string& text);

/// The first and last of the nodes "3" or "12-15"; nothing when `text` is something else.
std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_node_range(const std::string& text);

/// Values of `key` as one text that a flag takes for a list: with commas between them; plans, and
/// what has commas of its own, with bars.
std::string list_of(const std::string& key, const std::vector<std::string>& values);

}  // namespace verbena::experiments
