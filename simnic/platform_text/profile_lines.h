// Profiles of SimGrid's, line by line: what no simulation gets through is refused.
#pragma once

#include <string>

namespace verbena::simnic {

/// Reads the lines of a profile, such as "0.001 5e8" or "LOOPAFTER 0.5". Throws ConfigurationError
/// that begins with `name` for lines that are of no date and value, that draw by chance, or that
/// begin again at once, as may `periodicity`, the seconds that a <trace> names.
void check_profile(const std::string& name, const std::string& lines,
                   const std::string& periodicity = "");

/// The same of the file that an attribute of the platform file `platform` names: as seen from here,
/// or beside the platform, as SimGrid looks for it. Throws too when it is no regular file; nothing
/// is said of one that is missing, which SimGrid itself refuses.
void check_profile_file(const std::string& platform, const std::string& file);

}  // namespace verbena::simnic
