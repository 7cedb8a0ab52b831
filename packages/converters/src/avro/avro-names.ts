import type { Schema } from '@tributary/connect-api'
import { converterErrors } from '../errors.ts'

/** Namespace of what has no name of its own, and the beginning of its names. */
export const DEFAULT_NAMESPACE = 'io.confluent.connect.avro'
const DEFAULT_NAME = 'ConnectDefault'

export interface AvroName {
  /** Null: none. */
  readonly namespace: string | null
  readonly name: string
}

/** Splits the name of a Connect schema at its last dot. */
export function avroName(fullName: string, isScrubbed: boolean): AvroName {
  const split = splitName(fullName, isScrubbed)
  checkName(split.name, fullName)
  return split
}

function splitName(fullName: string, isScrubbed: boolean): AvroName {
  const parts = isScrubbed ? fullName.split('.').map((part) => scrubbedName(part)) : fullName.split('.')
  const name = parts.pop() ?? ''
  return { namespace: parts.length === 0 ? null : parts.join('.'), name }
}

/** Of the n-th record without a name, from 1. */
export function defaultName(nth: number): AvroName {
  return { namespace: DEFAULT_NAMESPACE, name: nth > 1 ? `${DEFAULT_NAME}${nth}` : DEFAULT_NAME }
}

/**
 * The name of the Avro record that a schema becomes; null when it becomes something else: then the strategies that name subjects after
 * records have no name to go by. A struct that may be null becomes a union. Whether Avro takes the name is not looked at.
 */
export function recordName({ type, name, isOptional }: Schema, isScrubbed: boolean): string | null {
  if (type !== 'struct' || isOptional) return null
  return fullNameOf(name === null ? defaultName(1) : splitName(name, isScrubbed))
}

export function fullNameOf({ namespace, name }: AvroName): string {
  return namespace === null ? name : `${namespace}.${name}`
}

/** The name of a field as the Avro schema has it. */
export function avroFieldName(name: string, isScrubbed: boolean): string {
  const fieldName = isScrubbed ? scrubbedName(name) : name
  checkName(fieldName, name)
  return fieldName
}

/** Java's Avro (1.12) takes letters and digits of all scripts within 16 bits; namespaces it does not look at. */
const VALID_NAME = /^(?:_|(?![\ud800-\udfff])\p{L})(?:_|(?![\ud800-\udfff])[\p{L}\p{Nd}])*$/u

function checkName(name: string, shown: string): void {
  const isWide = /[\ud800-\udfff]/.test(name)
  if (isWide || !VALID_NAME.test(name)) throw converterErrors.AVRO_NAME_INVALID({ name: shown })
}

/** As `scrub.invalid.names` of the Java converter has it: the name as URLs write it, with underscores for what is left. */
function scrubbedName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name === '') return name
  const encoded = encodeURIComponent(name.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return (/^[0-9]/.test(encoded) ? `x${encoded}` : encoded).replaceAll(/[^A-Za-z0-9_]/g, '_')
}
