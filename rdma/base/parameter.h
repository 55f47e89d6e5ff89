// One value that users may set: its name, what it means, what is allowed, and where it is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rdma/base/time.h"

namespace verbena {

/// Whoever owns an options structure gives the parameters that users may set in one of them, e.g.
///
///     std::vector<Parameter> parameters(TpccOptions& options) {
///       return {{.name = "items", .help = "rows of ITEM", .target = &options.items,
///                .minimum = 1, .maximum = 1'000'000}};
///     }
///
/// The command line, configuration files, help texts and reports are made from these; nobody else
/// knows the names. A target's value when nothing was set is the default.
struct Parameter {
  /// Where the value is kept, and so its type. An optional without value is what users write as
  /// "auto".
  using Target = std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, Nanoseconds*,
                              std::string*, std::optional<std::uint32_t>*>;

  std::string name;  ///< of the key, without its section: "items" of "workload.items"
  std::string help;  ///< one sentence: what it means, with the unit of a number
  Target target;
  double minimum = 0;                     ///< of numbers, included; of durations in nanoseconds
  double maximum = 0;                     ///< of numbers, included
  std::uint64_t step = 1;                 ///< whole numbers are multiples of it
  std::vector<std::string> choices = {};  ///< all that a text may be; empty: any text
  /// What else has to hold, since it depends on other parameters: "at most half of ...".
  std::string condition = {};
};

}  // namespace verbena
