import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { type Clock, describeError, doneOr, StoppedError, withTimeout } from '@tributary/support'
import type { ReplicaHost } from '../config/limit-keys.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'

export interface LoadWatchOptions {
  readonly connection: MySqlConnectionOptions
  readonly flavor: Pick<Flavor, 'statements'>
  readonly serverInfo: ServerInfo
  /** 0: no limit. */
  readonly runningThreadsMax: number
  readonly replicas: readonly ReplicaHost[]
  readonly replicaLagMaxMs: number
  readonly clock: Clock
}

/** Why nothing more should be read. */
export interface LoadReason {
  readonly kind: 'threads' | 'replica'
  /** For people. */
  readonly reason: string
  /** The address of a replica whose lag is not known; absent: it is, or it is not about a replica. */
  readonly unknown?: string
}

/**
 * Looks at the load of the source and the lag of its replicas, each second while it is asked, on connections of its own
 * and beside the reader: nobody waits for a slow server.
 */
export class LoadWatch implements AsyncDisposable {
  readonly #options: LoadWatchOptions
  readonly #stop = new AbortController()
  readonly #connections = new Map<string, MySqlConnection>()
  #work: Promise<void> | null = null
  #nextMs = 0
  /** Of the last look; null: there was none lately. */
  #reasons: readonly LoadReason[] | null = null
  #lookedMs = 0

  constructor(options: LoadWatchOptions) {
    this.#options = options
  }

  /** Why nothing more should be read now, as of the last look; empty: it may. Null: nobody knows yet. */
  look(): readonly LoadReason[] | null {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.#work === null && nowMs >= this.#nextMs && !this.#stop.signal.aborted) {
      this.#nextMs = nowMs + INTERVAL_MS
      this.#work = this.#run().finally(() => {
        this.#work = null
      })
    }
    return nowMs - this.#lookedMs < STALE_MS ? this.#reasons : null
  }

  /** Resolves when the look that is in progress has ended. */
  async looked(signal: AbortSignal): Promise<void> {
    if (this.#work !== null) await doneOr(this.#work, signal)
  }

  async #run(): Promise<void> {
    const { runningThreadsMax, replicas } = this.#options
    const [threads, ...lags] = await Promise.all([
      runningThreadsMax === 0 ? null : this.#threads(runningThreadsMax),
      ...replicas.map((each) => this.#lag(each)),
    ])
    const reasons = [threads ?? null, ...lags]
    this.#reasons = reasons.filter((each) => each !== null)
    this.#lookedMs = this.#options.clock.monotonicMs()
  }

  async #threads(limit: number): Promise<LoadReason | null> {
    const { connection } = this.#options
    try {
      const [row] = await this.#ask('source', connection, "SHOW GLOBAL STATUS LIKE 'Threads_running'")
      const threads = Number(row?.['Value'])
      return threads > limit ? { kind: 'threads', reason: `${threads} running threads, limit ${limit}` } : null
    } catch (error) {
      return { kind: 'threads', reason: `the number of running threads cannot be read (${describeError(error)})` }
    }
  }

  async #lag(replica: ReplicaHost): Promise<LoadReason | null> {
    const { connection, flavor, serverInfo, replicaLagMaxMs } = this.#options
    const name = `${replica.host}:${replica.port}`
    const unknown = (reason: string): LoadReason => ({ kind: 'replica', reason, unknown: name })
    try {
      const rows = await this.#ask(name, { ...connection, ...replica }, flavor.statements(serverInfo).replicaStatus)
      if (rows.length === 0) return unknown(`${name} is no replica; correct snapshot.replica.hosts`)
      // One for each source that it has.
      const lags = rows.map((row) => row['Seconds_Behind_Source'] ?? row['Seconds_Behind_Master'] ?? null)
      if (lags.includes(null))
        return unknown(`the replica ${name} does not replicate; start it, or remove it from snapshot.replica.hosts`)
      const lag = Math.max(...lags.map(Number))
      if (lag * 1_000 <= replicaLagMaxMs) return null
      return { kind: 'replica', reason: `the replica ${name} lags by ${lag} s, limit ${replicaLagMaxMs / 1_000} s` }
    } catch (error) {
      return unknown(
        `the replica ${name} cannot be asked (${describeError(error)}); remove it from snapshot.replica.hosts if it need not be spared`,
      )
    }
  }

  /** @param key names what is asked: the source may be listed as a replica too */
  async #ask(
    key: string,
    options: MySqlConnectionOptions,
    statement: string,
  ): Promise<readonly Readonly<Record<string, string | null>>[]> {
    const { clock } = this.#options
    try {
      return await withTimeout(
        clock,
        LIMIT_MS,
        async (signal) => {
          let connection = this.#connections.get(key)
          if (connection === undefined) {
            connection = await MySqlConnection.open(options, signal)
            this.#connections.set(key, connection)
          }
          return connection.queryByName(statement, 'looking at the load of the server', { signal })
        },
        this.#stop.signal,
      )
    } catch (error) {
      await this.#connections.get(key)?.close()
      this.#connections.delete(key)
      if (error instanceof StoppedError)
        throw new Error(`it has not answered within ${LIMIT_MS / 1_000} s`, { cause: error })
      throw error
    }
  }

  /** Closes its connections. The next `look` opens them again. */
  async rest(): Promise<void> {
    while (this.#work !== null) await this.#work
    const open = [...this.#connections.values()]
    this.#connections.clear()
    for (const connection of open) await connection.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.rest()
  }
}

const INTERVAL_MS = 1_000
/** Longer than a look takes, and the time to the next one. */
const STALE_MS = 10_000
/** A server that takes longer for its status is busy. */
const LIMIT_MS = 5_000
