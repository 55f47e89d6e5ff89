// Where a simulation's heap lies.
#pragma once

namespace verbena::experiments {

/// Has the heap of this process grow on huge pages. A simulation touches the state of thousands of
/// workers and queue pairs in turn, which on small pages costs it a tenth of its time in look-ups
/// of page tables. A wish: where allocator or kernel do not take it, nothing changes. To be called
/// before what is large, by one thread.
void put_heap_on_huge_pages();

}  // namespace verbena::experiments
