import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { Comparison } from './comparison.ts'
import { PartReader } from './part-readers.ts'
import { Window } from './window.ts'

const JSON_CONVERTER = { className: 'org.apache.kafka.connect.json.JsonConverter', options: {} }
const NOW = 1_795_000_000_000
const END = NOW + 600_000

interface Compared {
  readonly compared: Comparison
  /** @param passed whether Kafka Connect has stored an offset after everything */
  readonly finish: (passed?: boolean) => Promise<readonly string[]>
}

function comparison(from: number, partitions = 1): Compared {
  const window = new Window({ from: { file: 'b.000001', position: from, row: 0 }, isWithin: false, startMs: NOW })
  const compared = new Comparison({
    keys: new PartReader(JSON_CONVERTER, 'key'),
    values: new PartReader(JSON_CONVERTER, 'value'),
    window,
    partitionsOf: () => partitions,
  })
  const finish = async (passed = false): Promise<readonly string[]> => {
    window.end(END)
    const counts = await compared.finish(() => passed)
    const found = compared.tally.groups.map(
      ({ kind, path, count, reason }) => `${count} ${kind} ${path}${reason ?? '!'}`,
    )
    return [...found, ...Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))]
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

interface Parts {
  readonly key: Buffer | null
  readonly value: Buffer | null
}

function ours(compared: Comparison, ...records: readonly Parts[]): void {
  for (const record of records) {
    compared.made({ topic: 't', partition: null, headers: [], changedAtMs: NOW, ...record })
  }
}

let offset = 0n
function theirs(compared: Comparison, ...records: readonly Parts[]): void {
  for (const record of records) found(compared, record)
}

function found(compared: Comparison, record: Parts, more: Partial<LogRecord> = {}): void {
  const written = { topic: 't', partition: 0, offset: offset++, timestamp: NOW, headers: [], ...record, ...more }
  compared.found(written)
}

/** A row alone, as ExtractNewRecordState leaves it. */
function row(id: number, more: object = {}): Parts {
  return { key: Buffer.from(JSON.stringify({ id })), value: Buffer.from(JSON.stringify({ id, ...more })) }
}

test('equal records on both sides, in either order of arrival, are equal', async () => {
  const { compared, finish } = comparison(100)
  const records = [event(200, 1), tombstone(1), event(300, 2), event(400, 1)]
  ours(compared, ...records.slice(0, 2))
  theirs(compared, event(50, 1), ...records)
  ours(compared, ...records.slice(2))
  assert.deepEqual(await finish(), [])
  assert.deepEqual(compared.tally.counts, { rehearsed: 4, compared: 4, equal: 4 })
})

test('a changed field is named by its path, and digits beyond 2^53 count', async () => {
  const { compared, finish } = comparison(100)
  const exact = (digits: string): Parts => {
    const { key, value } = event(200, 1, { after: { id: 1, big: 'N' } })
    return { key, value: Buffer.from(value.toString().replace('"N"', digits)) }
  }
  ours(compared, exact('18446744073709551615'))
  theirs(compared, exact('18446744073709551614'))
  assert.deepEqual(await finish(), ['1 value value.after.big!'])
})

test('a lost record is missing when a later one was sent, and late otherwise', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1), event(300, 2), event(400, 3))
  theirs(compared, event(300, 2))
  assert.deepEqual(await finish(), ['1 missing event with op=c!', '1 late'])
})

test('an additional record is found inside the window only', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1), event(400, 2))
  theirs(compared, event(50, 1), event(200, 1), event(300, 9), event(200, 1), event(400, 2), event(500, 1))
  assert.deepEqual(await finish(), ['2 extra event with op=c!'])
})

test('a record of the binary log of another server is counted as not compared', async () => {
  const { compared, finish } = comparison(100)
  const { key, value } = event(300, 7)
  ours(compared, event(200, 1))
  theirs(compared, event(200, 1), { key, value: Buffer.from(value.toString().replace('b.0', 'other.0')) })
  assert.deepEqual(await finish(), ['1 unplaced'])
})

test('another order of one key is found, but not of different keys', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1), event(300, 1), event(400, 2), event(500, 3))
  theirs(compared, event(300, 1), event(200, 1), event(500, 3), event(400, 2))
  assert.deepEqual(await finish(), ['1 order !'])
})

test('of what is before the stored offset, only a statement is made again on purpose', async () => {
  const { compared, finish } = comparison(300)
  const statement: Parts = {
    key: Buffer.from('{"id":1}'),
    value: Buffer.from(JSON.stringify({ ddl: 'DROP TABLE x', source: { file: 'b.000001', pos: 250, row: 0 } })),
  }
  ours(compared, event(200, 1), statement)
  theirs(compared, event(200, 1), statement)
  const [rewound, repeated = ''] = await finish()
  assert.equal(rewound, '1 repeated event with op=c!')
  assert.match(repeated, /^1 repeated schema change.*the stored offset is before it/)
})

test('records without a place are paired by content, and a wrong one is named by its field', async () => {
  const { compared, finish } = comparison(100)
  const flat = (id: number, text: string, ms: number): Parts => ({
    key: Buffer.from(JSON.stringify({ id })),
    value: Buffer.from(JSON.stringify({ id, text, __ts_ms: ms })),
  })
  ours(compared, flat(1, 'a', 1_795_000_000_111), flat(1, 'b', 1_795_000_000_111))
  theirs(compared, flat(1, 'old', 1_795_000_000_000), flat(1, 'a', 1_795_000_000_222), flat(1, 'X', 1_795_000_000_333))
  assert.deepEqual(
    (await finish()).filter((text) => text.endsWith('!')),
    ['1 value value.text!'],
  )
  assert.equal(compared.tally.counts.compared, 2)
})

test('without a place: what only Kafka Connect wrote between two pairs is found', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, row(1), row(3))
  theirs(compared, row(9), row(1), row(2), row(3), row(4))
  assert.deepEqual(await finish(), ['1 extra record!'])
})

test('without a place: a table that the rehearsal lost, and the end that it did not reach, are not proven', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, row(1))
  theirs(compared, row(1))
  const at = (ms: number): Partial<LogRecord> => ({ topic: 'lost', timestamp: NOW + ms })
  found(compared, row(2), at(0))
  for (const ms of [10_000, 20_000, 300_000]) found(compared, row(2), at(ms))
  found(compared, row(2), at(600_000))
  found(compared, row(5), { timestamp: NOW + 400_000 })
  assert.deepEqual(await finish(), ['4 unplaced'])
})

test('without a place: what only the rehearsal made before a later pair of the partition is missing', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, row(1), row(2), row(3), row(4))
  theirs(compared, row(1), row(3))
  assert.deepEqual(await finish(), ['1 missing record!', '1 late'])
})

test('records after the last one of a rehearsal that has stopped early are counted', async () => {
  const { compared, finish } = comparison(100)
  ours(compared, event(200, 1))
  theirs(compared, event(200, 1))
  for (const [i, ms] of [60_000, 120_000, 599_000].entries()) {
    found(compared, event(300 + i, 1), { timestamp: NOW + ms })
  }
  assert.deepEqual(await finish(), ['2 unreached'])
})

for (const [title, columns] of [
  ['op', { op: 'x' }],
  ['status', { status: 'x' }],
  ['ddl', { ddl: 'x' }],
  ['ddl and a text in source', { ddl: 'x', source: 'y' }],
] as const) {
  test(`a row with the column ${title} is a row: its ts_ms counts, and __ts_ms does not`, async () => {
    const { compared, finish } = comparison(100)
    ours(compared, row(1, { ...columns, ts_ms: NOW, __ts_ms: NOW }))
    theirs(compared, row(1, { ...columns, ts_ms: NOW + 1, __ts_ms: NOW + 1 }))
    const differences = await finish()
    assert.match(differences.join('; '), /^1 value value\.ts_ms!; 1 value value\.__ts_mswhen the program[^;]*$/)
  })
}

test('rows with the columns id and status are different events, although both are equal', async () => {
  const { compared, finish } = comparison(100)
  const order = (sum: number): Parts => row(1, { id: 'u1', status: 'PAID', sum })
  ours(compared, order(1), order(2))
  theirs(compared, order(1), order(3), order(2))
  assert.deepEqual(await finish(), ['1 extra record!'])
})

test('rows that alternate between two contents are not out of order', async () => {
  const { compared, finish } = comparison(100)
  const states = [1, 2, 1, 2, 1].map((n) => row(1, { n }))
  theirs(compared, row(1, { n: 2 }), ...states.slice(0, 2))
  ours(compared, ...states)
  theirs(compared, ...states.slice(2))
  assert.deepEqual(await finish(), [])
  assert.equal(compared.tally.counts.equal, 5)
})

test('in several partitions, records without a key have the order of their partition only', async () => {
  const { compared, finish } = comparison(100, 2)
  const keyless = (pos: number): Parts => ({ ...event(pos, 1), key: null })
  ours(compared, ...[200, 300, 400, 500].map(keyless))
  for (const [partition, pos] of [
    [1, 400],
    [0, 300],
    [0, 200],
    [1, 500],
  ] as const) {
    found(compared, keyless(pos), { partition })
  }
  assert.deepEqual(await finish(), ['1 order !'])
})

test('thousands of records of one key that wait are matched and judged in a moment', async () => {
  const { compared, finish } = comparison(100)
  const numbers = Array.from({ length: 5_000 }, (_, i) => i)
  for (const i of numbers) ours(compared, event(200 + i, 1))
  for (const i of numbers) theirs(compared, event(200 + i, 1))
  for (const i of numbers) ours(compared, row(2, { i }))
  for (const i of numbers) theirs(compared, row(2, { i: -i - 1 }))
  const startMs = performance.now()
  await finish()
  assert.ok(performance.now() - startMs < 5_000)
  assert.equal(compared.tally.counts.compared, 10_000)
})

test('a long history before the offset, and what follows the end, take no memory', async () => {
  const { compared, finish } = comparison(1_000_000)
  ours(compared, event(1_000_100, 1))
  theirs(compared, ...Array.from({ length: 3_000 }, (_, i) => event(i, i)))
  const { theirs: bytes } = compared.bytes
  assert.ok(bytes < 600 * 800, `${bytes} bytes`)
  theirs(compared, event(1_000_100, 1))
  assert.deepEqual(await finish(), [])
  found(compared, event(1_000_200, 2), { timestamp: NOW + 60_000 })
  assert.equal(compared.bytes.theirs, bytes)
  assert.deepEqual(await finish(), ['1 unreached'])
})
