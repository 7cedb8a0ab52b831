import { workerData } from 'node:worker_threads'

/** Data of a thread that checks configurations. All threads have one entry file, so that the program has it once. */
export const CHECK_THREAD_DATA = 'checks configurations'

export function isCheckThread(): boolean {
  return workerData === CHECK_THREAD_DATA
}
