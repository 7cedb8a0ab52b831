import { systemClock } from '@tributary/support'
import type { FaultCase } from './fault-case.ts'
import { type CaseResult, type CaseSurroundings, runCase } from './run-case.ts'

export interface MatrixReport {
  readonly cases: number
  readonly byKind: Readonly<Record<string, number>>
  readonly defects: readonly string[]
  readonly hangs: number
  readonly crashes: number
  /** Largest resident memory while the cases ran, and at the start, in MiB. */
  readonly memory: { readonly before: number; readonly peak: number }
}

/** Runs the cases, several at the same time. An exception that nobody catches, and output of a library, are defects. */
export async function runMatrix(
  cases: readonly FaultCase[],
  surroundings: (each: FaultCase) => CaseSurroundings,
  onResult: (each: FaultCase, result: CaseResult) => void = () => undefined,
): Promise<MatrixReport> {
  const byKind: Record<string, number> = {}
  const defects: string[] = []
  let [hangs, crashes] = [0, 0]
  const onCrash = (error: unknown): void => {
    crashes += 1
    defects.push(`nobody caught: ${error instanceof Error ? error.stack : String(error)}`)
  }
  const onWarning = ({ message }: Error): void => void defects.push(`a warning of the process: ${message}`)
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash).on('warning', onWarning)
  const restore = watchConsole((text) => defects.push(`written to the console: ${text}`))
  const memory = watchMemory()
  const waiting = cases.values()
  const work = async (): Promise<void> => {
    for (const each of waiting) {
      const result = await inTime(runCase(each, surroundings(each)))
      byKind[each.kind] = (byKind[each.kind] ?? 0) + 1
      if (result.ended === 'hung') hangs += 1
      if (result.defect !== null)
        defects.push(`${each.flavor}, ${each.entry}, ${each.kind}, ${each.name}: ${result.defect}`)
      onResult(each, result)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  restore()
  process.off('uncaughtException', onCrash).off('unhandledRejection', onCrash).off('warning', onWarning)
  return { cases: cases.length, byKind, defects, hangs, crashes, memory: memory.stop() }
}

/** A case has a deadline of its own, which the code that it tests may ignore. */
async function inTime(running: Promise<CaseResult>): Promise<CaseResult> {
  const late = new AbortController()
  const isLate = systemClock.sleep(CASE_MS_MAX, late.signal).then((): CaseResult => HUNG)
  try {
    return await Promise.race([running, isLate])
  } finally {
    late.abort()
    isLate.catch(() => undefined)
  }
}

const CASE_MS_MAX = 45_000
const HUNG: CaseResult = { ended: 'hung', texts: [], defect: 'it hangs, and ignores its deadline' }

/** Nearly all of them wait. */
const AT_ONCE = 16

function watchConsole(onText: (text: string) => void): () => void {
  const { error, warn, log } = console
  const note = (...parts: readonly unknown[]): void => onText(parts.map(String).join(' '))
  Object.assign(console, { error: note, warn: note, log: note })
  return () => Object.assign(console, { error, warn, log })
}

function watchMemory(): { stop(): MatrixReport['memory'] } {
  const now = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20)
  const before = now()
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, now())), 20)
  return {
    stop: () => {
      clearInterval(timer)
      return { before, peak: Math.max(peak, now()) }
    },
  }
}
