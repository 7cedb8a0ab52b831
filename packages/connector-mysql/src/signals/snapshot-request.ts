import { RegexList, regexListRefusal } from '@tributary/connector-kit'
import { parsedJson, type Signal } from './signal.ts'

/** Rows of some tables that are wanted. */
export interface TableCondition {
  readonly tables: RegexList
  readonly filter: string
}

/** The data of a signal about snapshots. */
export interface SnapshotRequest {
  readonly type: 'incremental' | 'blocking'
  /** Null: all tables. */
  readonly tables: readonly RegexList[] | null
  readonly conditions: readonly TableCondition[]
  readonly surrogateKey: string | null
}

export type ParsedRequest =
  | { readonly tag: 'request'; readonly request: SnapshotRequest }
  /** `reason`: the end of a sentence that begins with the signal. */
  | { readonly tag: 'invalid'; readonly reason: string }

/** Reads `{"data-collections":[…],"type":…,"additional-conditions":[{"data-collection":…,"filter":…}],"surrogate-key":…}`. */
export function parseSnapshotRequest({ data }: Pick<Signal, 'data'>): ParsedRequest {
  const parsed = data.trim() === '' ? {} : parsedJson(data)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return invalid('has data that is not a JSON object')
  const fields = parsed as Readonly<Record<string, unknown>>
  const unknown = unknownKey(fields, KEYS)
  if (unknown !== null) return invalid(unknown)
  const type = typeOf(fields['type'])
  if (type === null) return invalid('asks for a snapshot of another type than incremental and blocking')
  const tables = patternsOf(fields['data-collections'])
  if (typeof tables === 'string') return invalid(tables)
  const conditions = conditionsOf(fields['additional-conditions'])
  if (typeof conditions === 'string') return invalid(conditions)
  const { 'surrogate-key': surrogate } = fields
  const surrogateKey = typeof surrogate === 'string' && surrogate.trim() !== '' ? surrogate.trim() : null
  return { tag: 'request', request: { type, tables, conditions, surrogateKey } }
}

const KEYS: readonly string[] = ['data-collections', 'type', 'additional-conditions', 'surrogate-key']
const CONDITION_KEYS: readonly string[] = ['data-collection', 'filter']

/** A condition that is ignored would copy all rows, and a list of tables that is ignored would stop all of them. */
function unknownKey(fields: Readonly<Record<string, unknown>>, known: readonly string[]): string | null {
  const key = Object.keys(fields).find((name) => !known.includes(name))
  if (key === undefined) return null
  if (key === 'additional-condition')
    return 'has an additional-condition, which is now additional-conditions: [{"data-collection": "database.table", "filter": "..."}]'
  return `has the unknown key ${JSON.stringify(key.slice(0, 100))}; known keys: ${known.join(', ')}`
}

function typeOf(value: unknown): SnapshotRequest['type'] | null {
  if (value === undefined || value === null) return 'incremental'
  const type = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return type === 'incremental' || type === 'blocking' ? type : null
}

/** Null: there are none. A text: the reason why they cannot be read. */
function patternsOf(value: unknown): readonly RegexList[] | null | string {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) return 'has data-collections that are not a list'
  const patterns: RegexList[] = []
  for (const each of value as readonly unknown[]) {
    const pattern = patternOf(each)
    if (typeof pattern === 'string') return pattern
    patterns.push(pattern)
  }
  return patterns
}

function patternOf(value: unknown): RegexList | string {
  if (typeof value !== 'string' || value.trim() === '') return 'has data-collections that are not names'
  // The list is one of JSON: a comma belongs to the pattern.
  const escaped = value.trim().replaceAll(/\\?,/g, String.raw`\,`)
  const refusal = regexListRefusal(escaped)
  return refusal === null
    ? new RegexList(escaped)
    : `has the data-collection ${value.slice(0, 200)}: ${refusal.slice(0, 400)}`
}

function conditionsOf(value: unknown): readonly TableCondition[] | string {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return 'has additional-conditions that are not a list'
  const conditions: TableCondition[] = []
  for (const each of value as readonly unknown[]) {
    const fields = (typeof each === 'object' && each !== null ? each : {}) as Readonly<Record<string, unknown>>
    const unknown = unknownKey(fields, CONDITION_KEYS)
    if (unknown !== null) return `${unknown} of an additional condition`
    const tables = patternOf(fields['data-collection'])
    if (typeof tables === 'string') return tables
    const { filter } = fields
    if (typeof filter !== 'string' || filter.trim() === '') return 'has an additional condition without a filter'
    conditions.push({ tables, filter: filter.trim() })
  }
  return conditions
}

function invalid(reason: string): ParsedRequest {
  return { tag: 'invalid', reason }
}
