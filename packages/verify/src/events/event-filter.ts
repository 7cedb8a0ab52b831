import { ExactNumber, isObject, jsonText, type JsonValue } from '../forms/json-value.ts'
import { compareDecimals, decimalOf } from './event-number.ts'

/** What a filter looks at. */
export interface FilteredRecord {
  readonly partition: number
  readonly offset: bigint
  readonly key: JsonValue | undefined
  readonly keyText: string | null
  readonly value: JsonValue | undefined
  readonly valueText: string | null
}

export type EventFilter = (record: FilteredRecord) => boolean

/**
 * Terms that all must be true, separated by spaces:
 *
 *     word              the key or the value contains it, in either case
 *     "two words"       the same with a space
 *     op=u              a member of the value; also !=, <, <=, >, >=
 *     after.total>100   a field of a row; a number is compared with numbers only, with all their digits
 *     total=100         a field of the row after or before the change, or of the key
 *     key.id=7          a field of the key; key=7 for a key without fields
 *     partition=0       the place of the record; also offset>1000
 *
 * `!=` finds the records that have the field and that `=` does not find: `total!=100` needs another total before and
 * after the change. NULL is neither less nor greater than anything.
 * A key or a value that is no document has no members: only words find it.
 */
export function parseFilter(text: string): EventFilter {
  const terms = Array.from(text.matchAll(TERM), ([term]) => termOf(term))
  return (record) => terms.every((isTrue) => isTrue(record))
}

const TERM = /(?:[^\s"]|"[^"]*"?)+/g
const COMPARISON = /^([^\s"=<>!]+)(!=|<=|>=|=|<|>)(.*)$/s

function termOf(term: string): EventFilter {
  const [, path, operator, wanted] = COMPARISON.exec(term) ?? []
  if (path === undefined || operator === undefined || wanted === undefined) return containing(unquoted(term))
  return (record) => {
    const values = valuesAt(record, path)
    return operator === '!='
      ? values.length > 0 && values.every((value) => !compare(value, '=', unquoted(wanted)))
      : values.some((value) => compare(value, operator, unquoted(wanted)))
  }
}

function unquoted(text: string): string {
  return text.replaceAll('"', '')
}

function containing(word: string): EventFilter {
  const wanted = word.toLowerCase()
  return ({ keyText, valueText }) => [keyText, valueText].some((text) => text?.toLowerCase().includes(wanted) === true)
}

/** The values that a name may mean. */
function valuesAt(record: FilteredRecord, path: string): readonly JsonValue[] {
  const { key, value } = record
  if (path === 'partition') return [record.partition]
  if (path === 'offset') return [new ExactNumber(String(record.offset))]
  if (path === 'key') return key === undefined ? [] : [key]
  if (path.startsWith('key.')) return memberAt(key, path.slice('key.'.length))
  const own = memberAt(value, path)
  if (own.length > 0) return own
  return [...memberAt(value, `after.${path}`), ...memberAt(value, `before.${path}`), ...memberAt(key, path)]
}

function memberAt(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  let found = value
  for (const name of path.split('.')) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return []
    found = found[name]
  }
  return found === undefined ? [] : [found]
}

/** A wanted number is compared with numbers, exactly; everything else as text. Only `=null` finds null. */
function compare(value: JsonValue, operator: string, wanted: string): boolean {
  const order = orderOf(value, wanted)
  switch (operator) {
    case '=':
      return order === 0
    case '<':
      return order !== null && order < 0
    case '<=':
      return order !== null && order <= 0
    case '>':
      return order !== null && order > 0
    default:
      return order !== null && order >= 0
  }
}

/** Null: the two have no order, such as NULL or a text and a number. */
function orderOf(value: JsonValue, wanted: string): number | null {
  const text = typeof value === 'string' ? value : jsonText(value)
  const wantedNumber = decimalOf(wanted)
  if (wantedNumber !== null) {
    const number = decimalOf(text)
    return number === null ? null : compareDecimals(number, wantedNumber)
  }
  if (text === wanted) return 0
  if (typeof value !== 'string') return null
  return text < wanted ? -1 : 1
}
