import type { Schema } from '@tributary/connect-api'
import { converterErrors } from '../errors.ts'
import type { CompiledFormat, SchemaFormat } from '../registered/schema-format.ts'
import type { RegisteredSchema } from '../registry/schema-registry.ts'
import { compileMessage, wrappedSlot } from './protobuf-compiler.ts'
import { protobufLanguage } from './protobuf-language.ts'
import { isLogical, protoFile } from './protobuf-model.ts'
import type { ProtobufOptions } from './protobuf-options.ts'
import { compileScalar } from './protobuf-scalars.ts'
import { protobufText, wrapperIndex, wrappersText } from './protobuf-text.ts'

/**
 * Protobuf with its schema in a registry. The id is followed by the position of the message in its file, and the
 * message. A scalar becomes a wrapper message of Google's.
 */
export class ProtobufFormat implements SchemaFormat {
  readonly #options: ProtobufOptions
  readonly #role: 'key' | 'value'

  constructor(options: ProtobufOptions, role: 'key' | 'value') {
    this.#options = options
    this.#role = role
  }

  compile(schema: Schema): CompiledFormat {
    const role = this.#role
    if (schema.type === 'struct') {
      const { root } = protoFile(schema, this.#options)
      return { write: compileMessage(root, role, this.#options), lead: messageIndex(0) }
    }
    const index = this.#wrapperOf(schema)
    const slot = wrappedSlot({ schema, path: role, tag: messageIndex(0), hasPresence: false })
    return { write: compileScalar(slot), lead: messageIndex(index) }
  }

  registered(schema: Schema): RegisteredSchema {
    if (schema.type !== 'struct') this.#wrapperOf(schema)
    const text = schema.type === 'struct' ? protobufText(protoFile(schema, this.#options)) : wrappersText()
    return { text, parts: null, language: protobufLanguage }
  }

  recordName(schema: Schema): string | null {
    if (schema.type !== 'struct') return null
    const { packageName, root } = protoFile(schema, this.#options)
    return packageName === null ? root.name : `${packageName}.${root.name}`
  }

  noSchema(): Error {
    return converterErrors.FORMAT_NO_SCHEMA({ role: this.#role, format: 'Protobuf' })
  }

  /** Of a decimal, date or time alone, Confluent's converter registers a wrapper and writes another message. */
  #wrapperOf(schema: Schema): number {
    const index = isLogical(schema) ? -1 : wrapperIndex(schema)
    if (index >= 0) return index
    const reason = 'a key or value that is no struct must be a plain scalar'
    throw converterErrors.PROTOBUF_KIND({ field: this.#role, type: schema.name ?? schema.type, reason })
  }
}

/** The list of positions that leads to a message of the file: for the first one a zero, otherwise its length and the position. */
function messageIndex(index: number): Uint8Array {
  return index === 0 ? Uint8Array.of(0) : Uint8Array.of(2, index * 2)
}
