import { MessageFeed } from './message-feed.ts'

/** Enough for the start of a worker and some minutes of trouble. */
const LINES_MAX = 2_000
/** Of all lines together; traces are long. */
const CHARACTERS_MAX = 2 * 2 ** 20

/**
 * The last lines of the log of all threads, for the page. They are JSON documents, as `createLogger` writes them: secrets
 * are masked, and control characters escaped.
 */
export class LogTail {
  readonly #lines: string[] = []
  readonly #feed = new MessageFeed()
  #characters = 0

  /** Adds a line, with or without the line end. */
  add(line: string): void {
    const text = line.trimEnd()
    this.#lines.push(text)
    this.#characters += text.length
    while (this.#lines.length > LINES_MAX || this.#characters > CHARACTERS_MAX) {
      this.#characters -= this.#lines.shift()?.length ?? 0
    }
    if (this.#feed.hasListeners) this.#feed.send(`{"tag":"line","line":${text}}`)
  }

  /** The first message of a stream: a `LogStart` as JSON. */
  start(): string {
    return `{"tag":"start","lines":[${this.#lines.join(',')}]}`
  }

  listen(onMessage: (json: string) => void): () => void {
    return this.#feed.listen(onMessage)
  }
}
