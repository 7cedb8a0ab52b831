import type { Schema } from '@tributary/connect-api'
import { converterErrors } from '../errors.ts'
import { compilePayload } from '../json/payload-compiler.ts'
import type { CompiledFormat, SchemaFormat } from '../registered/schema-format.ts'
import type { RegisteredSchema } from '../registry/schema-registry.ts'
import { jsonLanguage } from './json-schema-language.ts'
import type { JsonSchemaOptions } from './json-schema-options.ts'
import { payloadOptions } from './json-schema-payload.ts'
import { jsonSchemaText } from './json-schema-text.ts'

/** JSON with its schema in a registry: the id is followed by the payload that the JSON converter would write. */
export class JsonSchemaFormat implements SchemaFormat {
  readonly #options: JsonSchemaOptions
  readonly #role: 'key' | 'value'

  constructor(options: JsonSchemaOptions, role: 'key' | 'value') {
    this.#options = options
    this.#role = role
  }

  compile(schema: Schema): CompiledFormat {
    const write = compilePayload(schema, { lead: '', path: this.#role }, payloadOptions(this.#options))
    const hasDefault = schema.defaultValue !== null && !this.#options.ignoreDefaultForNullables
    return { write, writesNull: schema.isOptional || hasDefault }
  }

  registered(schema: Schema): RegisteredSchema {
    return { text: jsonSchemaText(schema, this.#options), parts: null, language: jsonLanguage }
  }

  /** The title at the top of the schema: a schema that allows null has none there. */
  recordName({ name, isOptional }: Schema): string | null {
    return isOptional ? null : name
  }

  noSchema(): Error {
    return converterErrors.FORMAT_NO_SCHEMA({ role: this.#role, format: 'JSON Schema' })
  }
}
