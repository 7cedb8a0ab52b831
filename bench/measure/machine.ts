import { cpus, release, totalmem } from 'node:os'

/** The machine of a run, without which its figures have no meaning. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryMb: number
  readonly system: string
  readonly node: string
  /** The load average of the minute before the run. */
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
