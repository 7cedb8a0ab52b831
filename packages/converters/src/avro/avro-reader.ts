import { isRetriable, systemClock, toError, type Clock } from '@tributary/support'
import { registrySettings, type RegistrySettings } from '../registry/registry-options.ts'
import { type AvroType, parseAvroSchema } from '../avro-schema/avro-document.ts'
import { avroValueText } from './avro-value-text.ts'

/**
 * Reads values that stand behind the id of their schema, for people.
 *
 *     const reader = new AvroReader({ 'schema.registry.url': url }, false)
 *     await reader.prepare(values, signal)
 *     reader.read(value)                  // {"before":null,"after":{…
 */
export class AvroReader {
  readonly #settings: RegistrySettings
  readonly #idBytes: number
  /** Those used last stand last. Null: the schema could not be had. */
  readonly #schemas = new Map<bigint, AvroType | null>()
  readonly #onUnknown: (id: bigint, error: Error) => void

  /**
   * `options`: as a converter has them. `onUnknown` is told once of each id whose schema there is not, and each time that nobody answers.
   *
   * @throws CONVERTER_OPTION
   */
  constructor(
    options: Readonly<Record<string, string>>,
    isKey: boolean,
    onUnknown: (id: bigint, error: Error) => void = () => undefined,
    clock: Clock = systemClock,
  ) {
    this.#settings = registrySettings(options, { isKey, prefix: '', clock })
    const { idPlace } = this.#settings
    this.#idBytes = idPlace.tag === 'payload' ? idPlace.idBytes : 0
    this.#onUnknown = onUnknown
  }

  /** Gets the schemas of the values that are new. */
  async prepare(values: Iterable<Buffer | null>, signal: AbortSignal): Promise<void> {
    const needed = new Set<bigint>()
    for (const value of values) {
      const id = this.#idOf(value)
      if (id === null || needed.has(id)) continue
      needed.add(id)
      const known = this.#schemas.get(id)
      const schema = known === undefined ? await this.#schemaOf(id, signal) : known
      this.#schemas.delete(id)
      if (schema !== 'away') this.#schemas.set(id, schema)
    }
    // Those that are needed now stay, however many.
    for (const id of this.#schemas.keys()) {
      if (this.#schemas.size <= Math.max(SCHEMAS_MAX, needed.size)) break
      this.#schemas.delete(id)
    }
  }

  async #schemaOf(id: bigint, signal: AbortSignal): Promise<AvroType | null | 'away'> {
    try {
      const { text, references } = await this.#settings.registry.schemaOf(id, signal)
      return parseAvroSchema(text, references)
    } catch (error) {
      if (signal.aborted) throw error
      this.#onUnknown(id, toError(error))
      return isRetriable(error) ? 'away' : null
    }
  }

  /** JSON of a value; null when it is none of a schema that is known. */
  read(value: Buffer | null): string | null {
    const id = this.#idOf(value)
    const type = id === null ? null : (this.#schemas.get(id) ?? null)
    if (value === null || type === null) return null
    try {
      return avroValueText(type, value, 1 + this.#idBytes)
    } catch (error) {
      if (error instanceof RangeError) return null
      throw error
    }
  }

  /** A zero byte and the id; null when there is none. */
  #idOf(value: Buffer | null): bigint | null {
    if (value === null || this.#idBytes === 0 || value.length < 1 + this.#idBytes || value[0] !== 0) return null
    return this.#idBytes === 8 ? value.readBigInt64BE(1) : BigInt(value.readInt32BE(1))
  }
}

/** Some 10 KB each for a table of ten columns; bytes that only look like an id cost nothing but their place. */
const SCHEMAS_MAX = 1_000
