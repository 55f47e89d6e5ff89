// What texts of the command line have to look like.
#pragma once

#include <string>

namespace verbena::experiments {

/// Each tells what is expected instead of `text`; empty when it is fine.
std::string check_file_name(const std::string& text);
std::string check_directory_name(const std::string& text);
std::string check_device_name(const std::string& text);
std::string check_peers(const std::string& text);
std::string check_plan_text(const std::string& text);

}  // namespace verbena::experiments
