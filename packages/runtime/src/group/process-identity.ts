import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Identifies a process among all machines: a process id means something only within its namespace, until the machine
 * boots again, and for the process that started at that time.
 */
export interface ProcessIdentity {
  readonly host: string
  readonly bootId: string
  readonly pidNamespace: string
  readonly pid: number
  /** In clock ticks since the boot. */
  readonly startTime: string
}

/** Of this process. Null on systems other than Linux, and where `/proc` does not contain it. */
export function ownProcess(): ProcessIdentity | null {
  try {
    const startTime = statOf(process.pid)?.startTime
    if (startTime === undefined) return null
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { host: hostname(), bootId, pidNamespace: readlinkSync('/proc/self/ns/pid'), pid: process.pid, startTime }
  } catch {
    return null
  }
}

/**
 * Whether a process runs. `unknown` for one that this process cannot see: on another machine, in another container.
 * `ended` is certain; a worker removes the membership of such a process.
 */
export function processState(identity: ProcessIdentity, own: ProcessIdentity | null): 'running' | 'ended' | 'unknown' {
  if (own === null || identity.host !== own.host) return 'unknown'
  if (identity.bootId !== own.bootId || identity.pidNamespace !== own.pidNamespace) return 'unknown'
  // `/proc` may hide the processes of other users; only the error of kill proves that no process has this id.
  if (!hasProcess(identity.pid)) return 'ended'
  const stat = statOf(identity.pid)
  if (stat === null) return 'unknown'
  return stat.startTime === identity.startTime && !ENDED_STATES.has(stat.state) ? 'running' : 'ended'
}

function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** A zombie has ended, and its parent has not asked for its exit code yet. */
const ENDED_STATES: ReadonlySet<string> = new Set(['Z', 'X'])

/*
 * proc_pid_stat(5): pid (comm) state ppid … starttime (the 22nd field) …. The command may contain spaces and brackets.
 */
function statOf(pid: number): { readonly state: string; readonly startTime: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state, startTime] = [fields[0], fields[START_TIME]]
    return state === undefined || startTime === undefined ? null : { state, startTime }
  } catch {
    return null
  }
}

/** Index of the start time in the fields after the command. */
const START_TIME = 19
