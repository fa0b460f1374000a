import { Worker } from "node:worker_threads";

/** Starts the program at `url` as a thread; resolves with its first message. `ask` sends it something and resolves with its next. */
export async function startThread(url, workerData) {
  const worker = new Worker(url, { workerData });
  const next = () =>
    new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  const first = await next();
  return {
    first,
    ask: (message) => {
      const answer = next();
      worker.postMessage(message);
      return answer;
    },
  };
}
