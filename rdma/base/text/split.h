// Lists in text: the parts between separators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbena {

/// The parts of `text` between separators, empty ones too: one more than there are separators.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace verbena
