import type { System } from '../systems/system.ts'

export interface Turn {
  readonly system: System
  /** From 0 on. */
  readonly run: number
}

/** Whose turn it is: A B, B A, A B, …, so that what the machine does meanwhile falls on all alike. */
export function interleaved(systems: readonly System[], runs: number): readonly Turn[] {
  return Array.from({ length: runs }, (_, run) => {
    const turns = systems.map((system) => ({ system, run }))
    return run % 2 === 0 ? turns : turns.toReversed()
  }).flat()
}
