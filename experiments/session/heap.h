// Memory pages of a simulation's heap.
#pragma once

namespace verbena::experiments {

/// Makes the heap of this process use huge pages where allocator and kernel allow it. A simulation
/// touches the state of thousands of workers and queue pairs in turn; with small pages a tenth of
/// its time is page-table look-ups. Call it from one thread, before large allocations.
void put_heap_on_huge_pages();

}  // namespace verbena::experiments
