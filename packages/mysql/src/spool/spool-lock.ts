import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
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
  readonly host: string
  readonly pid: number
}

/** The owner shows so often that it lives. */
const TOUCH_MS = 5_000
/** An owner that did not for so long is gone: the machine may have been busy for a while. */
const STALE_MS = 30_000

/**
 * A file that exists as long as a task uses a folder. Node has no locks of files, so the owner renews the time of the
 * file. That of a process which was killed is taken over at once on the same host, otherwise when it is old.
 */
export class SpoolLock implements Disposable {
  readonly #path: string
  readonly #clock: Clock
  #timer: Timer | null = null

  private constructor({ folder, clock }: SpoolLockOptions) {
    this.#path = join(folder, 'lock')
    this.#clock = clock
  }

  /** @throws SpoolLockedError; the error of the file system */
  static take(options: SpoolLockOptions): SpoolLock {
    const lock = new SpoolLock(options)
    for (let tries = 0; ; tries++) {
      try {
        lock.#create()
        lock.#touchLater()
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
      const owner: Owner = { host: hostname(), pid: process.pid }
      writeSync(file, JSON.stringify(owner))
    } finally {
      closeSync(file)
    }
  }

  #requireStale(): void {
    const owner = readOwner(this.#path)
    if (owner !== null && owner.host === hostname() && owner.pid !== process.pid && !isAlive(owner.pid)) return
    const modified = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const ageMs = this.#clock.now() - modified
    if (ageMs > STALE_MS) return
    const whose = owner === null ? 'unknown' : `process ${owner.pid} on ${owner.host}`
    throw new SpoolLockedError(`another task uses it (${whose}; ${this.#path})`)
  }

  #touchLater(): void {
    this.#timer = this.#clock.after(TOUCH_MS, () => {
      const seconds = this.#clock.now() / 1000
      try {
        utimesSync(this.#path, seconds, seconds)
      } catch {
        // A folder that was removed, or a disk with an error: writing to the spool reports it.
      }
      this.#touchLater()
    })
  }

  [Symbol.dispose](): void {
    if (this.#timer === null) return
    this.#timer.cancel()
    this.#timer = null
    rmSync(this.#path, { force: true })
  }
}

function readOwner(path: string): Owner | null {
  try {
    const { host, pid } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>
    return typeof host === 'string' && typeof pid === 'number' ? { host, pid } : null
  } catch {
    return null
  }
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
