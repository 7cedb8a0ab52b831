import { readFileSync } from 'node:fs'

/** Processor time since the start of the machine, in ticks of all processors together. */
interface Ticks {
  readonly all: number
  readonly stolen: number
}

/**
 * Measures the share of processor time that the hypervisor gave to other guests. On a shared machine, figures may be
 * worse by this share, whatever is measured. 0 without a hypervisor, or when it does not report stolen time.
 */
export class StolenTime {
  readonly #begin: Ticks = ticksOf(readFileSync(FILE, 'utf8'))

  /** The stolen share since this object was created, in percent of all processors. */
  share(): number {
    return stolenShare(this.#begin, ticksOf(readFileSync(FILE, 'utf8')))
  }
}

export function stolenShare(begin: Ticks, end: Ticks): number {
  const all = end.all - begin.all
  return all === 0 ? 0 : ((end.stolen - begin.stolen) / all) * 100
}

/**
 * Parses the first line of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal. The last
 * two fields are ignored, because user and nice include them.
 */
export function ticksOf(stat: string): Ticks {
  const line = stat.slice(0, stat.indexOf('\n'))
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
}

const FILE = '/proc/stat'
