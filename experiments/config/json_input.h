// Parses JSON documents of users, with errors in this program's words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace verbena::experiments {

/// Parses the text of `file`. Throws ConfigurationError "FILE:LINE:COLUMN: WHY" for text that is
/// not JSON.
nlohmann::json parse_json(const std::string& file, const std::string& text);

/// Describes an error of a look-up of members: "member 'config' is missing".
std::string json_error_text(const nlohmann::json::exception& error);

}  // namespace verbena::experiments
