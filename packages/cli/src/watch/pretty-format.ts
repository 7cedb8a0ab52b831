import type { LogRecord } from '@tributary/kafka'
import { visibleText } from '@tributary/support'
import { layOutJson } from './json-layout.ts'
import type { Palette } from '../terminal/palette.ts'
import type { RecordFormat } from './record-format.ts'
import { formOf, NULL_KEY, Tombstones } from './record-part.ts'

/** The format for people: a line with the record's position, then the indented and coloured documents. */
export class PrettyFormat implements RecordFormat {
  readonly #withKeys: boolean
  readonly #palette: Palette
  readonly #tombstones = new Tombstones()

  constructor(withKeys: boolean, palette: Palette) {
    this.#withKeys = withKeys
    this.#palette = palette
  }

  format({ partition, offset, key, value }: LogRecord): Buffer {
    const { aside } = this.#palette
    const lines = [aside(`── partition ${partition}, offset ${offset}${value === null ? ', tombstone' : ''}`)]
    if (this.#withKeys) lines.push(this.#part(key, NULL_KEY))
    if (value !== null) this.#tombstones.observe(value)
    lines.push(this.#part(value, this.#tombstones.text))
    return Buffer.from(`${lines.join('\n')}\n`)
  }

  #part(bytes: Buffer | null, nullText: string): string {
    const { aside } = this.#palette
    if (bytes === null) return layOutJson(nullText, this.#palette)
    switch (formOf(bytes)) {
      case 'json':
        return layOutJson(bytes.toString(), this.#palette)
      case 'text':
        return `${visibleText(bytes.toString())} ${aside('(text, not JSON)')}`
      case 'binary':
        return `${bytes.toString('base64')} ${aside(`(${bytes.length} bytes, not UTF-8 text, in base64)`)}`
    }
  }
}
