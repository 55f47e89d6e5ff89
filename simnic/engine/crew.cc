// Rounds between two barriers.
#include "simnic/engine/crew.h"

#include <system_error>

namespace verbena::simnic {

Crew::Crew(unsigned threads) : exceptions_(threads), begin_(threads), end_(threads) {
  for (unsigned thread = 1; thread < threads; ++thread) {
    try {
      helpers_.emplace_back([this, thread] { help(thread); });
    } catch (const std::system_error&) {
      // The system has no more of them.
      for (; thread < threads; ++thread) {
        begin_.arrive_and_drop();
        end_.arrive_and_drop();
      }
    }
  }
}

void Crew::help(unsigned thread) {
  while (true) {
    begin_.arrive_and_wait();
    if (work_ == nullptr) return;
    work_on(thread);
    end_.arrive_and_wait();
  }
}

Crew::~Crew() {
  work_ = nullptr;
  begin_.arrive_and_wait();
}

void Crew::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  begin_.arrive_and_wait();
  work_on(0);
  end_.arrive_and_wait();
  std::exception_ptr first;
  for (std::exception_ptr& exception : exceptions_) {
    if (first == nullptr) first = exception;
    exception = nullptr;
  }
  if (first != nullptr) std::rethrow_exception(first);
}

void Crew::work_on(unsigned thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    exceptions_[thread] = std::current_exception();
  }
}

}  // namespace verbena::simnic
