import type { System } from '../systems/system.ts'

export interface Turn {
  readonly system: System
  /** Counted from 0. */
  readonly run: number
}

/** Returns the order of the runs: A B, B A, A B, …, so that disturbances of the machine affect all systems alike. */
export function interleaved(systems: readonly System[], runs: number): readonly Turn[] {
  return Array.from({ length: runs }, (_, run) => {
    const turns = systems.map((system) => ({ system, run }))
    return run % 2 === 0 ? turns : turns.toReversed()
  }).flat()
}
