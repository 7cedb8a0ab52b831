import { DECIMAL_SCHEMA_NAME, type Schema } from '@tributary/connect-api'
import { present, unreachable } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { javaMapCopyOrder, javaMapOrder } from '../text/java-map-order.ts'
import { jsonQuoted } from '../text/json-quoted.ts'
import { jsonSchemaDefault } from './json-schema-default.ts'
import type { JsonSchemaOptions } from './json-schema-options.ts'

/**
 * Returns the JSON Schema of a Connect schema as text: byte for byte the one that Confluent's converter registers on
 * Java 17. What JSON Schema has no keyword for is kept in `connect.…` properties, from which a consumer can rebuild the
 * Connect schema. The order of members is that of the classes that print them, which differs from type to type.
 *
 * @throws JSON_SCHEMA_KIND for a union or a reference of Confluent's, which only sinks of other converters make
 */
export function jsonSchemaText(schema: Schema, options: JsonSchemaOptions): string {
  return textOf(schema, { options, index: null, path: schema.name ?? '' })
}

interface Place {
  readonly options: JsonSchemaOptions
  /** Position among the fields of the enclosing struct; null elsewhere. */
  readonly index: number | null
  readonly path: string
}

type Member = readonly [name: string, json: string]

function textOf(schema: Schema, place: Place): string {
  if (hasConfluentMeaning(schema)) throw converterErrors.JSON_SCHEMA_KIND({ name: schema.name ?? schema.type })
  const { index } = place
  const position: readonly Member[] = index === null ? [] : [['connect.index', String(index)]]
  if (!schema.isOptional) return ownText(schema, place, position)
  const inner = ownText(schema, { ...place, index: null }, [])
  return objectText([...position, ['oneOf', `[{"type":"null"},${inner}]`]])
}

/** Unions, and structs that are referred to, which `io.confluent.connect.json` makes when it reads other schemas. */
function hasConfluentMeaning({ name, parameters }: Schema): boolean {
  return (
    name === `${NAMESPACE}.OneOf` || [`${NAMESPACE}.Id`, `${NAMESPACE}.Enum`].some((key) => key in (parameters ?? {}))
  )
}

const NAMESPACE = 'io.confluent.connect.json'

/** The schema without regard to null. */
function ownText(schema: Schema, place: Place, position: readonly Member[]): string {
  const { type } = schema
  const common = [...describing(schema, place.options), ...connectMembers(schema, position)]
  switch (type) {
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      return objectText([['type', '"integer"'], ...common])
    case 'float':
    case 'double':
      return objectText([['type', '"number"'], ...common])
    case 'boolean':
      return objectText([...common, ['type', '"boolean"']])
    case 'string':
      return objectText([['type', '"string"'], ...common])
    case 'bytes': {
      const isNumeric = schema.name === DECIMAL_SCHEMA_NAME && place.options.decimalFormat === 'NUMERIC'
      return objectText([['type', isNumeric ? '"number"' : '"string"'], ...common])
    }
    case 'array':
      return objectText([['type', '"array"'], ...common, ['items', partText(schema.valueSchema, '[]', place)]])
    case 'map':
      return mapText(schema, common, place)
    case 'struct':
      return objectText([
        ['type', '"object"'],
        ...(place.options.allowsAdditionalProperties ? [] : [['additionalProperties', 'false'] as const]),
        ...common,
        ...propertiesMember(schema, place),
      ])
    default:
      return unreachable(type)
  }
}

function partText(part: Schema | null, suffix: string, { options, path }: Place): string {
  return textOf(present(part, 'the schema of the parts'), { options, index: null, path: `${path}${suffix}` })
}

/** Maps whose keys are not plain strings are arrays of entries. */
function mapText(schema: Schema, common: readonly Member[], place: Place): string {
  const { keySchema, valueSchema } = schema
  if (keySchema?.type === 'string' && !keySchema.isOptional) {
    return objectText([['type', '"object"'], ...common, ['additionalProperties', partText(valueSchema, '{}', place)]])
  }
  const entryPart = (part: Schema | null, index: number): string =>
    textOf(present(part, 'the schema of keys or values'), { ...place, index, path: `${place.path}{}` })
  const entry = objectText([
    ['type', '"object"'],
    [
      'properties',
      objectText(
        inMapOrder(
          [
            ['key', entryPart(keySchema, 0)],
            ['value', entryPart(valueSchema, 1)],
          ],
          javaMapOrder,
        ),
      ),
    ],
  ])
  return objectText([['type', '"array"'], ...common, ['items', entry]])
}

function propertiesMember(schema: Schema, { options, path }: Place): readonly Member[] {
  if (schema.fields.length === 0) return []
  const properties = schema.fields.map(({ name, index, schema: field }): Member => [
    name,
    textOf(field, { options, index, path: `${path}.${name}` }),
  ])
  return [['properties', objectText(inMapOrder(properties, javaMapOrder))]]
}

function describing(schema: Schema, options: JsonSchemaOptions): readonly Member[] {
  const { name, doc, defaultValue } = schema
  return [
    ...(name === null ? [] : [['title', jsonQuoted(name)] as const]),
    ...(doc === null ? [] : [['description', jsonQuoted(doc)] as const]),
    ...(defaultValue === null ? [] : [['default', jsonSchemaDefault(schema, options)] as const]),
  ]
}

const CONNECT_TYPES: Readonly<Partial<Record<Schema['type'], string>>> = {
  int8: 'int8',
  int16: 'int16',
  int32: 'int32',
  int64: 'int64',
  float: 'float32',
  double: 'float64',
  bytes: 'bytes',
  map: 'map',
}

function connectMembers({ type, version, parameters }: Schema, position: readonly Member[]): readonly Member[] {
  const connectType = CONNECT_TYPES[type]
  const kept = Object.entries(parameters ?? {}).filter(([name]) => !name.startsWith(NAMESPACE))
  const members: readonly Member[] = [
    ...(connectType === undefined ? [] : [['connect.type', `"${connectType}"`] as const]),
    ...(version === null ? [] : [['connect.version', String(version)] as const]),
    ...(kept.length === 0 ? [] : [['connect.parameters', parametersText(new Map(kept))] as const]),
    ...position,
  ]
  return inMapOrder(members, (names) => javaMapCopyOrder(javaMapOrder(names)))
}

/** A map of parameters passes through two hash maps, of which the second is as large as the first is long. */
function parametersText(parameters: ReadonlyMap<string, string>): string {
  const order = javaMapOrder(javaMapOrder([...parameters.keys()]), parameters.size)
  return objectText(order.map((name) => [name, jsonQuoted(parameters.get(name) ?? '')]))
}

/** Members that Java keeps in a hash map of that order. */
function inMapOrder(
  members: readonly Member[],
  order: (names: readonly string[]) => readonly string[],
): readonly Member[] {
  const byName = new Map(members)
  return order([...byName.keys()]).map((name) => [name, byName.get(name) ?? ''])
}

function objectText(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `${jsonQuoted(name)}:${json}`).join(',')}}`
}
