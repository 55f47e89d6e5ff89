// Others that come in between what a core does.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "rdma/seam/core.h"

namespace verbena::txn::nam {

/// Calls something at one of the places where others may come in between.
class InterruptedCore final : public rdma::Core {
 public:
  explicit InterruptedCore(std::uint32_t at = UINT32_MAX, std::function<void()> what = {})
      : Core({}), at_(at), what_(std::move(what)) {
    preemptible_ = true;
  }
  Nanoseconds now() const override { return 0; }
  void give_way() override {}
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}
  std::uint32_t steps() const { return steps_; }

 private:
  void interrupt(const void* /*at*/) override {
    if (steps_++ == at_) what_();
  }

  std::uint32_t at_;
  std::function<void()> what_;
  std::uint32_t steps_ = 0;
};

}  // namespace verbena::txn::nam
