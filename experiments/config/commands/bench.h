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
  std::vector<BenchCommand> measurements;  ///< as those of RunCommand

  /// Nodes that requests reach. A lone client does not send to itself.
  std::uint32_t receivers() const;

  void load() override;
  Keys keys() override;
  void set_defaults() override;
  void derive(const Said& said) override;
  void check(const Said& said) override;
  void complete() override;
};

}  // namespace verbena::experiments
