import type { EncodedHeader, Schema, ValueEncoder } from '@tributary/connect-api'
import { StoppedError } from '@tributary/support'
import { TextConverter } from './text-converter.ts'

/** A converter whose schemas have to be registered for each topic. */
export class RegisteringConverter extends TextConverter {
  /** Topic and name of the schema of each registration, in order. */
  readonly attempts: string[] = []
  readonly #failureOf: (attempt: number, schemaName: string) => Error | null
  readonly #known = new Set<string>()
  /** Awaited by each registration. */
  answer: (signal: AbortSignal) => Promise<void> = () => Promise.resolve()
  /** The sequence of a topic's registrations, where it is not the topic. */
  readonly sequences: Map<string, string> = new Map()

  /** `failureOf`: the error of an attempt, counted from 0; null: it succeeds. */
  constructor(failureOf: (attempt: number, schemaName: string) => Error | null = () => null) {
    super()
    this.#failureOf = failureOf
  }

  isRegistered(schema: Schema | null, topic: string): boolean {
    return schema === null || this.#known.has(`${topic} ${schema.name}`)
  }

  registrationSequence(_schema: Schema | null, topic: string): string {
    return this.sequences.get(topic) ?? topic
  }

  async register(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new StoppedError()
    const name = `${topic} ${schema?.name}`
    this.attempts.push(name)
    const failure = this.#failureOf(this.attempts.length - 1, schema?.name ?? '')
    if (failure !== null) throw failure
    await this.answer(signal)
    this.#known.add(name)
  }

  override encoderFor(schema: Schema | null): ValueEncoder {
    return { ...super.encoderFor(schema), headers: HEADERS }
  }
}

const HEADERS: readonly EncodedHeader[] = [{ key: Buffer.from('id'), value: Buffer.from('7') }]
