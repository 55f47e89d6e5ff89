// Threads that work together, round by round.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace verbena::simnic {

/// The caller's thread and some more, which wait between rounds of work.
class Crew {
 public:
  /// `threads` includes the caller's; at least 1. There are fewer if the system refuses some.
  explicit Crew(unsigned threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  /// Calls work(i) on thread i, of which the caller's is 0, for all threads at once; returns when
  /// all have ended. Rethrows the exception of the first of the threads that threw.
  void run(const std::function<void(unsigned thread)>& work);

 private:
  void help(unsigned thread);
  void work_on(unsigned thread);

  const std::function<void(unsigned)>* work_ = nullptr;  ///< null: the threads end
  std::vector<std::exception_ptr> exceptions_;           ///< by thread
  std::barrier<> begin_;
  std::barrier<> end_;
  std::vector<std::jthread> helpers_;
};

}  // namespace verbena::simnic
