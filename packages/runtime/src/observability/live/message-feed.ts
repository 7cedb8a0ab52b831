/** Distributes messages, as JSON texts, to everybody who listens. */
export class MessageFeed {
  readonly #listeners = new Set<(json: string) => void>()

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Calls `onMessage` with each message until the returned function is called. */
  listen(onMessage: (json: string) => void): () => void {
    this.#listeners.add(onMessage)
    return () => this.#listeners.delete(onMessage)
  }

  send(json: string): void {
    for (const onMessage of this.#listeners) onMessage(json)
  }
}
