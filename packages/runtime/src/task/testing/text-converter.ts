import type { Converter, HeaderConverter, Schema, ValueEncoder } from '@tributary/connect-api'
import { assert } from '@tributary/support'

/** A value is encoded as `prefix` and its text, null as Kafka's null; the text `unfit` cannot be encoded. */
export class TextConverter implements Converter {
  /** The schemas of the calls of `encoderFor`, in order. */
  readonly requested: (Schema | null)[] = []
  readonly #prefix: Buffer

  constructor(prefix = '') {
    this.#prefix = Buffer.from(prefix)
  }

  configure(): void {
    // It has no options.
  }

  encoderFor(schema: Schema | null): ValueEncoder {
    this.requested.push(schema)
    return {
      prefix: this.#prefix,
      write: (value, out) => {
        if (value === null) return false
        if (value === 'unfit') throw new Error('the value does not fit')
        assert(typeof value === 'string', 'test records contain text')
        out.utf8(value)
        return true
      },
    }
  }
}

export const textHeaders: HeaderConverter = {
  configure: () => undefined,
  write: (_schema, value, out) => {
    if (value === null) return false
    assert(typeof value === 'string', 'test headers contain text')
    out.utf8(value)
    return true
  },
}
