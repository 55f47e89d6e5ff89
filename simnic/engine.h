// SimGrid's engine, and with it the platform of a file.
#pragma once

#include <memory>
#include <string>

namespace simgrid::s4u {
class Engine;
}

namespace verbena::simnic {

/// Makes SimGrid's engine, as quiet as it can be told to be. One at a time per process.
std::unique_ptr<simgrid::s4u::Engine> make_engine();

/// Has the engine that exists load a platform's XML file. SimGrid ends the process for some errors,
/// so check_platform_file() comes before.
void load_platform_file(const std::string& path);

}  // namespace verbena::simnic
