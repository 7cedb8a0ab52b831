import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { systemClock } from '@tributary/support'

export interface TimedRun {
  /** Until the first event is on standard output. */
  readonly seconds: number
  /** The largest sum of the resident memory of all its processes until then and for a second after. */
  readonly peakMb: number
}

export interface TimedCommand {
  readonly command: readonly [string, ...string[]]
  readonly environment: NodeJS.ProcessEnv
  readonly cwd: string
  /** Finds the first event in what was printed so far. */
  readonly event: RegExp
}

const SAMPLE_MS = 50
const AFTER_MS = 1_000

/** Starts a command, waits for its first event, and ends it with SIGINT. */
export async function timeCommand({ command, environment, cwd, event }: TimedCommand): Promise<TimedRun> {
  const [program, ...args] = command
  const start = performance.now()
  const child = spawn(program, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let [printed, errors, seconds, peakKb] = ['', '', 0, 0]
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const closed = once(child, 'close')
  const sample = (): void => {
    peakKb = Math.max(peakKb, treeKb(child.pid ?? 0))
    if (child.exitCode === null) systemClock.after(SAMPLE_MS, sample)
  }
  sample()
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
      if (seconds !== 0 || !event.test(printed)) return
      seconds = (performance.now() - start) / 1000
      systemClock.after(AFTER_MS, resolve)
    })
    void closed.then(() => reject(new Error(`no event: ${printed}${errors}`)))
  })
  // To its whole group, as a terminal sends it.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await closed
  return { seconds, peakMb: peakKb / 1024 }
}

/** Resident memory of a process and its descendants. */
function treeKb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const own = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children === '' ? own : own + children.split(' ').reduce((sum, each) => sum + treeKb(Number(each)), 0)
  } catch {
    // It has ended meanwhile.
    return 0
  }
}
