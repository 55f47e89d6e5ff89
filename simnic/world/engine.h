// SimGrid's engine, and with it the platform of a file.
#pragma once

#include <memory>
#include <string>

namespace simgrid::s4u {
class Engine;
}

namespace verbena::simnic {

/// Makes SimGrid's engine, with as little output as it allows. One at a time per process.
std::unique_ptr<simgrid::s4u::Engine> make_engine();

/// Loads a platform's XML file into the engine that exists. SimGrid ends the process for some
/// errors, so check_platform_file() comes before.
void load_platform_file(const std::string& path);

}  // namespace verbena::simnic
