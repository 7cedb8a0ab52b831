/**
 * Remembers the new names of topics. A connector writes to few topics, but a name may derive from data, so the memory is
 * limited.
 */
export class TopicMemo {
  readonly #rename: (topic: string) => string
  #known = new Map<string, string>()
  #lastTopic = ''
  #last: string | null = null

  constructor(rename: (topic: string) => string) {
    this.#rename = rename
  }

  of(topic: string): string {
    if (topic === this.#lastTopic && this.#last !== null) return this.#last
    let renamed = this.#known.get(topic)
    if (renamed === undefined) {
      renamed = this.#rename(topic)
      if (this.#known.size >= TOPICS_MAX) this.#known = new Map()
      this.#known.set(topic, renamed)
    }
    this.#lastTopic = topic
    this.#last = renamed
    return renamed
  }
}

/** As many tables as large connectors capture; a topic takes about 200 bytes. */
const TOPICS_MAX = 10_000
