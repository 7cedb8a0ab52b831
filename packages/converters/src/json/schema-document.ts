import type { Schema } from '@tributary/connect-api'
import type { JsonOptions } from './json-options.ts'
import { defaultText, nameText } from './payload-compiler.ts'

/**
 * Returns the schema half of a document as text. Java writes the members in this order and omits those that are not
 * set:
 *
 *     type, fields | items | keys values, optional, name, version, doc, parameters, default, field
 */
export function schemaDocument(schema: Schema, path: string, options: JsonOptions): string {
  return `{${members(schema, path, options).join(',')}}`
}

function members(schema: Schema, path: string, options: JsonOptions): string[] {
  const { type, keySchema, valueSchema, isOptional, name, version, doc, parameters, defaultValue } = schema
  const list = [`"type":"${type}"`]
  if (type === 'struct') list.push(`"fields":[${fieldDocuments(schema, path, options).join(',')}]`)
  if (keySchema !== null) list.push(`"keys":${schemaDocument(keySchema, `${path}{key}`, options)}`)
  if (valueSchema !== null) {
    const isArray = type === 'array'
    const document = schemaDocument(valueSchema, isArray ? `${path}[]` : `${path}{value}`, options)
    list.push(`"${isArray ? 'items' : 'values'}":${document}`)
  }
  list.push(`"optional":${isOptional}`)
  if (name !== null) list.push(`"name":${nameText(name)}`)
  if (version !== null) list.push(`"version":${version}`)
  if (doc !== null) list.push(`"doc":${nameText(doc)}`)
  if (parameters !== null) list.push(`"parameters":{${parameterTexts(parameters).join(',')}}`)
  if (defaultValue !== null) list.push(`"default":${defaultText(schema, path, options)}`)
  return list
}

function fieldDocuments(schema: Schema, path: string, options: JsonOptions): string[] {
  return schema.fields.map((field) => {
    const list = members(field.schema, `${path}.${field.name}`, options)
    return `{${list.join(',')},"field":${nameText(field.name)}}`
  })
}

function parameterTexts(parameters: Readonly<Record<string, string>>): string[] {
  return Object.entries(parameters).map(([name, value]) => `${nameText(name)}:${nameText(value)}`)
}
