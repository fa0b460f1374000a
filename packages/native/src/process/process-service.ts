import type { FileLock, PassedDescriptor, PeerCredentials, ProcessService } from "../api/process.js";
import type { NativeBinding } from "../binding.js";
import { calling } from "../failure.js";
import type { Environment } from "../load-binding.js";
import { LockedFile } from "./locked-file.js";
import { readPassedDescriptors } from "./passed-descriptors.js";

/** Mode of a new lock file, as ibacm creates it (acm.md 10). */
const LOCK_FILE_MODE = 0o640;

/** `ProcessService` over the addon. Failures are `VERBENA_NATIVE_SYSTEM` with errno and syscall. */
export class NativeProcessService implements ProcessService {
  constructor(
    private readonly binding: NativeBinding,
    private readonly env: Environment,
  ) {}

  peerCredentials(fd: number): PeerCredentials | undefined {
    return calling("VERBENA_NATIVE_SYSTEM", { what: `cannot read the peer of descriptor ${fd}` }, () =>
      this.binding.peerCredentials(fd),
    );
  }

  passedDescriptors(): readonly PassedDescriptor[] {
    return readPassedDescriptors(this.env, process.pid, (fd) => this.binding.describeSocket(fd));
  }

  notify(state: string): boolean {
    const path = this.env["NOTIFY_SOCKET"];
    if (path === undefined || path === "") return false;
    calling("VERBENA_NATIVE_SYSTEM", { what: `cannot notify ${path}` }, () => this.binding.sendDatagram(path, state));
    return true;
  }

  tryLockFile(path: string): FileLock | undefined {
    const fd = calling("VERBENA_NATIVE_SYSTEM", { what: `cannot lock ${path}` }, () =>
      this.binding.lockFile(path, LOCK_FILE_MODE),
    );
    return fd === undefined ? undefined : new LockedFile(path, fd);
  }
}
