import type { TopicEvent } from '@tributary/rest-api'

/** A Map: operations are texts of a topic, which may have the names of an object's own members. */
const OPERATIONS: ReadonlyMap<string, readonly [word: string, kind: string]> = new Map([
  ['c', ['insert', 'good']],
  ['u', ['update', 'change']],
  ['d', ['delete', 'bad']],
  ['r', ['snapshot', 'soft']],
  ['t', ['truncate', 'bad']],
  ['m', ['message', 'soft']],
])

/** The operation for people, and the class of its colour. */
export function wordOf({ op, isTombstone }: Pick<TopicEvent, 'op' | 'isTombstone'>): readonly [string, string] {
  if (isTombstone) return ['tombstone', 'soft']
  return op === null ? ['record', 'soft'] : (OPERATIONS.get(op) ?? [op, 'soft'])
}

const MEMBER = /"([^"\\=,]*)":("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/g
const FLAT = new RegExp(String.raw`^\{${MEMBER.source}(?:,${MEMBER.source})*\}$`, 's')

/** `{"id":7}` → `id=7`. Values keep their spelling; a key of another form stays as it is. */
export function shortKey(key: string | null): string {
  if (key === null) return ''
  return FLAT.test(key) ? Array.from(key.matchAll(MEMBER), ([, name, value]) => `${name}=${value}`).join(', ') : key
}

/** What has changed, or the row. */
export function summaryOf({ op, fields, value, isTombstone }: TopicEvent): string {
  if (isTombstone) return ''
  if (op === null) return value ?? ''
  const changed = fields.filter(({ isChanged }) => isChanged)
  if (op === 'u' && changed.length > 0) {
    return changed.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join('   ')
  }
  return fields.map(({ name, before, after }) => `${name}=${after ?? before}`).join('   ')
}

/**
 * JSON with line ends between its tokens. Not through JSON.parse, which would round numbers. Other texts
 * would be altered: only for documents.
 */
export function indented(json: string): string {
  let text = ''
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.max(0, depth))}`
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/gs)) {
    if (token === '{' || token === '[') {
      depth += 1
      text += token + line()
    } else if (token === '}' || token === ']') {
      depth -= 1
      text += line() + token
    } else if (token === ',') text += token + line()
    else if (token.startsWith('"')) text += token
    else text += token === ':' ? ': ' : token.trim()
  }
  return text
}
