import { isRetriable, systemClock, toError, type Clock } from '@tributary/support'
import { registrySettings, type RegistrySettings } from '../registry/registry-options.ts'
import { type AvroType, parseAvroSchema } from '../avro-schema/avro-document.ts'
import { avroValueText } from './avro-value-text.ts'

/**
 * Reads values that begin with the id of their schema, Avro or JSON, as JSON for people.
 *
 *     const reader = new AvroReader({ 'schema.registry.url': url }, false)
 *     await reader.loadSchemas(values, signal)
 *     reader.read(value)                  // {"before":null,"after":{…
 */
export class AvroReader {
  readonly #settings: RegistrySettings
  readonly #idBytes: number
  /** In order of use, the most recent last. Null: the registry did not return a schema for the id. */
  readonly #schemas = new Map<bigint, KnownType | null>()
  readonly #onUnknown: (id: bigint, error: Error) => void

  /**
   * `options`: those of a converter, without prefix. `onUnknown` is called once for each id that the registry does not
   * know, and each time that the registry does not answer.
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

  /** Requests the schemas of the values that are not loaded yet. */
  async loadSchemas(values: Iterable<Buffer | null>, signal: AbortSignal): Promise<void> {
    const needed = new Set<bigint>()
    for (const value of values) {
      const id = this.#idOf(value)
      if (id === null || needed.has(id)) continue
      needed.add(id)
      const known = this.#schemas.get(id)
      const schema = known === undefined ? await this.#schemaOf(id, signal) : known
      this.#schemas.delete(id)
      if (schema !== 'unreachable') this.#schemas.set(id, schema)
    }
    // Evicts the oldest, but none of those needed now, even if they are more than the limit.
    for (const id of this.#schemas.keys()) {
      if (this.#schemas.size <= Math.max(SCHEMAS_MAX, needed.size)) break
      this.#schemas.delete(id)
    }
  }

  async #schemaOf(id: bigint, signal: AbortSignal): Promise<KnownType | null | 'unreachable'> {
    try {
      const { text, type, references } = await this.#settings.registry.schemaOf(id, signal)
      return type === 'JSON' ? 'json' : parseAvroSchema(text, references)
    } catch (error) {
      if (signal.aborted) throw error
      this.#onUnknown(id, toError(error))
      return isRetriable(error) ? 'unreachable' : null
    }
  }

  /** Returns a value as JSON; null when its schema is not loaded or its bytes are not of that schema. */
  read(value: Buffer | null): string | null {
    const id = this.#idOf(value)
    const type = id === null ? null : (this.#schemas.get(id) ?? null)
    if (value === null || type === null) return null
    if (type === 'json') return value.toString('utf8', 1 + this.#idBytes)
    try {
      return avroValueText(type, value, 1 + this.#idBytes)
    } catch (error) {
      if (error instanceof RangeError) return null
      throw error
    }
  }

  /** Returns the id after the magic byte 0; null when the value does not begin with an id. */
  #idOf(value: Buffer | null): bigint | null {
    if (value === null || this.#idBytes === 0 || value.length < 1 + this.#idBytes || value[0] !== 0) return null
    return this.#idBytes === 8 ? value.readBigInt64BE(1) : BigInt(value.readInt32BE(1))
  }
}

/** What is known of the schema of an id: of a JSON Schema, only that the value is JSON. */
type KnownType = AvroType | 'json'

/** About 10 KB each for a table of ten columns. Bytes that only look like an id cost an entry without a schema. */
const SCHEMAS_MAX = 1_000
