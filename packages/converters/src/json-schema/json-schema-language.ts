import { isJsonObject, itemsOf, membersOf, type JsonObject } from '../avro-schema/json-object.ts'
import type { SchemaLanguage } from '../registry/schema-language.ts'

/**
 * JSON Schema. The text of a value does not depend on the schema whose id is written before it; the differences are
 * those that make a value invalid, or its meaning another, for a reader with the other schema: names and types of
 * properties. Titles, descriptions, defaults and `connect.…` are not compared.
 */
export const jsonLanguage: SchemaLanguage = {
  type: 'JSON',
  name: 'JSON Schema',
  differences(registered, schema) {
    const found = new Set<string>()
    compare(documentOf(registered), documentOf(schema), '', found)
    return [...found].slice(0, DIFFERENCES_MAX)
  },
}

/** More differences do not help the reader of the message. */
const DIFFERENCES_MAX = 8

/** @throws SyntaxError */
function documentOf(text: string): JsonObject {
  const document: unknown = JSON.parse(text)
  if (!isJsonObject(document)) throw new SyntaxError('the schema is not a JSON object')
  return document
}

function compare(before: JsonObject, after: JsonObject, place: string, found: Set<string>): void {
  const [old, current] = [notNull(before), notNull(after)]
  const [oldType, type] = [shortText(before), shortText(after)]
  if (oldType !== type) {
    found.add(`${place === '' ? 'the value' : place} was ${oldType}, is ${type}`)
    return
  }
  compareProperties(membersOf(old['properties']), membersOf(current['properties']), place, found)
  for (const part of ['items', 'additionalProperties']) {
    const [oldPart, currentPart] = [old[part], current[part]]
    if (isJsonObject(oldPart) && isJsonObject(currentPart)) compare(oldPart, currentPart, `${place}[]`, found)
    else if (isJsonObject(oldPart) || isJsonObject(currentPart) || oldPart !== currentPart)
      found.add(`${part} of ${place === '' ? 'the value' : place}`)
  }
}

function compareProperties(before: JsonObject, after: JsonObject, place: string, found: Set<string>): void {
  const placeOf = (name: string): string => (place === '' ? name : `${place}.${name}`)
  for (const [name, schema] of Object.entries(before)) {
    if (!(name in after)) found.add(`${placeOf(name)} (${shortText(membersOf(schema))}) was removed`)
  }
  for (const [name, schema] of Object.entries(after)) {
    const old = before[name]
    if (old === undefined) found.add(`${placeOf(name)} (${shortText(membersOf(schema))}) is new`)
    else compare(membersOf(old), membersOf(schema), placeOf(name), found)
  }
}

/** The schema of values that are not null, where there is exactly one. */
function notNull(schema: JsonObject): JsonObject {
  const branches = branchesOf(schema)
  const [only] = branches.filter(({ type }) => type !== 'null')
  return only !== undefined && branches.length === 2 ? only : schema
}

function branchesOf(schema: JsonObject): readonly JsonObject[] {
  return itemsOf(schema['oneOf']).filter((branch) => isJsonObject(branch))
}

/** Names the type; schemas of a form that the converter does not make are shown whole. */
function shortText(schema: JsonObject): string {
  const branches = branchesOf(schema)
  if (branches.length > 0) return branches.map(shortText).join(' or ')
  const { type } = schema
  return typeof type === 'string' && schema['enum'] === undefined ? type : JSON.stringify(schema)
}
