import type { CodedError } from '@tributary/support'
import { isJsonObject, itemsOf, membersOf } from '../avro-schema/json-object.ts'
import { converterErrors } from '../errors.ts'
import { cut, messageOf, type HttpAnswer } from './http-client.ts'
import type { RegistryPropertyNames } from './registry-property-names.ts'
import type { RegisteredSchema } from './schema-registry.ts'

/** The latest version of a subject. */
export interface LatestVersion {
  readonly id: bigint
  readonly version: string
  readonly schema: string
}

/** A schema that the registry or the options do not accept for a subject. */
export interface RefusedSchema {
  readonly subject: string
  readonly schema: RegisteredSchema
  /** Null when the subject has no version. */
  readonly latest: LatestVersion | null
}

/** The error for a schema that the registry does not have when auto-registration is off. */
export function notRegistered({ subject, schema, latest }: RefusedSchema, names: RegistryPropertyNames): CodedError {
  return converterErrors.SCHEMA_NOT_REGISTERED({
    subject,
    property: names.register,
    differences: latest === null ? 'Nothing is registered under it' : differencesFrom(latest, schema),
    schema: cut(schema.text, SCHEMA_LENGTH_SHOWN),
  })
}

function differencesFrom({ version, schema: registered }: LatestVersion, schema: RegisteredSchema): string {
  const differences = differencesBetween(registered, schema)
  if (differences.length > 0) return `Version ${version}, the latest, has other fields: ${differences.join('; ')}`
  return `Version ${version}, the latest, has the same fields but other defaults, documentation or properties`
}

/** Also handles a registered schema of another language. */
function differencesBetween(registered: string, { text, language }: RegisteredSchema): readonly string[] {
  try {
    return language.differences(registered, text)
  } catch (error) {
    if (error instanceof SyntaxError)
      return [`the registered schema cannot be read as ${language.name} (${error.message})`]
    throw error
  }
}

/** The error for a schema whose values cannot be written with the latest version; null when they can. */
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
  /** The registry's answer with its complaints. */
  readonly answer: HttpAnswer
  /** The request that allows the change. */
  readonly allowance: string
}

/** The error for an incompatible schema: what has changed, and what the registry reports, which is often little. */
export function incompatible({ subject, schema, latest, level, answer, allowance }: Incompatibility): CodedError {
  const changed = differencesBetween(latest.schema, schema)
  // Under a transitive level only the registry knows which version the schema conflicts with.
  const [version, since] = isTransitive(level)
    ? ['an earlier version', `version ${latest.version}, the latest`]
    : [`version ${latest.version}`, 'then']
  const complaints = complaintsOf(answer)
  const parts = [
    ...(changed.length === 0 ? [] : [`Changed since ${since}: ${changed.join('; ')}`]),
    ...(complaints.length === 0 ? [] : [`The registry reports: ${complaints.join('; ')}`]),
  ]
  const differences = parts.join('. ')
  return converterErrors.SCHEMA_INCOMPATIBLE({ subject, version, level, differences, allowance })
}

/** True when a new schema must be compatible with all versions of the subject, not only with the latest. */
export function isTransitive(level: string): boolean {
  return level.endsWith('_TRANSITIVE')
}

/**
 * Returns a registry's complaints without the whole schemas that some registries repeat: `messages` of Confluent's
 * compatibility check, the descriptions within its refusals, `causes` of Apicurio's refusals, or else the message.
 */
export function complaintsOf(answer: HttpAnswer): readonly string[] {
  const { json } = answer
  const document = membersOf(json)
  const causes = itemsOf(document['causes']).map(causeText)
  if (causes.length > 0) return readable(causes)
  const messages = itemsOf(document['messages']).map(String)
  const whole = messages.length > 0 ? messages.join(', ') : textOf(document['message'])
  const described = [...whole.matchAll(DESCRIPTION)].map(([, , text = '']) => text)
  if (described.length > 0) return readable(described)
  if (messages.length > 0) return readable(messages.filter((text) => !OLD_SCHEMA.test(text)))
  if ('is_compatible' in document) return []
  return readable([messageOf(answer).split(/,? *\{?oldSchema/)[0] ?? ''])
}

/**
 * Confluent's registry: `{errorType:…, description:"…", additionalInfo:…}`, before 7.3 `Incompatibility{…, message:…,
 * reader:…}`.
 */
const DESCRIPTION = /(?:description|message):\s*(["']?)(.*?)\1(?:,\s*(?:additionalInfo|reader)\b|\})/gs
const OLD_SCHEMA = /^\{(?:oldSchema|compatibility|validateFields)/

function causeText(cause: unknown): string {
  if (!isJsonObject(cause)) return String(cause)
  const { description, context } = cause
  return context === undefined ? textOf(description) : `${textOf(description)} at ${textOf(context)}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readable(texts: readonly string[]): readonly string[] {
  return texts
    .filter((text) => text !== '')
    .slice(0, COMPLAINTS_MAX)
    .map((text) => cut(text, COMPLAINT_LENGTH_MAX))
}

/** Enough to recognise the schema by its name. */
const SCHEMA_LENGTH_SHOWN = 200
/** More complaints do not help the reader of the message. */
const COMPLAINTS_MAX = 8
const COMPLAINT_LENGTH_MAX = 300
