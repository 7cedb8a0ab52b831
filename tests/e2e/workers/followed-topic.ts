import { idOf, kafkaClient } from '@tributary/testkit'

/** A record of a topic with one partition, in the order of the topic. */
export interface Arrival {
  /** Of the row that the record is about. Rows are inserted in the order of their ids. */
  readonly id: number
  /** Which start of which worker has written it, according to its header; empty without one. */
  readonly run: string
  /** Since 1970. */
  readonly arrivedMs: number
}

/** The header with the name of the writer. */
export const RUN_HEADER = 'run'

/** How a topic deviates from the rows that were inserted in the order of their ids. */
export interface TopicAudit {
  readonly missing: readonly number[]
  /** Records beyond the first of each row. */
  readonly repeats: number
  /** How often a worker went on although another one had taken over. */
  readonly doubleWriters: readonly string[]
}

/** The ids of the rows on a topic with one partition, as they arrive. */
export class FollowedTopic implements AsyncDisposable {
  readonly arrivals: Arrival[] = []
  /** When each row arrived first, since 1970. */
  readonly #firstMs = new Map<number, number>()
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>

  constructor(bootstrapServers: readonly string[], topic: string) {
    this.#loop = this.#follow(bootstrapServers, topic)
    // Reported when it is disposed of.
    this.#loop.catch(() => undefined)
  }

  async #follow(bootstrapServers: readonly string[], topic: string): Promise<void> {
    const { signal } = this.#stop
    await using reader = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' }, signal)
    while (!signal.aborted) {
      for (const record of await reader.poll(signal)) {
        const id = idOf(record)
        const header = record.headers.find(({ key }) => key.toString() === RUN_HEADER)
        const arrivedMs = Date.now()
        this.arrivals.push({ id, run: header?.value?.toString() ?? '', arrivedMs })
        if (!this.#firstMs.has(id)) this.#firstMs.set(id, arrivedMs)
      }
    }
  }

  has(id: number): boolean {
    return this.#firstMs.has(id)
  }

  /** Undefined before its arrival. */
  firstMs(id: number): number | undefined {
    return this.#firstMs.get(id)
  }

  /** @param startsOf when the worker of that run has started the task, since 1970 */
  audit(last: number, startsOf: (run: string) => readonly number[]): TopicAudit {
    const missing = Array.from({ length: last }, (_, i) => i + 1).filter((id) => !this.has(id))
    const repeats = this.arrivals.length - this.#firstMs.size
    return { missing, repeats, doubleWriters: doubleWriters(byStart(this.arrivals, startsOf)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'StoppedError')) throw error
    })
  }
}

/**
 * With the start of the task as the writer, instead of the run of the worker: one that gets its task back from a worker
 * that has stored no offset goes on after its own last record, and may.
 */
export function byStart(
  arrivals: readonly Arrival[],
  startsOf: (run: string) => readonly number[],
): readonly Pick<Arrival, 'id' | 'run'>[] {
  const starts = new Map([...new Set(arrivals.map(({ run }) => run))].map((run) => [run, startsOf(run)]))
  return arrivals.map(({ id, run, arrivedMs }) => {
    const number = starts.get(run)?.filter((startMs) => startMs <= arrivedMs).length ?? 0
    return { id, run: `${run}, start ${number}` }
  })
}

/**
 * Where a task wrote on after its own last record, as if what another one has written in between did not exist: both
 * have read the binlog at the same time. One that takes over starts after what the other one has stored.
 *
 *     1a 2a 3b 4b 5a   a has taken over from b
 *     1a 2a 3b 4b 3a   a has not noticed b
 */
export function doubleWriters(arrivals: readonly Pick<Arrival, 'id' | 'run'>[]): readonly string[] {
  const lastIds = new Map<string, number>()
  const found: string[] = []
  let previous = ''
  for (const { id, run } of arrivals) {
    const last = lastIds.get(run)
    if (run !== previous && last !== undefined && id <= last + 1)
      found.push(`${run} wrote row ${id} after ${last}, and ${previous} in between`)
    previous = run
    lastIds.set(run, id)
  }
  return found
}
