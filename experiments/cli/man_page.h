// The program's manual page.
#pragma once

#include <string>

namespace verbena::experiments {

/// Returns the page in roff with man macros, made from the registry of keys. Usage: `verbena man |
/// man -l -`.
std::string man_page();

}  // namespace verbena::experiments
