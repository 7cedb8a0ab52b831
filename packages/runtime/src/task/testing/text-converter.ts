import type { Converter, HeaderConverter, Schema, ValueEncoder } from '@tributary/connect-api'
import { assert } from '@tributary/support'

/** Bytes of a value are `prefix` and its text; null is Kafka's null; the text `unfit` cannot be converted. */
export class TextConverter implements Converter {
  /** Schemas that an encoder was asked for, in order. */
  readonly asked: (Schema | null)[] = []
  readonly #prefix: Buffer

  constructor(prefix = '') {
    this.#prefix = Buffer.from(prefix)
  }

  configure(): void {
    // It has no options.
  }

  encoderFor(schema: Schema | null): ValueEncoder {
    this.asked.push(schema)
    return {
      prefix: this.#prefix,
      write: (value, out) => {
        if (value === null) return false
        if (value === 'unfit') throw new Error('the value does not fit')
        assert(typeof value === 'string', 'test records hold text')
        out.utf8(value)
        return true
      },
    }
  }
}

export const textHeaders: HeaderConverter = {
  configure: () => undefined,
  encode: (_schema, value) => {
    if (value === null) return null
    assert(typeof value === 'string', 'test headers hold text')
    return Buffer.from(value)
  },
}
