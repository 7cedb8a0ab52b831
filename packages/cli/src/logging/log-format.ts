import { entryText } from '@tributary/support'

/** A parsed line of the logger; `createLogger` documents its keys. */
export interface LogRecord {
  readonly level: string
  readonly time: number
  readonly msg: string
  readonly [field: string]: unknown
}

const CONTEXT = ['connectorType', 'connectorName', 'connectorContext']

/**
 * Formats a line as the Debezium image does; operators search logs by its context (`MySQL|dbserver1|snapshot`):
 *
 *     2026-11-21 13:05:01,123 INFO   MySQL|dbserver1|snapshot  Snapshot step 1 - Preparing
 *
 * Further fields follow as key=value, and the stack of an error in lines of its own. Only the first line of an entry
 * begins with a time; the others are indented. Controls in texts of servers are escaped.
 */
export function formatLogLine(line: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(line) as LogRecord
  const context = CONTEXT.map((name) => textOf(fields[name] ?? '')).join('|')
  const rest = Object.entries(fields)
    .filter(([name]) => !CONTEXT.includes(name))
    .map(([name, value]) => `  ${name}=${textOf(value)}`)
    .join('')
  const text = entryText(`${context}  ${msg}${rest}${errorText(error)}`)
  return `${timestamp(time)} ${level.toUpperCase().padEnd(5)}  ${text}\n`
}

function timestamp(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('.', ',').replace('Z', '')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { stack?: string; message?: string }
  return `\n${stack ?? message ?? ''}`
}
