import { idOf, kafkaClient } from '@tributary/testkit'

/** How a topic deviates from the rows that were inserted in the order of their ids. */
export interface TopicAudit {
  readonly missing: readonly number[]
  /** Records beyond the first of each row. */
  readonly repeats: number
  /** How often the ids went back. A task that starts from its stored offset goes back once. */
  readonly rewinds: number
}

/** The ids of the rows on a topic with one partition, as they arrive. */
export class FollowedTopic implements AsyncDisposable {
  readonly ids: number[] = []
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>

  constructor(bootstrapServers: readonly string[], topic: string) {
    this.#loop = this.#follow(bootstrapServers, topic)
    // Reported when it is disposed of.
    this.#loop.catch(() => undefined)
  }

  async #follow(bootstrapServers: readonly string[], topic: string): Promise<void> {
    const { signal } = this.#stop
    await using reader = await kafkaClient(bootstrapServers).reader({ topic, from: 'earliest' }, signal)
    while (!signal.aborted) {
      for (const record of await reader.poll(signal)) this.ids.push(idOf(record))
    }
  }

  audit(last: number): TopicAudit {
    const seen = new Set(this.ids)
    const missing = Array.from({ length: last }, (_, i) => i + 1).filter((id) => !seen.has(id))
    const rewinds = this.ids.filter((id, i) => i > 0 && id <= (this.ids[i - 1] ?? 0)).length
    return { missing, repeats: this.ids.length - seen.size, rewinds }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'StoppedError')) throw error
    })
  }
}
