import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '@tributary/support'

export interface SpoolLockOptions {
  readonly folder: string
  readonly clock: Clock
}

/** Another task uses the folder, or did until a moment ago. */
export class SpoolLockedError extends Error {
  override readonly name: string = 'SpoolLockedError'
}

interface Owner {
  /** Identifies this lock. */
  readonly token: string
  /** The PID namespace and boot in which `pid` and `started` are valid; null: unknown. */
  readonly host: string | null
  readonly pid: number
  /** The start time of the process, which distinguishes it from a later one with the same pid; null: unknown. */
  readonly started: string | null
  /** How many times the owner has rewritten the file. */
  readonly beats: number
}

/** The interval at which the owner rewrites the file. */
const BEAT_MS = 3_000
/** After this time without a beat the owner counts as ended. Long, because a busy machine may delay beats. */
const STALE_MS = 30_000

/** Locks of other processes, by path: their last content, and when this process first saw it, by its own clock. */
const seen = new Map<string, { readonly text: string; readonly sinceMs: number }>()

/**
 * A file that exists as long as a task uses a folder. Node has no file locks, so the owner rewrites the file every 3 s
 * (a beat). Another process takes over the lock at once if the owner has certainly ended, which it can only see in the
 * same PID namespace and since the same boot. Otherwise it takes over the lock after 30 s without a change. It measures
 * that time by its own clock, because the clocks of two machines differ.
 *
 * An owner that was suspended for longer finds another token: it has lost the folder (`isLost`).
 */
export class SpoolLock implements Disposable {
  readonly #path: string
  readonly #clock: Clock
  readonly #owner: Omit<Owner, 'beats'>
  #beats = 0
  #timer: Timer | null = null

  private constructor({ folder, clock }: SpoolLockOptions) {
    this.#path = join(folder, 'lock')
    this.#clock = clock
    this.#owner = { token: randomUUID(), host: hostOfProcesses(), pid: process.pid, started: startOf(process.pid) }
  }

  /** @throws SpoolLockedError; the error of the file system */
  static take(options: SpoolLockOptions): SpoolLock {
    const lock = new SpoolLock(options)
    for (let tries = 0; ; tries++) {
      try {
        lock.#create()
        lock.#beatLater()
        return lock
      } catch (error) {
        if (!isCode(error, 'EEXIST') || tries === 1) throw error
        lock.#requireStale()
        rmSync(lock.#path, { force: true })
      }
    }
  }

  #create(): void {
    const file = openSync(this.#path, 'wx', 0o600)
    try {
      writeSync(file, this.#text)
    } finally {
      closeSync(file)
    }
  }

  get #text(): string {
    return JSON.stringify({ ...this.#owner, beats: this.#beats })
  }

  #requireStale(): void {
    const text = readText(this.#path)
    const owner = text === null ? null : parseOwner(text)
    if (owner !== null && this.#hasEnded(owner)) return
    const nowMs = this.#clock.monotonicMs()
    const before = seen.get(this.#path)
    const isSame = before !== undefined && before.text === text
    if (isSame && nowMs - before.sinceMs >= STALE_MS) {
      seen.delete(this.#path)
      return
    }
    if (!isSame) seen.set(this.#path, { text: text ?? '', sinceMs: nowMs })
    const whose = owner === null ? 'unknown' : `process ${owner.pid}`
    throw new SpoolLockedError(
      `another task uses it (${whose}; ${this.#path}), or has ended less than ${STALE_MS / 1000} s ago`,
    )
  }

  /** Whether the owner has certainly ended: in this PID namespace no process has its pid, or only a later one. */
  #hasEnded({ host, pid, started }: Owner): boolean {
    if (host === null || host !== this.#owner.host) return false
    if (!isAlive(pid)) return true
    return started !== null && startOf(pid) !== null && startOf(pid) !== started
  }

  /** Whether another task has taken over the folder: this one must not write there any more. */
  get isLost(): boolean {
    const text = readText(this.#path)
    return text !== null && parseOwner(text)?.token !== this.#owner.token
  }

  #beatLater(): void {
    this.#timer = this.#clock.after(BEAT_MS, () => {
      this.#beats += 1
      try {
        if (!this.isLost) this.#write()
      } catch {
        // The folder was removed, or the disk has an error: the next write to the spool reports it.
      }
      this.#beatLater()
    })
  }

  /** Writes the file in one step, so that a reader never sees a part of it. */
  #write(): void {
    const path = `${this.#path}.${this.#owner.token}`
    writeFileSync(path, this.#text, { mode: 0o600 })
    renameSync(path, this.#path)
  }

  [Symbol.dispose](): void {
    if (this.#timer === null) return
    this.#timer.cancel()
    this.#timer = null
    if (!this.isLost) rmSync(this.#path, { force: true })
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function parseOwner(text: string): Owner | null {
  try {
    const { token, host = null, pid, started = null, beats } = JSON.parse(text) as Partial<Owner>
    if (typeof token !== 'string' || typeof pid !== 'number' || typeof beats !== 'number') return null
    return { token, host, pid, started, beats }
  } catch {
    return null
  }
}

/** Identifies the boot and the PID namespace of this process; null on systems without `/proc`. */
function hostOfProcesses(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** The start time of a process: field 22 of its `stat`, counted after the name, which may contain spaces. */
function startOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists, too.
    return !isCode(error, 'ESRCH')
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
