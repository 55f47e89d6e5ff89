// Which sources the program was built from.
#pragma once

namespace verbena::experiments {

/// The git commit, with "+" when the sources differed from it; "unknown" when they were in no
/// repository.
const char* build_commit();

}  // namespace verbena::experiments
