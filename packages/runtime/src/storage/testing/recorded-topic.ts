import type { LogRecord } from '@tributary/kafka'
import { readFileSync } from 'node:fs'

/** A record that a real worker wrote to an internal topic (fixtures/internal-topics). */
export interface RecordedRecord {
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly key: string
  readonly value: string | null
}

export function recordedTopic(topic: 'configs' | 'offsets' | 'statuses'): readonly RecordedRecord[] {
  const url = new URL(`../../../fixtures/internal-topics/my_connect_${topic}.jsonl`, import.meta.url)
  const lines = readFileSync(url, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as RecordedRecord)
}

/** A record as a reader returns it. */
export function logRecord(key: string | null, value: string | null, offset = 0): LogRecord {
  return {
    topic: 'internal',
    partition: 0,
    offset: BigInt(offset),
    timestamp: 0,
    key: key === null ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers: [],
  }
}
