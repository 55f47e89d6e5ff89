// Profiles of links that begin again and again within no time, which no simulation gets through.
#pragma once

#include <string>

namespace verbena::simnic {

/// Reads the lines of a profile of SimGrid's, such as "0.001 5e8" or "LOOPAFTER 0.5". Throws
/// std::runtime_error, in one line that begins with `name`, for one that begins again at once.
void check_loop(const std::string& name, const std::string& lines);

/// The same of the file that an attribute of the platform file `platform` names: as seen from here,
/// or beside the platform, as SimGrid looks for it. Throws too when it is no regular file; nothing
/// is said of one that is missing, which SimGrid itself refuses.
void check_loop_of_file(const std::string& platform, const std::string& file);

}  // namespace verbena::simnic
