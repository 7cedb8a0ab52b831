import { avroLanguage } from '../registry/schema-language.ts'
import type { Schema } from '@tributary/connect-api'
import type { SchemaParts, SchemaReference } from '../registry/schema-registry.ts'
import { fullNameOf } from './avro-names.ts'
import type { AvroOptions } from './avro-options.ts'
import { AvroSchemaText, type NamedSchema } from './avro-schema-text.ts'
import { enumOf, isStringMap } from './avro-shape.ts'

/**
 * Returns the Avro schema of a Connect schema in parts, as Apicurio's serializer registers it when
 * `apicurio.registry.dereference-schema` is false: records and enumerations in fields are artifacts of their own, to
 * which the schema refers by name.
 *
 * @throws the errors of `avroSchemaText`
 */
export function avroSchemaParts(schema: Schema, options: AvroOptions): SchemaParts {
  const whole = new AvroSchemaText(options)
  whole.typeOf(schema)
  // The numbers of unnamed records are unique across all parts.
  return partsOf(schema, options, whole.unnamed)
}

function partsOf(schema: Schema, options: AvroOptions, unnamed: readonly NamedSchema[]): SchemaParts {
  const text = new AvroSchemaText(options, unnamed)
  const references = namedWithin(schema, options).map((inner): SchemaReference => {
    const { name } = text.declare(inner)
    const plain = inner.with({ optional: false })
    const whole = new AvroSchemaText(options, unnamed).typeOf(plain)
    const parts = partsOf(plain, options, unnamed)
    return { name: fullNameOf(name), namespace: name.namespace, schema: { text: whole, parts, language: avroLanguage } }
  })
  return { text: text.typeOf(schema), references }
}

/** Returns the records and enumerations in the fields of a struct, the items of an array or the values of a map. */
function namedWithin(schema: Schema, options: AvroOptions): readonly Schema[] {
  if (schema.type !== 'struct') return isNamed(schema, options) ? [] : namedIn(schema, options)
  return schema.fields.flatMap((field) => namedIn(field.schema, options))
}

/**
 * Like Java, finds records in unions, but no arrays or maps in them: these are not split. Nor are maps that are arrays
 * of entries.
 */
function namedIn(schema: Schema, options: AvroOptions): readonly Schema[] {
  if (isNamed(schema, options)) return [schema]
  const { type, isOptional, valueSchema } = schema
  const isCollection = type === 'array' || (type === 'map' && isStringMap(schema, options))
  if (!isCollection || isOptional || valueSchema === null || valueSchema.isOptional) return []
  return isNamed(valueSchema, options) ? [valueSchema] : []
}

function isNamed(schema: Schema, options: AvroOptions): boolean {
  return schema.type === 'struct' || (schema.type === 'string' && enumOf(schema, options) !== null)
}
