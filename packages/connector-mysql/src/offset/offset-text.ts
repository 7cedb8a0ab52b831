import type { OffsetDocument } from '@tributary/connect-api'

/** An offset as JSON, for the log. That of a signal topic is a bigint, which JSON.stringify refuses. */
export function offsetText(document: OffsetDocument): string {
  return JSON.stringify(document, (_name, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))
}
