import { cpus, release, totalmem } from 'node:os'

/** Where and on what figures were taken: without it they say nothing. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryMb: number
  readonly system: string
  readonly node: string
  /** Processes that ran or waited in the last minute when the figures were begun. */
  readonly load: number
}

export function describeMachine(load: number): Machine {
  const processors = cpus()
  return {
    processor: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryMb: Math.round(totalmem() / 2 ** 20),
    system: `Linux ${release()}`,
    node: process.version,
    load,
  }
}
