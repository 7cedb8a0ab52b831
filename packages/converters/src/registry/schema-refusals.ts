import type { CodedError } from '@tributary/support'
import { encodingDifferences } from '../avro-schema/encoding-differences.ts'
import { converterErrors } from '../errors.ts'
import { cut, messageOf, type HttpAnswer } from './http-client.ts'
import type { RegistryPropertyNames } from './registry-property-names.ts'

/** The latest version of a subject. */
export interface LatestVersion {
  readonly id: bigint
  readonly version: string
  readonly schema: string
}

/** A schema under a subject that is not taken as it is. */
export interface RefusedSchema {
  readonly subject: string
  readonly schema: string
  /** Null: the subject has no version. */
  readonly latest: LatestVersion | null
}

/** The schema is not there, and must not be registered. */
export function notRegistered({ subject, schema, latest }: RefusedSchema, names: RegistryPropertyNames): CodedError {
  return converterErrors.SCHEMA_NOT_REGISTERED({
    subject,
    property: names.register,
    differences: latest === null ? 'Nothing is registered under it' : differencesFrom(latest, schema),
    schema: cut(schema, SCHEMA_LENGTH_SHOWN),
  })
}

function differencesFrom({ version, schema: registered }: LatestVersion, schema: string): string {
  const differences = differencesBetween(registered, schema)
  if (differences.length > 0) return `Version ${version}, the latest, has other fields: ${differences.join('; ')}`
  return `Version ${version}, the latest, has the same fields but other defaults, documentation or properties`
}

/** Somebody may have registered under the subject what is no Avro. */
function differencesBetween(registered: string, schema: string): readonly string[] {
  try {
    return encodingDifferences(registered, schema)
  } catch (error) {
    if (error instanceof SyntaxError) return [`the registered schema cannot be read as Avro (${error.message})`]
    throw error
  }
}

/** Null: values of the schema can be written with the latest version. */
export function notTheLatest(
  { subject, schema }: RefusedSchema,
  latest: LatestVersion,
  names: RegistryPropertyNames,
): CodedError | null {
  const [difference] = differencesBetween(latest.schema, schema)
  if (difference === undefined) return null
  const [latestProperty, registerProperty] = [names.latest, names.register]
  const { version } = latest
  return converterErrors.SCHEMA_NOT_THE_LATEST({ subject, version, difference, latestProperty, registerProperty })
}

export interface Incompatibility extends RefusedSchema {
  readonly latest: LatestVersion
  readonly level: string
  /** What the registry says of it. */
  readonly answer: HttpAnswer
  /** How the change can be allowed. */
  readonly allowance: string
}

/** Says in what a schema is incompatible: what has changed, and what the registry says, which is often little. */
export function incompatible({ subject, schema, latest, level, answer, allowance }: Incompatibility): CodedError {
  const changed = differencesBetween(latest.schema, schema)
  // Which version it is the registry says, if anybody.
  const [version, since] = isTransitive(level)
    ? ['an earlier version', `version ${latest.version}, the latest`]
    : [`version ${latest.version}`, 'then']
  const said = complaintsOf(answer)
  const parts = [
    ...(changed.length === 0 ? [] : [`Changed since ${since}: ${changed.join('; ')}`]),
    ...(said.length === 0 ? [] : [`The registry says: ${said.join('; ')}`]),
  ]
  const differences = parts.join('. ')
  return converterErrors.SCHEMA_INCOMPATIBLE({ subject, version, level, differences, allowance })
}

/** All versions of the subject are compared with, not only the latest. */
export function isTransitive(level: string): boolean {
  return level.endsWith('_TRANSITIVE')
}

/**
 * What a registry complains of, without the whole schemas that some repeat: `messages` of Confluent's check, the descriptions within its
 * refusals, `causes` of Apicurio's; else the message.
 */
export function complaintsOf(answer: HttpAnswer): readonly string[] {
  const { json } = answer
  const document = typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {}
  const causes = listOf(document['causes']).map(causeText)
  if (causes.length > 0) return readable(causes)
  const messages = listOf(document['messages']).map(String)
  const whole = messages.length > 0 ? messages.join(', ') : textOf(document['message'])
  const described = [...whole.matchAll(DESCRIPTION)].map(([, , text = '']) => text)
  if (described.length > 0) return readable(described)
  if (messages.length > 0) return readable(messages.filter((text) => !OLD_SCHEMA.test(text)))
  if ('is_compatible' in document) return []
  return readable([messageOf(answer).split(/,? *\{?oldSchema/)[0] ?? ''])
}

/** Confluent's registry: `{errorType:…, description:"…", additionalInfo:…}`, before 7.3 `Incompatibility{…, message:…, reader:…}`. */
const DESCRIPTION = /(?:description|message):\s*(["']?)(.*?)\1(?:,\s*(?:additionalInfo|reader)\b|\})/gs
const OLD_SCHEMA = /^\{(?:oldSchema|compatibility|validateFields)/

function causeText(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return String(cause)
  const { description, context } = cause as Readonly<Record<string, unknown>>
  return context === undefined ? textOf(description) : `${textOf(description)} at ${textOf(context)}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function readable(texts: readonly string[]): readonly string[] {
  return texts
    .filter((text) => text !== '')
    .slice(0, COMPLAINTS_MAX)
    .map((text) => cut(text, COMPLAINT_LENGTH_MAX))
}

/** Enough to recognise it by its name. */
const SCHEMA_LENGTH_SHOWN = 200
/** More do not help whoever reads the message. */
const COMPLAINTS_MAX = 8
const COMPLAINT_LENGTH_MAX = 300
