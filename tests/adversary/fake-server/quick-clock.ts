import { type Clock, systemClock } from '@tributary/support'

/** A clock that runs so many times faster than time: limits of a minute expire within seconds. */
export function quickClock(factor: number): Clock {
  const startMs = systemClock.now()
  return {
    now: () => startMs + (systemClock.now() - startMs) * factor,
    monotonicMs: () => systemClock.monotonicMs() * factor,
    nowMicros: () => (startMs + (systemClock.now() - startMs) * factor) * 1000,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
    after: (ms, run) => systemClock.after(ms / factor, run),
  }
}
