// Rounds between two barriers.
#include "simnic/engine/crew.h"

#include <utility>

namespace verbena::simnic {

Crew::Crew(unsigned threads) : exceptions_(threads), begin_(threads), end_(threads) {
  for (unsigned thread = 1; thread < threads; ++thread) {
    helpers_.emplace_back([this, thread] {
      while (true) {
        begin_.arrive_and_wait();
        if (work_ == nullptr) return;
        work_on(thread);
        end_.arrive_and_wait();
      }
    });
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
  for (std::exception_ptr& exception : exceptions_) {
    if (exception != nullptr) std::rethrow_exception(std::exchange(exception, nullptr));
  }
}

void Crew::work_on(unsigned thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    exceptions_[thread] = std::current_exception();
  }
}

}  // namespace verbena::simnic
