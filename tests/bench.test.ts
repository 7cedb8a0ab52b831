import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FigureList, FLOOR, OF_MACHINE, type Bench, type BenchOptions } from '../bench/run/bench.ts'
import { canonicalValue } from '../bench/compare/same-records.ts'
import { interleaved } from '../bench/compare/interleaved.ts'
import { median, quantile } from '../bench/measure/quantiles.ts'
import { stolenShare, ticksOf } from '../bench/measure/stolen-time.ts'
import { TopicCheck } from '../bench/measure/verify-topic.ts'
import { parseCommand } from '../bench/run/options.ts'
import { runRow } from '../bench/run/run-row.ts'
import { figureTable } from '../bench/report/figure-table.ts'
import { before, reference, systems, tributary } from '../bench/systems/system.ts'

// The checks and counts of the benchmarks. The records have the record format v1, with shorter schemas.

interface Row {
  readonly id: number
  readonly seq: number
}

function recordOf(op: string, before: Row | null, after: Row | null, keyId: number = (after ?? before)?.id ?? 0) {
  const key = { schema: { field: 'id' }, payload: { id: keyId } }
  const payload = { before, after, source: { server_id: 1, row: 0 }, op, ts_ms: 1 }
  return [key, { schema: { fields: [{ field: 'seq' }] }, payload }] as const
}

type Documents = readonly [key: object, value: object]

const insert = (id: number, seq: number): Documents => recordOf('c', null, { id, seq })
const update = (id: number, from: number, to: number): Documents => recordOf('u', { id, seq: from }, { id, seq: to })
const remove = (id: number, seq: number): Documents => recordOf('d', { id, seq }, null)
const tombstone = (id: number): Documents => [{ payload: { id } }, { schema: null, payload: null }]

function check(records: readonly Documents[]): TopicCheck {
  const topicCheck = new TopicCheck('bank')
  for (const [offset, [key, value]] of records.entries()) {
    const [keyBytes, valueBytes] = [key, value].map((document) => Buffer.from(JSON.stringify(document)))
    topicCheck.add({ key: keyBytes ?? null, value: valueBytes ?? null, offset: BigInt(offset) })
  }
  return topicCheck
}

test('a topic with all expected records in order passes the check', () => {
  const records = [
    insert(1, 1),
    insert(2, 2),
    update(1, 1, 3),
    remove(2, 2),
    tombstone(2),
    insert(2, 4),
    update(9, 0, 5),
  ]
  check(records).finish({ c: 3, u: 2, d: 1, tombstone: 1 })
})

const wrong: readonly (readonly [what: string, records: readonly Documents[], message: RegExp])[] = [
  ['a repeated record', [insert(1, 1), insert(1, 1)], /record 1 of bank: seq 1 follows 1/],
  ['two swapped records', [insert(1, 2), insert(2, 1)], /seq 1 follows 2/],
  ['a missing change', [insert(1, 1), update(1, 2, 3)], /row 1 had seq 2 before the change, and 1 after/],
  ['a delete of another row state', [insert(1, 1), remove(1, 7)], /row 1 had seq 7 before the change/],
  ["another row's key", [recordOf('c', null, { id: 1, seq: 1 }, 2)], /the key 2 is not that of its row/],
  ['missing records', [insert(1, 1)], /bank contains 1 c; expected 2 c/],
]

for (const [what, records, message] of wrong) {
  test(`the check of a topic finds ${what}`, () => assert.throws(() => check(records).finish({ c: 2 }), { message }))
}

test('a quantile is one of the values', () => {
  const values = Array.from({ length: 1000 }, (_, i) => 1000 - i)
  assert.deepEqual(
    [0.5, 0.99, 0.999, 1].map((share) => quantile(values, share)),
    [500, 990, 999, 1000],
  )
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3]), quantile([7], 0.5)], [2, 2.5, 7])
})

test('the table has a column per system, ranges for several runs, and the ratio to Tributary', () => {
  const rate = { bench: 'w1', name: 'changes', unit: '1/s' }
  const peak = { bench: 'w1', name: 'peak memory', unit: 'MB' }
  // A figure of the machine has no ratio.
  const stolen = { bench: 'w1', name: 'stolen', unit: OF_MACHINE }
  const figures = [
    { ...rate, system: 'tributary', values: [61_200, 59_800, 60_400] },
    { ...rate, system: 'reference', values: [10_000, 10_000, 20_000] },
    { ...peak, system: 'tributary', values: [250] },
    { ...peak, system: 'reference', values: [1000] },
    { ...stolen, system: 'tributary', values: [4] },
    { ...stolen, system: 'reference', values: [2] },
    { bench: 'floors', name: 'binlog bytes counted', unit: 'changes a second', system: 'floor', values: [1_800_000] },
  ]
  assert.deepEqual(
    figureTable(figures)
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['row', 'figure', 'unit', 'tributary', 'reference', '×', 'floor'],
      ['w1', 'changes', '1/s', '60,400 (59,800–61,200)', '10,000 (10,000–20,000)', '6.04'],
      ['', 'peak memory', 'MB', '250', '1,000', '4.00'],
      ['', 'stolen', '% of the processors', '4.00', '2.00'],
      ['floors', 'binlog bytes counted', 'changes a second', '1,800,000'],
    ],
  )
})

test('systems take turns, in reverse order in every second run', () => {
  const order = interleaved([tributary, reference], 3).map(({ system, run }) => `${system.name} ${run}`)
  assert.deepEqual(order, ['tributary 0', 'reference 0', 'reference 1', 'tributary 1', 'tributary 2', 'reference 2'])
})

const event = {
  before: null,
  after: { id: 1, amount: '12.50', large: '@' },
  source: { version: '3.6.1.Final', ts_ms: 1, snapshot: 'false', pos: 157 },
  op: 'c',
  ts_ms: 2,
}
const eventText = (changes: object): string =>
  JSON.stringify({ schema: { name: 'x' }, payload: { ...event, ...changes } }).replace('"@"', '9007199254740993')

test('values are equal regardless of writer, time of writing and order of members', () => {
  const { op, source, ...others } = event
  const turned = {
    schema: { name: 'x' },
    payload: { op, ...others, ts_ms: 3, source: { ...source, version: '0.1.0' } },
  }
  assert.equal(canonicalValue(JSON.stringify(turned).replace('"@"', '9007199254740993')), canonicalValue(eventText({})))
})

const differing: readonly (readonly [what: string, text: string])[] = [
  ['another position', eventText({ source: { ...event.source, pos: 158 } })],
  ['another time of the change', eventText({ source: { ...event.source, ts_ms: 9 } })],
  ['another number beyond 2^53', eventText({}).replace('9007199254740993', '9007199254740992')],
  ['another schema', eventText({}).replace('"x"', '"y"')],
]

for (const [what, text] of differing) {
  test(`values with ${what} are not equal`, () => assert.notEqual(canonicalValue(text), canonicalValue(eventText({}))))
}

test('the command line names the benchmarks and sets their options', () => {
  const { names, json, artefact, options } = parseCommand(['w1', 's1', '--json', 'a.json', '--mariadb'])
  assert.deepEqual([names, json, artefact], [['w1', 's1'], 'a.json', null])
  assert.deepEqual([options.runs, options.flavor, options.systems], [3, 'mariadb', systems])
  assert.equal(parseCommand(['--quick']).options.runs, 1)
  assert.equal(parseCommand(['--quick', '--runs', '2']).options.runs, 2)
  assert.deepEqual(parseCommand(['--systems', 'reference,tributary']).options.systems, [reference, tributary])
  assert.throws(() => parseCommand(['--systems', 'debezium']), {
    message: /the known systems are tributary, reference, /,
  })
  assert.throws(() => parseCommand(['--runs', '0']), { message: /--runs 0: expected a whole number of at least 1/ })
  assert.throws(() => parseCommand(['--quik']), TypeError)
})

test('--against adds the system `before` beside the current build, and other systems only when they are named', () => {
  const systemsOf = (...args: readonly string[]): readonly string[] =>
    parseCommand(args).options.systems.map(({ name }) => name)

  assert.equal(parseCommand(['w1', '--against', 'old.tgz']).against, 'old.tgz')
  assert.equal(parseCommand(['w1']).against, null)
  assert.deepEqual(systemsOf('--against', 'old.tgz'), ['tributary', 'before'])
  assert.deepEqual(systemsOf('--against', 'old.tgz', '--quick'), ['tributary', 'before'])
  const others = ['--systems', 'reference-tuned,tributary']
  assert.deepEqual(systemsOf('--against', 'old.tgz', ...others), ['tributary', 'before', 'reference-tuned'])
  assert.throws(() => parseCommand(['--against']), TypeError)
  assert.throws(() => parseCommand(['--systems', 'before']), {
    message: /the known systems are tributary, reference, /,
  })
})

test('the column `before` follows that of the current build and shows how many times better the current one is', () => {
  const rate = { bench: 'w1', name: 'changes', unit: '1/s' }
  const figures = [
    { ...rate, system: reference.name, values: [10_000] },
    { ...rate, system: before.name, values: [50_000] },
    { ...rate, system: tributary.name, values: [60_000] },
  ]

  const lines = figureTable(figures)
    .split('\n')
    .map((line) => line.split(/ {2,}/))

  assert.deepEqual(lines, [
    ['row', 'figure', 'unit', 'tributary', 'before', '×', 'reference', '×'],
    ['w1', 'changes', '1/s', '60,000', '50,000', '1.20', '10,000', '6.00'],
  ])
})

describe('a row that knows the current build only', () => {
  /** Reports the length of the entry's name. */
  const growth: Bench = {
    name: 'growth',
    summary: '',
    isOursOnly: true,
    run: ({ entry }) => {
      const list = new FigureList('growth')
      list.add('length', '', entry?.length ?? 0)
      list.add('length', '', 1, FLOOR)
      return Promise.resolve(list.figures)
    },
  }
  const options: BenchOptions = { ...parseCommand(['growth']).options, entry: 'new.mjs', entryBefore: null }
  const quiet = { ...options, note: () => undefined }

  test('runs once without --against', async () => {
    const figures = await runRow(growth, quiet)
    assert.deepEqual(
      figures.map(({ system, values }) => [system, ...values]),
      [
        ['tributary', 7],
        ['floor', 1],
      ],
    )
  })

  test('runs again for the build before, whose figures go to the column `before`', async () => {
    const figures = await runRow(growth, { ...quiet, entryBefore: 'older.mjs' })
    assert.deepEqual(
      figures.map(({ system, values }) => [system, ...values]),
      [
        ['tributary', 7],
        ['floor', 1],
        ['before', 9],
      ],
    )
  })

  test('runs once when it compares systems itself', async () => {
    const { isOursOnly: _, ...comparing } = growth
    const figures = await runRow(comparing, { ...quiet, entryBefore: 'older.mjs' })
    assert.deepEqual(
      figures.map(({ system }) => system),
      ['tributary', 'floor'],
    )
  })
})

test('stolen time is a share of the ticks of all processors', () => {
  const begin = ticksOf('cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 50 0 25 400 5 0 2 17 7 0\n')
  const end = ticksOf('cpu  160 0 70 860 10 0 5 95 9 0\ncpu0 50 0 25 400 5 0 2 17 7 0\n')

  assert.deepEqual(begin, { all: 1_000, stolen: 35 })
  assert.equal(stolenShare(begin, end), 30)
  assert.equal(stolenShare(begin, begin), 0)
})
