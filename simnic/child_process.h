// Work done by a copy of this process, whose end does not end this one.
#pragma once

#include <functional>
#include <string>

namespace verbena::simnic {

/// Came of a copy's work.
struct ChildWork {
  std::string output;      ///< all that it wrote
  bool succeeded = false;  ///< it returned from its work, rather than to throw or to crash
  int signal = 0;          ///< that ended it; 0: none
};

/// Forks, lets the copy do `work` and leave without running what a process does at its end, and
/// waits for it. `work` is given the descriptor that it writes its output to; what it throws is
/// the last line of that. Throws std::runtime_error when no process can be started. For one thread:
/// others are not in the copy.
ChildWork work_in_child(const std::function<void(int output)>& work);

/// Writes all of `text` to `descriptor`, or as much as is taken.
void write_all(int descriptor, const std::string& text);

}  // namespace verbena::simnic
