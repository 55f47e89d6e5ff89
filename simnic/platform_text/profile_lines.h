// Check of SimGrid's profiles, line by line: refuses those that no simulation gets through.
#pragma once

#include <string>

namespace verbena::simnic {

/// Checks the lines of a profile, such as "0.001 5e8" or "LOOPAFTER 0.5". Throws ConfigurationError
/// that begins with `name` for lines that are no date and value, that draw by chance, or that
/// repeat without a pause. `periodicity`, the seconds that a <trace> names, may do so, too.
void check_profile(const std::string& name, const std::string& lines,
                   const std::string& periodicity = "");

/// Checks the file that an attribute of the platform file `platform` names. Looks for it from the
/// working directory and beside the platform, as SimGrid does. Throws also when it is no regular
/// file, or there is another one in each of both; ignores a missing one, which SimGrid itself
/// refuses.
void check_profile_file(const std::string& platform, const std::string& file);

}  // namespace verbena::simnic
