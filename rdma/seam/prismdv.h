// PRISM's operations as a vendor extension of verbs, in the form of ibv_post_send (PRISM paper,
// section 3).
//
// Plain C. No device has them; a simulated one may. Errors are errno values, as those of
// libibverbs. Memory of a request is named by one remote key, and offsets count from the beginning
// of the region that has the key; so do pointers that lie in it.
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names are spelt as libibverbs spells them. NOLINTBEGIN(readability-identifier-naming)
enum prismdv_opcode {
  PRISMDV_READ,
  PRISMDV_WRITE,
  PRISMDV_ALLOCATE,
  PRISMDV_COMPARE_AND_SWAP,
  PRISMDV_FETCH_AND_ADD,
};

enum prismdv_flags {
  PRISMDV_CONDITIONAL = 1 << 0,  // skipped unless the request of this interface before it on the
                                 // queue pair was successful
  PRISMDV_TARGET_INDIRECT = 1 << 1,  // the target holds a pointer, which is followed
  PRISMDV_BOUNDED = 1 << 2,          // a word behind the pointer tells the most bytes there
};

enum prismdv_where {
  PRISMDV_REQUEST,  // bytes that the request brings; of a result: back to the requester
  PRISMDV_SCRATCH,  // 32 B that belong to the queue pair
  PRISMDV_MEMORY,   // under the request's key
};

struct prismdv_place {
  enum prismdv_where where;
  uint64_t offset;
};

enum prismdv_mode {
  PRISMDV_EQUAL,
  PRISMDV_NOT_EQUAL,
  PRISMDV_GREATER,
  PRISMDV_GREATER_OR_EQUAL,
  PRISMDV_LESS,
  PRISMDV_LESS_OR_EQUAL,
  PRISMDV_ALWAYS,
};

// Operands of a compare-and-swap of up to 32 B; the word at the lowest address is the most
// significant.
struct prismdv_cas {
  enum prismdv_mode mode;
  struct prismdv_place compare;
  uint64_t swap_words[4];
  uint64_t compare_words[4];
  uint64_t swap_mask[4];
  uint64_t compare_mask[4];
};

struct prismdv_send_wr {
  uint64_t wr_id;
  struct prismdv_send_wr* next;
  struct ibv_sge* sg_list;  // source of WRITE and ALLOCATE: at most one piece
  int num_sge;
  struct ibv_sge result;  // local memory for what comes back; length 0: it is not wanted
  unsigned send_flags;    // IBV_SEND_SIGNALED, IBV_SEND_INLINE, IBV_SEND_FENCE
  enum prismdv_opcode opcode;
  unsigned flags;  // prismdv_flags
  uint32_t rkey;
  struct prismdv_place target;
  uint32_t length;                // of a compare-and-swap 8, 16 or 32, of FETCH_AND_ADD 8
  uint32_t free_list;             // of ALLOCATE: prismdv_free_list::number
  struct prismdv_place data;      // source of WRITE and ALLOCATE; new value of a compare-and-swap
  struct prismdv_place redirect;  // place of the result; PRISMDV_REQUEST: back to the requester
  uint64_t add;                   // of FETCH_AND_ADD
  const struct prismdv_cas* cas;  // of a compare-and-swap; read before post_send returns
};

// Outcome of a request that has completed with success, in ibv_wc::vendor_err. ibv_wc::opcode is
// that of the RDMA operation most like it. ibv_wc::byte_len is the number of bytes read or written.
enum prismdv_outcome {
  PRISMDV_DONE,
  PRISMDV_NOT_SWAPPED,  // the comparison failed; the old value came back all the same
  PRISMDV_NO_BUFFER,    // the free list was empty
  PRISMDV_SKIPPED,      // conditional, and what it depends on was not successful
};

struct prismdv_caps {
  uint32_t max_operand_bytes;    // of a compare-and-swap
  uint32_t scratch_bytes;        // of a queue pair
  uint32_t scratch_queue_pairs;  // number of queue pairs whose scratch lies on the device; that of
                                 // others lies in host memory
};

// Free buffers of one size, one behind the other in registered memory. Belongs to a device and to
// that memory: queue pairs of the device may name it together with any key of the memory. First in,
// first out.
struct prismdv_free_list {
  struct ibv_context* context;
  uint32_t number;
};

struct prismdv_free_list_attr {
  struct ibv_mr* mr;
  uint64_t first;  // offset of the first buffer in the memory
  uint32_t buffer_bytes;
  uint32_t buffers;
};

struct prismdv_table {
  int (*query_device)(struct ibv_context* context, struct prismdv_caps* caps);
  // Makes a list without free buffers.
  struct prismdv_free_list* (*create_free_list)(struct ibv_context* context,
                                                const struct prismdv_free_list_attr* attr);
  int (*destroy_free_list)(struct prismdv_free_list* list);
  // Adds buffers, which requests take once all those have ended that are being carried out now.
  // Waits for nothing. EINVAL: one of them is no buffer of the list, or free already; those before
  // it were added.
  int (*post_free)(struct prismdv_free_list* list, const uint64_t* offsets, int count);
  // Number of buffers taken so far.
  uint64_t (*popped)(const struct prismdv_free_list* list);
  // Number of requests that the device has begun to carry out, and the number before which all have
  // ended: memory that nothing leads to any more may be used again once that has reached the first.
  uint64_t (*begun)(struct ibv_context* context);
  uint64_t (*all_ended_before)(struct ibv_context* context);
  // Lets a queue pair, in RESET or INIT, post such requests and answer them.
  int (*enable_qp)(struct ibv_qp* qp);
  // Posts a list, as ibv_post_send does.
  int (*post_send)(struct ibv_qp* qp, struct prismdv_send_wr* wr, struct prismdv_send_wr** bad);
};

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif
