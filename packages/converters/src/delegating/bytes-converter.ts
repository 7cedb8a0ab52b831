import {
  connectErrors,
  DECIMAL_SCHEMA_NAME,
  type ConnectValue,
  type Converter,
  type ConverterPlugin,
  type Schema,
  type SchemaCompatibility,
  type ValueEncoder,
  javaTypeName,
} from '@tributary/connect-api'
import type { ByteWriter, CodedError } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { CONVERTERS_VERSION } from '../version.ts'

const DELEGATE_OPTION = 'delegate.converter.type'

/** Returns the converter of a class name; null for an unknown one. */
export type ConverterLookup = (className: string) => Converter | null

/**
 * Debezium's BinaryDataConverter and ByteArrayConverter: bytes are written unchanged, all other values by another
 * converter, the delegate (`delegate.converter.type`, with its options after that name). Used with the outbox router,
 * whose payload is bytes while heartbeats and transaction records are structs.
 */
export class BytesConverter implements Converter {
  readonly #name: string
  readonly #lookup: ConverterLookup
  #delegate: Converter | null = null
  #role = 'value'

  /** `name`: simple name of the class, for messages. */
  constructor(name: string, lookup: ConverterLookup) {
    this.#name = name
    this.#lookup = lookup
  }

  configure(options: Readonly<Record<string, string>>, isKey: boolean): void {
    this.#role = isKey ? 'key' : 'value'
    const className = options[DELEGATE_OPTION]
    if (className === undefined) return
    const delegate = this.#lookup(className)
    if (delegate === null) {
      const reason = 'there is no converter of that class'
      throw connectErrors.CONVERTER_OPTION({ name: DELEGATE_OPTION, value: className, reason })
    }
    const prefix = `${DELEGATE_OPTION}.`
    const own = Object.entries(options).filter(([name]) => name.startsWith(prefix))
    delegate.configure(Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])), isKey)
    this.#delegate = delegate
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#delegate?.check?.(signal)
  }

  isRegistered(schema: Schema | null, topic: string): boolean {
    return isBytes(schema) || this.#delegate?.isRegistered?.(schema, topic) !== false
  }

  async register(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    if (!isBytes(schema)) await this.#delegate?.register?.(schema, topic, signal)
  }

  registrationSequence(schema: Schema | null, topic: string): string {
    return isBytes(schema) ? topic : (this.#delegate?.registrationSequence?.(schema, topic) ?? topic)
  }

  pendingFailure(): Error | null {
    return this.#delegate?.pendingFailure?.() ?? null
  }

  warnings(): readonly CodedError[] {
    return this.#delegate?.warnings?.() ?? []
  }

  async checkCompatibility(
    schema: Schema | null,
    topic: string,
    signal: AbortSignal,
  ): Promise<SchemaCompatibility | null> {
    return isBytes(schema) ? null : ((await this.#delegate?.checkCompatibility?.(schema, topic, signal)) ?? null)
  }

  encoderFor(schema: Schema | null, topic: string): ValueEncoder {
    const delegate = this.#delegate
    if (schema !== null && schema.type !== 'bytes') {
      return (
        delegate?.encoderFor(schema, topic) ?? { prefix: EMPTY, write: () => this.#refuse(javaTypeName(schema.type)) }
      )
    }
    return {
      prefix: EMPTY,
      write: (value: ConnectValue, out: ByteWriter): boolean => {
        if (value === null) return false
        if (value instanceof Uint8Array) {
          out.write(value)
          return true
        }
        if (delegate === null) return this.#refuse(schema === null ? typeof value : javaTypeName(schema.type))
        const inner = delegate.encoderFor(schema, topic)
        out.write(inner.prefix)
        return inner.write(value, out)
      },
    }
  }

  #refuse(type: string): never {
    throw converterErrors.DELEGATE_REQUIRED({ role: this.#role, type, converter: this.#name })
  }
}

/** Values without a schema are bytes as a rule, and a schema registry has nothing to register for them. */
function isBytes(schema: Schema | null): boolean {
  return schema === null || (schema.type === 'bytes' && schema.name !== DECIMAL_SCHEMA_NAME)
}

const EMPTY = new Uint8Array(0)

/** The plug-ins of Debezium's two classes, which differ in nothing that can be observed here. */
export function bytesConverterPlugins(lookup: ConverterLookup): readonly ConverterPlugin[] {
  return ['BinaryDataConverter', 'ByteArrayConverter'].map((name) => ({
    type: 'converter',
    className: `io.debezium.converters.${name}`,
    version: CONVERTERS_VERSION,
    create: () => new BytesConverter(name, lookup),
  }))
}
