import type { LogPlace } from '../offset/stream-position.ts'

export type { LogPlace }

/** Negative when `a` is before `b`. Both are of one server. */
export function comparePlaces(a: LogPlace, b: LogPlace): number {
  return fileNumber(a.file) - fileNumber(b.file) || a.position - b.position
}

function fileNumber(file: string): number {
  return Number(file.slice(file.lastIndexOf('.') + 1))
}

/** `binlog.000009` → `binlog.000010` */
export function fileAfter(file: string): string {
  const dot = file.lastIndexOf('.') + 1
  return file.slice(0, dot) + String(fileNumber(file) + 1).padStart(file.length - dot, '0')
}
