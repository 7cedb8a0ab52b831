import { canonicalText, type ExactJson, ExactNumber } from './exact-json.ts'

/**
 * The mask of a value that differs in every run. Its unit and form stay visible: milliseconds instead of microseconds,
 * or a GTID instead of a set, are differences.
 */
export function maskOf(path: string, value: ExactJson): string | undefined {
  if (value instanceof ExactNumber) {
    // `x_` is the prefix that 22_smt_topics~unwrap-rewrite-tomb adds.
    if (/^(?:source\.|position\.|x_)?ts_(?:ms|us|ns|sec)$/.test(path)) return timeMask(value.normalForm)
    if (/^source\.(?:server_id|pos|thread)$|^position\.(?:pos|server_id)$/.test(path)) {
      return value.normalForm === '0' ? '0' : '<number>'
    }
  }
  if (typeof value !== 'string') return undefined
  if (path === 'source.version') return '<version>'
  if (path === 'headers.__debezium.context.runId') return UUID.test(value) ? '<uuid>' : value
  if (/^(?:source|position)\.file$/.test(path)) return value.replace(/^.+\.\d{6,}$/, '<binlog>')
  if (/^(?:source\.gtid|transaction\.id|(?:key\.)?id|position\.transaction_id)$/.test(path))
    return transactionMask(value)
  return path === 'position.gtids' ? gtidSetMask(value) : undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Seconds since 1970 in this century. */
const SECONDS = /^[1-3]\d{9}$/

function timeMask(text: string): string {
  if (SECONDS.test(text)) return '<s>'
  const unit = UNITS.find(([digits]) => SECONDS.test(text.slice(0, -digits)))
  return unit === undefined ? text : `<${unit[1]}>`
}

const UNITS = [
  [3, 'ms'],
  [6, 'us'],
  [9, 'ns'],
] as const

/** The mask for a streamed statement, whose time the reference writes in whole milliseconds. */
export function statementMaskOf(path: string, value: ExactJson): string | undefined {
  const masked = maskOf(path, value)
  const isOfMillis = path === 'source.ts_us' && value instanceof ExactNumber && value.normalForm.endsWith('000')
  return isOfMillis ? `${masked} of whole ms` : masked
}

function gtidMask(text: string): string {
  return text.replace(/^[0-9a-f-]{36}:\d+$/, '<uuid>:<n>').replace(/^\d+-\d+-\d+$/, '<domain>-<server>-<n>')
}

/** A GTID, or the place where a transaction begins. */
function transactionMask(text: string): string | undefined {
  const masked = gtidMask(text).replace(/^file=[\w.-]+\.\d{6,},pos=\d+$/, 'file=<binlog>,pos=<number>')
  return masked === text ? undefined : masked
}

/** The number of servers and intervals depends on the server's past. */
function gtidSetMask(text: string): string {
  if (/^([0-9a-f-]{36}(:\d+(-\d+)?)+,?)+$/.test(text)) return '<set of uuid:a-b>'
  return /^(\d+-\d+-\d+,?)+$/.test(text) ? '<list of domain-server-n>' : text
}

/** A stored offset: its keys in their order, and its values under the same masks. */
export function offsetText(offset: ExactJson): string {
  if (offset === null || typeof offset !== 'object' || Array.isArray(offset) || offset instanceof ExactNumber) {
    return canonicalText(offset)
  }
  const compared = Object.entries(offset).filter(([name]) => !OWN_KEYS.has(name))
  const texts = compared.map(([name, value]) => {
    return `${name}=${maskOf(`position.${name}`, value) ?? canonicalText(value)}`
  })
  return texts.join(' ')
}

/** Keys of Tributary's offsets that Debezium does not have, and ignores. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  'server_identity',
  'file_created',
  'counts_statements',
  'captured_lists',
  'snapshot_progress',
])
