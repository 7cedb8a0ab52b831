import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { Comparison } from './comparison.ts'
import { Window } from './compared-record.ts'
import { PartReader } from './part-readers.ts'

const JSON_CONVERTER = { className: 'org.apache.kafka.connect.json.JsonConverter', options: {} }
const NOW = 1_795_000_000_000

function comparison(from: number): { readonly compared: Comparison; readonly finish: (passed?: boolean) => string[] } {
  const compared = new Comparison({
    keys: new PartReader(JSON_CONVERTER, 'key'),
    values: new PartReader(JSON_CONVERTER, 'value'),
    window: new Window({ from: { file: 'b.000001', position: from, row: 0 }, isWithin: false, startMs: NOW }),
    partitionsOf: () => 1,
  })
  const finish = (passed = false): string[] => {
    const { late, unplaced } = compared.finish(() => passed)
    const found = compared.tally.groups.map(
      ({ kind, path, count, reason }) => `${count} ${kind} ${path}${reason ?? '!'}`,
    )
    return [...found, ...(late > 0 ? [`${late} late`] : []), ...(unplaced > 0 ? [`${unplaced} unplaced`] : [])]
  }
  return { compared, finish }
}

function event(pos: number, id: number, more: object = {}): { readonly key: Buffer; readonly value: Buffer } {
  const source = { file: 'b.000001', pos, row: 0 }
  return {
    key: Buffer.from(JSON.stringify({ id })),
    value: Buffer.from(JSON.stringify({ op: 'c', after: { id }, source, ...more })),
  }
}

function tombstone(id: number): { readonly key: Buffer; readonly value: null } {
  return { key: Buffer.from(JSON.stringify({ id })), value: null }
}

type Parts = { readonly key: Buffer; readonly value: Buffer | null }

function ours(compared: Comparison, ...records: readonly Parts[]): void {
  for (const record of records) {
    compared.made({ topic: 't', partition: null, headers: [], changedAtMs: NOW, ...record })
  }
}

let offset = 0n
function theirs(compared: Comparison, ...records: readonly Parts[]): void {
  for (const record of records) {
    const written: LogRecord = { topic: 't', partition: 0, offset: offset++, timestamp: NOW, headers: [], ...record }
    compared.found(written)
  }
}

test('equal records on both sides, in either order of arrival, are equal', () => {
  const { compared, finish } = comparison(100)
  const records = [event(200, 1), tombstone(1), event(300, 2), event(400, 1)]
  ours(compared, ...records.slice(0, 2))
  theirs(compared, event(50, 1), ...records)
  ours(compared, ...records.slice(2))
  assert.deepEqual(finish(), [])
  assert.deepEqual(compared.tally.counts, { rehearsed: 4, compared: 4, equal: 4 })
})

test('a changed field is named by its path, and digits beyond 2^53 count', () => {
  const { compared, finish } = comparison(100)
  const exact = (digits: string): Parts => {
    const { key, value } = event(200, 1, { after: { id: 1, big: 'N' } })
    return { key, value: Buffer.from(value.toString().replace('"N"', digits)) }
  }
  ours(compared, exact('18446744073709551615'))
  theirs(compared, exact('18446744073709551614'))
  assert.deepEqual(finish(), ['1 value value.after.big!'])
})

test('a lost record is missing when a later one was sent, and late otherwise', () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1), event(300, 2), event(400, 3))
  theirs(compared, event(300, 2))
  assert.deepEqual(finish(), ['1 missing event with op=c!', '1 late'])
})

test('an additional record is found inside the window only', () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1), event(400, 2))
  theirs(compared, event(50, 1), event(200, 1), event(300, 9), event(200, 1), event(400, 2), event(500, 1))
  assert.deepEqual(finish(), ['2 extra event with op=c!'])
})

test('a record of the binary log of another server is counted as not compared', () => {
  const { compared, finish } = comparison(100)
  const { key, value } = event(300, 7)
  ours(compared, event(200, 1))
  theirs(compared, event(200, 1), { key, value: Buffer.from(value.toString().replace('b.0', 'other.0')) })
  assert.deepEqual(finish(), ['1 unplaced'])
})

test('another order of one key is found, but not of different keys', () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1), event(300, 1), event(400, 2), event(500, 3))
  theirs(compared, event(300, 1), event(200, 1), event(500, 3), event(400, 2))
  assert.deepEqual(finish(), ['1 order !'])
})

test('a record before the stored offset that is made again has a name', () => {
  const { compared, finish } = comparison(300)
  ours(compared, event(200, 1))
  theirs(compared, event(200, 1))
  const [found = ''] = finish()
  assert.match(found, /^1 repeated event with op=c.*the stored offset is before it/)
})

test('records without a place are paired by content, and a wrong one is named by its field', () => {
  const { compared, finish } = comparison(100)
  const flat = (id: number, text: string, ms: number): Parts => ({
    key: Buffer.from(JSON.stringify({ id })),
    value: Buffer.from(JSON.stringify({ id, text, __ts_ms: ms })),
  })
  ours(compared, flat(1, 'a', 1_795_000_000_111), flat(1, 'b', 1_795_000_000_111))
  theirs(compared, flat(1, 'old', 1_795_000_000_000), flat(1, 'a', 1_795_000_000_222), flat(1, 'X', 1_795_000_000_333))
  assert.deepEqual(
    finish().filter((text) => text.endsWith('!')),
    ['1 value value.text!'],
  )
  assert.equal(compared.tally.counts.compared, 2)
})
