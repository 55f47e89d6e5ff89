// The program's manual page.
#pragma once

#include <string>

namespace verbena::experiments {

/// In roff with man macros, made of the registry of keys: `verbena man | man -l -`.
std::string man_page();

}  // namespace verbena::experiments
