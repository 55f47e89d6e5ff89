// Memory for a fiber to run on.
#pragma once

#include <cstddef>

namespace verbena {

/// A fiber's stack. It grows from bottom + bytes downwards. Owned by its maker.
struct Stack {
  std::byte* bottom = nullptr;
  std::size_t bytes = 0;
};

}  // namespace verbena
