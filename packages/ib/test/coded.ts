/** What `toThrow` takes to expect a coded error; `message` is a part of its message. */
export function coded(code: string, message?: string): Error {
  const text = message === undefined ? {} : { message: expect.stringContaining(message) as string };
  return expect.objectContaining({ code, ...text }) as Error;
}
