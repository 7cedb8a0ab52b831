import type { EncodedHeader, Schema, ValueEncoder } from '@tributary/connect-api'
import { StoppedError } from '@tributary/support'
import { TextConverter } from './text-converter.ts'

/** A converter that has to be prepared for each schema and topic. */
export class RegisteringConverter extends TextConverter {
  /** What the next preparations fail with; when it is empty they succeed. */
  readonly failures: Error[]
  /** Topics of the schemas that were prepared, in order. */
  readonly prepared: string[] = []
  readonly #known = new Set<string>()

  constructor(failures: readonly Error[] = []) {
    super()
    this.failures = [...failures]
  }

  isPrepared(schema: Schema | null, topic: string): boolean {
    return schema === null || this.#known.has(`${topic} ${schema.name}`)
  }

  prepare(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new StoppedError())
    const failure = this.failures.shift()
    if (failure !== undefined) return Promise.reject(failure)
    this.prepared.push(`${topic} ${schema?.name}`)
    this.#known.add(`${topic} ${schema?.name}`)
    return Promise.resolve()
  }

  override encoderFor(schema: Schema | null): ValueEncoder {
    return { ...super.encoderFor(schema), headers: HEADERS }
  }
}

const HEADERS: readonly EncodedHeader[] = [{ key: Buffer.from('id'), value: Buffer.from('7') }]
