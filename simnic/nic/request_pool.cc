// Taking requests and lists of pieces, and giving them back.
#include "simnic/nic/request_pool.h"

namespace verbena::simnic {

std::vector<ibv_sge>* RequestPool::new_pieces(const ibv_sge* pieces, int count) {
  if (free_pieces_.empty()) {
    pieces_.push_back(std::make_unique<std::vector<ibv_sge>>());
    free_pieces_.push_back(pieces_.back().get());
  }
  std::vector<ibv_sge>* list = free_pieces_.back();
  free_pieces_.pop_back();
  list->assign(pieces, pieces + count);
  return list;
}

}  // namespace verbena::simnic
