/** What a failed call leaves on the error that the addon throws. */
export interface BindingError extends Error {
  /** Positive; absent when a library could not be loaded. */
  readonly errno?: number;
  /** Name of the errno, such as `EACCES`. */
  readonly code?: string;
  readonly syscall?: string;
  /** Of a failed post: requests that the device has taken before the one it refused. */
  readonly posted?: number;
}
