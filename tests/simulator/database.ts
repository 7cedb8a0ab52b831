import { defineErrors, StoppedError } from '@tributary/support'
import type { Network } from './network.ts'
import { Domain, type Scheduler } from './scheduler.ts'

const databaseErrors = defineErrors({
  DATABASE_LOST: { message: 'The connection to the simulated database was lost.', action: '', retriable: true },
  DATABASE_PURGED: { message: 'Change {number} of {source} is no longer in the binlog.', action: '' },
})

/** How long a read waits for a change. */
const READ_WAIT_MS = 2_000

/** A binlog of numbered changes, the first of them 1. */
export interface Binlog {
  committed: number
  /** Changes up to this one are removed. */
  purged: number
}

/**
 * A database server with a binlog for each source. It restarts and fails over, which ends all sessions, and removes the
 * beginning of binlogs.
 */
export class Database {
  readonly #scheduler: Scheduler
  readonly #network: Network
  readonly #domain: Domain
  readonly #binlogs = new Map<string, Binlog>()
  readonly #sessions = new Set<Session>()
  #upAtMs = 0

  constructor(scheduler: Scheduler, network: Network) {
    this.#scheduler = scheduler
    this.#network = network
    this.#domain = new Domain(scheduler, 'database')
  }

  binlog(source: string): Binlog {
    let binlog = this.#binlogs.get(source)
    if (binlog === undefined) {
      binlog = { committed: 0, purged: 0 }
      this.#binlogs.set(source, binlog)
    }
    return binlog
  }

  get sources(): readonly string[] {
    return [...this.#binlogs.keys()]
  }

  get isUp(): boolean {
    return this.#scheduler.nowMs >= this.#upAtMs
  }

  commit(source: string, count: number): void {
    this.binlog(source).committed += count
    for (const session of this.#sessions) session.wake(source)
  }

  purge(source: string, upTo: number): void {
    const binlog = this.binlog(source)
    binlog.purged = Math.max(binlog.purged, Math.min(upTo, binlog.committed))
  }

  /** Ends all sessions; new ones are refused for a while. */
  restart(downMs: number): void {
    this.#upAtMs = Math.max(this.#upAtMs, this.#scheduler.nowMs + downMs)
    for (const session of this.#sessions) session.lose()
  }

  /** Ends the sessions of a process. */
  cut(domain: Domain): void {
    for (const session of this.#sessions) if (session.domain.process === domain.process) session.lose()
  }

  connect(domain: Domain, signal: AbortSignal): Promise<Session> {
    const session = new Session(
      domain,
      (run) => this.#send(domain, run),
      (run) => this.#reply(domain, run),
    )
    return session.ask(signal, (answer) => {
      if (!this.isUp) return answer(databaseErrors.DATABASE_LOST({}))
      this.#sessions.add(session)
      session.onEnd(() => this.#sessions.delete(session))
      return answer(session)
    })
  }

  /** Reads up to `max` changes after a number; waits for the first one. Returns the number of the last. */
  read(session: Session, source: string, after: number, options: ReadOptions): Promise<number> {
    const { max, signal } = options
    return session.ask(signal, (answer) => {
      if (!this.#sessions.has(session)) return answer(databaseErrors.DATABASE_LOST({}))
      const binlog = this.binlog(source)
      if (after < binlog.purged) return answer(databaseErrors.DATABASE_PURGED({ number: after + 1, source }))
      const look = (): void => {
        timer.cancel()
        answer(Math.min(binlog.committed, after + max))
      }
      const timer = this.#scheduler.after(READ_WAIT_MS, this.#domain, look)
      if (binlog.committed > after) look()
      else session.onWake(source, look)
    })
  }

  /** Runs at the server when the bytes arrive. */
  #send(domain: Domain, run: () => void): void {
    const atMs = this.#network.leavesMs(domain) + this.#network.delay()
    this.#scheduler.at(atMs, this.#domain, run)
  }

  #reply(domain: Domain, run: () => void): void {
    this.#scheduler.after(this.#network.delay(), domain, run)
  }
}

export interface ReadOptions {
  readonly max: number
  readonly signal: AbortSignal
}

/** A session of a client at the database, one request at a time. */
export class Session {
  readonly domain: Domain
  readonly #send: (run: () => void) => void
  readonly #reply: (run: () => void) => void
  readonly #onEnd: (() => void)[] = []
  #onLost: (() => void) | null = null
  #wake: { readonly source: string; readonly run: () => void } | null = null
  #isLost = false

  constructor(domain: Domain, send: (run: () => void) => void, reply: (run: () => void) => void) {
    this.domain = domain
    this.#send = send
    this.#reply = reply
  }

  ask<T>(signal: AbortSignal, serve: (answer: (result: T | Error) => void) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (signal.aborted) return reject(new StoppedError())
      const onAbort = (): void => settle(new StoppedError())
      signal.addEventListener('abort', onAbort, { once: true })
      const settle = (result: T | Error): void => {
        signal.removeEventListener('abort', onAbort)
        if (this.#onLost === onLost) this.#onLost = null
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
      const onLost = (): void => this.#reply(() => settle(databaseErrors.DATABASE_LOST({})))
      if (this.#isLost) return onLost()
      this.#onLost = onLost
      return this.#send(() => {
        if (!this.#isLost) serve((result) => this.#reply(() => settle(result)))
      })
    })
  }

  onEnd(run: () => void): void {
    this.#onEnd.push(run)
  }

  onWake(source: string, run: () => void): void {
    this.#wake = { source, run }
  }

  wake(source: string): void {
    const wake = this.#wake
    if (wake?.source !== source) return
    this.#wake = null
    wake.run()
  }

  /** The server has ended it. */
  lose(): void {
    this.#isLost = true
    this.#wake = null
    this.#onLost?.()
    this.close()
  }

  close(): void {
    for (const run of this.#onEnd.splice(0)) run()
  }
}
