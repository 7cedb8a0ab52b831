import type { Schema } from '@tributary/connect-api'
import { converterErrors } from '../errors.ts'

/** Namespace of records whose Connect schema has no name. */
export const DEFAULT_NAMESPACE = 'io.confluent.connect.avro'
const DEFAULT_NAME = 'ConnectDefault'

export interface AvroName {
  /** Null when the name has no namespace. */
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

/** The name of the n-th record whose Connect schema has no name, counted from 1. */
export function defaultName(nth: number): AvroName {
  return { namespace: DEFAULT_NAMESPACE, name: nth > 1 ? `${DEFAULT_NAME}${nth}` : DEFAULT_NAME }
}

/**
 * Returns the name of the Avro record that a schema becomes, for strategies that name subjects after records. Returns
 * null for a schema that becomes another type: an optional struct becomes a union. Does not check whether Avro accepts
 * the name.
 */
export function recordName({ type, name, isOptional }: Schema, isScrubbed: boolean): string | null {
  if (type !== 'struct' || isOptional) return null
  return fullNameOf(name === null ? defaultName(1) : splitName(name, isScrubbed))
}

export function fullNameOf({ namespace, name }: AvroName): string {
  return namespace === null ? name : `${namespace}.${name}`
}

/** Returns the name of a field in the Avro schema. */
export function avroFieldName(name: string, isScrubbed: boolean): string {
  const fieldName = isScrubbed ? scrubbedName(name) : name
  checkName(fieldName, name)
  return fieldName
}

/** Java's Avro (1.12) accepts letters and digits of all scripts within 16 bits. It does not check namespaces. */
const VALID_NAME = /^(?:_|(?![\ud800-\udfff])\p{L})(?:_|(?![\ud800-\udfff])[\p{L}\p{Nd}])*$/u

function checkName(name: string, shown: string): void {
  const isWide = /[\ud800-\udfff]/.test(name)
  if (isWide || !VALID_NAME.test(name)) throw converterErrors.AVRO_NAME_INVALID({ name: shown })
}

/**
 * Does what `scrub.invalid.names` of the Java converter does: URL-encodes the name and replaces what remains by
 * underscores.
 */
function scrubbedName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name === '') return name
  const encoded = encodeURIComponent(name.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return (/^[0-9]/.test(encoded) ? `x${encoded}` : encoded).replaceAll(/[^A-Za-z0-9_]/g, '_')
}
