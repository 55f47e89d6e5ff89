// Documents in JSON that users hand in, and what is wrong with them in our words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace verbena::experiments {

/// Parses the text of `file`. Throws ConfigurationError "FILE:LINE:COLUMN: WHY" for what is not
/// JSON.
nlohmann::json parse_json(const std::string& file, const std::string& text);

/// Tells of an error that came up while members were looked for: "member 'config' is missing".
std::string json_error_text(const nlohmann::json::exception& error);

}  // namespace verbena::experiments
