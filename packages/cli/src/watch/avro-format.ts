import type { AvroReader } from '@tributary/converters'
import type { LogRecord } from '@tributary/kafka'
import type { RecordFormat } from './record-format.ts'

/** Decodes Avro keys and values to JSON, and passes the record on to another format. */
export class AvroFormat implements RecordFormat {
  readonly #inner: RecordFormat
  readonly #keys: AvroReader
  readonly #values: AvroReader

  constructor(inner: RecordFormat, keys: AvroReader, values: AvroReader) {
    this.#inner = inner
    this.#keys = keys
    this.#values = values
  }

  async loadSchemas(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    await this.#keys.loadSchemas(
      records.map(({ key }) => key),
      signal,
    )
    await this.#values.loadSchemas(
      records.map(({ value }) => value),
      signal,
    )
  }

  format(record: LogRecord): Buffer {
    const key = bytesOr(this.#keys.read(record.key), record.key)
    return this.#inner.format({ ...record, key, value: bytesOr(this.#values.read(record.value), record.value) })
  }
}

function bytesOr(text: string | null, bytes: Buffer | null): Buffer | null {
  return text === null ? bytes : Buffer.from(text)
}
