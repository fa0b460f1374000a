/** What each failure of the harness is called; `scripts/vm --help` prints this table. */
export const failureCodes = {
  VM_USAGE: "the command line is wrong",
  VM_PROGRAM: "a program that the harness needs is missing or failed",
  VM_KERNEL: "no kernel package can be fetched or unpacked",
  VM_SETUP: "the machine failed while it set up files, modules or RDMA devices",
  VM_ENDED: "the machine ended before the command did",
  VM_SILENT: "the machine does not answer",
  VM_TIMEOUT: "the command (or the boot) took longer than --timeout (status 124)",
  VM_STOPPED: "a signal ended the harness (status 128+N)",
};

/** Anything the harness itself cannot do; never the command's own failure. */
export class VmFailed extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
