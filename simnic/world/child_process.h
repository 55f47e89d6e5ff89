// Work done by a copy of this process, so that a crash ends only the copy.
#pragma once

#include <functional>
#include <string>

namespace verbena::simnic {

/// Result of a copy's work.
struct ChildWork {
  std::string output;      ///< everything that it wrote
  bool succeeded = false;  ///< it returned from its work, and neither threw nor crashed
  int signal = 0;          ///< signal that ended it; 0: none
};

/// Forks, lets the copy do `work` and exit without clean-up, and waits for it. `work` gets the
/// descriptor for its output; the text of an exception becomes the last line there. Throws
/// std::runtime_error when no process can be started. For processes of one thread: the copy has no
/// others.
/// others are not in the copy.
ChildWork work_in_child(const std::function<void(int output)>& work);

/// Writes all of `text` to `descriptor`, or as much as it accepts.
void write_all(int descriptor, const std::string& text);

}  // namespace verbena::simnic
