import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export interface ProfileEntry {
  readonly what: string
  /** Share of the time in which the thread was not idle. */
  readonly share: number
}

/** Returns the functions with the most self time in the busiest thread of the profiles in a folder. */
export function largestEntries(folder: string, count: number): readonly ProfileEntry[] {
  const threads = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => selfTimes(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile))
  const busiest = threads.toSorted((a, b) => total(b) - total(a))[0] ?? new Map<string, number>()
  const all = total(busiest)
  return [...busiest]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([what, time]) => ({ what, share: time / all }))
}

function selfTimes({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const place = url === '' ? '' : ` ${url.replace(/^.*\//, '')}:${lineNumber + 1}`
      return [id, `${functionName === '' ? '(anonymous)' : functionName}${place}`]
    }),
  )
  const times = new Map<string, number>()
  for (const [i, sample] of samples.entries()) {
    const name = names.get(sample) ?? ''
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + (timeDeltas[i] ?? 0))
  }
  return times
}

function total(times: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const time of times.values()) sum += time
  return sum
}
