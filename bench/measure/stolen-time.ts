import { readFileSync } from 'node:fs'

/** What the processors did since the machine was started, in ticks of all of them together. */
interface Ticks {
  readonly all: number
  readonly stolen: number
}

/**
 * How much of the processors a hypervisor gave to other guests while something was measured: what a figure of a shared machine may be worse
 * by through no fault of what is measured. 0 where there is no hypervisor, or it does not say.
 */
export class StolenTime {
  readonly #begin: Ticks = ticksOf(readFileSync(FILE, 'utf8'))

  /** Since this was made, in percent of all processors. */
  share(): number {
    return stolenShare(this.#begin, ticksOf(readFileSync(FILE, 'utf8')))
  }
}

export function stolenShare(begin: Ticks, end: Ticks): number {
  const all = end.all - begin.all
  return all === 0 ? 0 : ((end.stolen - begin.stolen) / all) * 100
}

/** The first line of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of user and nice. */
export function ticksOf(stat: string): Ticks {
  const line = stat.slice(0, stat.indexOf('\n'))
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
}

const FILE = '/proc/stat'
