#include "hca/completion-cursor.h"

#include <cerrno>
#include <chrono>

#include "hca/completion-queue.h"
#include "hca/patience.h"
#include "process.h"
#include "timer-queue.h"

namespace fabricsim {

namespace {

CompletionQueue &queueOf(vb_ibv_cq_ex *handle) { return CompletionQueue::of(reinterpret_cast<vb_ibv_cq *>(handle)); }

CompletionCursor &cursorOf(vb_ibv_cq_ex *handle) { return *queueOf(handle).cursor(); }

int take(vb_ibv_cq_ex *handle, bool isFirst) {
  CompletionCursor &cursor = cursorOf(handle);
  Lock lock = Process::get().lock();
  CompletionQueue &queue = queueOf(handle);
  // What has raised an event of its own is left to who comes for that event: such a reader may count on finding something.
  if (!isFirst && queue.isAnnounced()) return ENOENT;
  if (!queue.take(cursor.current, cursor.stamp)) return ENOENT;
  handle->status = cursor.current.status;
  handle->wr_id = cursor.current.wr_id;
  return 0;
}

int next(vb_ibv_cq_ex *handle) { return take(handle, false); }

int start(vb_ibv_cq_ex *handle, vb_ibv_poll_cq_attr *attributes) {
  if (attributes->comp_mask != 0) return EINVAL;
  CompletionCursor &cursor = cursorOf(handle);
  cursor.polling.lock();
  int error = take(handle, true);
  patience::polled(error == 0);
  // Who got nothing does not end it.
  if (error != 0) cursor.polling.unlock();
  return error;
}

void end(vb_ibv_cq_ex *handle) { cursorOf(handle).polling.unlock(); }

template <auto Member, typename Result>
Result read(vb_ibv_cq_ex *handle) {
  return static_cast<Result>(cursorOf(handle).current.*Member);
}

uint64_t readStamp(vb_ibv_cq_ex *handle) { return cursorOf(handle).stamp; }

}  // namespace

uint64_t readStampClock() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

void setCursorFunctions(vb_ibv_cq_ex &handle, uint64_t fields) {
  handle.start_poll = start;
  handle.next_poll = next;
  handle.end_poll = end;
  handle.read_opcode = read<&vb_ibv_wc::opcode, int>;
  handle.read_vendor_err = read<&vb_ibv_wc::vendor_err, uint32_t>;
  handle.read_wc_flags = read<&vb_ibv_wc::wc_flags, unsigned>;
  auto has = [fields](uint64_t field) { return (fields & field) != 0; };
  if (has(VB_IBV_WC_EX_WITH_BYTE_LEN)) handle.read_byte_len = read<&vb_ibv_wc::byte_len, uint32_t>;
  if (has(VB_IBV_WC_EX_WITH_IMM)) handle.read_be_imm_data = read<&vb_ibv_wc::be_imm_data, uint32_t>;
  if (has(VB_IBV_WC_EX_WITH_QP_NUM)) handle.read_qp_num = read<&vb_ibv_wc::qp_num, uint32_t>;
  if (has(VB_IBV_WC_EX_WITH_SRC_QP)) handle.read_src_qp = read<&vb_ibv_wc::src_qp, uint32_t>;
  if (has(VB_IBV_WC_EX_WITH_SLID)) handle.read_slid = read<&vb_ibv_wc::slid, uint32_t>;
  if (has(VB_IBV_WC_EX_WITH_SL)) handle.read_sl = read<&vb_ibv_wc::sl, uint8_t>;
  if (has(VB_IBV_WC_EX_WITH_DLID_PATH_BITS)) handle.read_dlid_path_bits = read<&vb_ibv_wc::dlid_path_bits, uint8_t>;
  if (has(VB_IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)) handle.read_completion_ts = readStamp;
}

}  // namespace fabricsim
