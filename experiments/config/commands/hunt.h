// `verbena hunt`, configured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/config/keys/command.h"
#include "rdma/base/time.h"

namespace verbena::experiments {

struct HuntCommand : CommandOptions {
  std::uint64_t first_seed = 1;
  std::string seeds_text = "1000";  ///< a number, or a range such as 17..40
  std::uint64_t seeds = 1000;
  std::optional<Nanoseconds> time;  ///< limit of wall time; nothing: until all seeds are done
  std::string system = "all";
  std::string workload = "all";
  std::optional<std::uint32_t> jobs;
  double twice_percent = 5;
  bool go_on = false;
  bool no_shrink = false;
  bool merge = false;
  std::string json;   ///< empty: none
  std::string junit;  ///< empty: none
  bool progress = false;

  Keys keys() override;
  void check(const Said& said) override;
  void complete() override;
};

}  // namespace verbena::experiments
