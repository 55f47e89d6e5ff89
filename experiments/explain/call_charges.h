// Charges of one call on an idle cluster: request, handler and reply.
#pragma once

#include "experiments/config/commands/explain.h"
#include "experiments/explain/request_charges.h"
#include "simnic/observe/observer.h"
#include "simnic/world/loaded_platform.h"

namespace verbena::experiments {

/// Makes one call from node 0 to the last node, with --payload bytes there and back or for a chain
/// on as many, and takes the critical path from the model, in its order: the "call" up to the
/// handler's reply, then the "reply". `command` must be one that is_call(). `also`, unless null,
/// observes the run. Throws ConfigurationError for a call that is impossible or too large.
RequestCharges charge_call(const ExplainCommand& command, simnic::Observer* also = nullptr,
                           simnic::LoadedPlatform* platform = nullptr);

}  // namespace verbena::experiments
