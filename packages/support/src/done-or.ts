import { StoppedError } from './errors.ts'

/**
 * Waits for the promise or the signal, whichever is first; rejects with StoppedError when the signal fires.
 *
 * Every call of `Promise.race` adds a reaction to the promise that lives longer: a leak when it lives as long as the
 * process. This function removes its listener.
 */
export function doneOr<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  if (signal.aborted) {
    promise.catch(() => undefined)
    return Promise.reject(new StoppedError())
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new StoppedError())
    signal.addEventListener('abort', onAbort, { once: true })
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
      .catch(() => undefined)
  })
}

/** Throws StoppedError when the signal has fired. */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new StoppedError()
}
