// `verbena bench`, configured.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/bench/bench_options.h"
#include "experiments/config/keys/fabric_command.h"
#include "experiments/config/keys/series_options.h"

namespace verbena::experiments {

struct BenchCommand : FabricCommand {
  BenchOptions bench;
  bool raw_loop = false;
  SeriesOptions series;
  std::vector<BenchCommand> measurements;  ///< see RunCommand::measurements

  /// Number of nodes that requests reach. A client does not send to itself unless it is alone.
  std::uint32_t receivers() const;

  Keys first_keys() override;
  void load() override;
  Keys keys() override;
  void set_defaults() override;
  void derive(const Said& said) override;
  void check(const Said& said) override;
  void complete() override;
};

}  // namespace verbena::experiments
