import type { Converter, ConnectValue, Schema, SourceRecord } from '@tributary/connect-api'
import type { RecordHeader } from '@tributary/kafka'
import { assert, ByteWriter } from '@tributary/support'
import { RecordHeaders } from '../task/record-headers.ts'
import { recordFailure, type FailedStage } from '../task/record-failure.ts'
import type { TaskConverters } from '../task/task-plugins.ts'

export interface EncodedShadow {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]
}

/** Turns records into bytes that the caller may keep. Each record has buffers of its own: a rehearsal is no hot path. */
export class ShadowEncoder {
  readonly #converters: TaskConverters
  readonly #headers: RecordHeaders

  /** The converters must not need a registry: a rehearsal registers nothing. */
  constructor(converters: TaskConverters) {
    for (const converter of [converters.keyConverter, converters.valueConverter]) {
      assert(converter.register === undefined, 'a converter of a rehearsal registers nothing')
    }
    this.#converters = converters
    this.#headers = new RecordHeaders(converters.headerConverter)
  }

  /** @throws RECORD_FAILED when a value does not fit its schema */
  encode(record: SourceRecord): EncodedShadow {
    const { keyConverter, valueConverter } = this.#converters
    const { topic, keySchema, valueSchema } = record
    let stage: FailedStage = 'KEY_CONVERTER'
    try {
      const key = bytesOf(keyConverter, topic, keySchema, record.key)
      stage = 'VALUE_CONVERTER'
      const value = bytesOf(valueConverter, topic, valueSchema, record.value)
      stage = 'HEADER_CONVERTER'
      return { key, value, headers: this.#headers.encode(record.headers, [], []).list() }
    } catch (error) {
      throw recordFailure(record, { stage }, error)
    }
  }
}

function bytesOf(converter: Converter, topic: string, schema: Schema | null, value: ConnectValue): Buffer | null {
  const encoder = converter.encoderFor(schema, topic)
  const out = new ByteWriter(Buffer.alloc(BUFFER_BYTES))
  if (!encoder.write(value, out)) return null
  return Buffer.concat([encoder.prefix, out.bytes.subarray(0, out.position)])
}

const BUFFER_BYTES = 1024
