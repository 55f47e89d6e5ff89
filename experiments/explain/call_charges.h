// One call on an idle cluster: a request, what serves it, and the reply.
#pragma once

#include "experiments/config/commands/explain.h"
#include "experiments/explain/request_charges.h"
#include "simnic/loaded_platform.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// For a command that is_call(): calls from node 0 to the last node once, with --payload bytes
/// there and back or for a chain on so many, and takes from the model what was on the critical
/// path, in its order: of the "call" until the callee's handler has replied, and of the "reply".
/// `also`, unless null, is told all that happens. Throws ConfigurationError for what cannot be
/// called or is too large.
RequestCharges charge_call(const ExplainCommand& command, simnic::Observer* also = nullptr,
                           simnic::LoadedPlatform* platform = nullptr);

}  // namespace verbena::experiments
