import type { LogRecord } from '@tributary/kafka'
import { visibleText } from '@tributary/support'
import { isObject } from '@tributary/verify'
import { renderEvent } from '../events/render-event.ts'
import type { Palette } from '../terminal/palette.ts'
import { type Payload, PayloadReader, parsed } from './payload-reader.ts'
import { recordEvent } from './record-event.ts'

export interface EventPrinterOptions {
  /** Null: one JSON document on a line. */
  readonly palette: Palette | null
  readonly note: (text: string) => void
}

/** Prints the records of topics as `tributary tail` prints changes: in colour for people, or as JSON documents. */
export class EventPrinter {
  readonly #options: EventPrinterOptions
  readonly #values = new Map<string, PayloadReader>()
  readonly #keys = new Map<string, PayloadReader>()
  readonly #noted = new Set<string>()

  constructor(options: EventPrinterOptions) {
    this.#options = options
  }

  /** The printed text of a record; empty for a tombstone, and for what has no form. */
  print(record: LogRecord): string {
    const { topic, value } = record
    // The document of the delete before it has the row.
    if (value === null) return ''
    const payload = readerOf(this.#values, topic).read(value)
    if (payload === null) {
      this.#noteForm(topic)
      return ''
    }
    const { palette } = this.#options
    if (palette === null) return isStatement(payload) ? '' : `${payload.text}\n`
    const event = recordEvent(payload, this.#keyOf(record))
    // A transformation may have given it another form.
    return event === null ? `${visibleText(payload.text)}\n` : renderEvent(event, palette)
  }

  #keyOf({ topic, key }: LogRecord): Payload | null {
    return key === null ? null : readerOf(this.#keys, topic).read(key)
  }

  #noteForm(topic: string): void {
    if (this.#noted.has(topic)) return
    this.#noted.add(topic)
    this.#options.note(`records of the topic ${topic} are not JSON; they are not printed`)
  }
}

function readerOf(readers: Map<string, PayloadReader>, topic: string): PayloadReader {
  const known = readers.get(topic)
  if (known !== undefined) return known
  const reader = new PayloadReader()
  readers.set(topic, reader)
  return reader
}

/** Without the search, each document would be parsed. */
function isStatement({ text }: Payload): boolean {
  if (!text.includes('"ddl":')) return false
  const value = parsed(text)
  return isObject(value) && value['ddl'] !== undefined && value['op'] === undefined
}
