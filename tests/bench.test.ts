import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, quantile } from '../bench/measure/quantiles.ts'
import { TopicCheck } from '../bench/measure/verify-topic.ts'
import { parseCommand } from '../bench/options.ts'
import { figureTable } from '../bench/report/figure-table.ts'

// What benchmarks judge and count by. The records are in the form of SPEC.md, with shorter schemas.

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
    topicCheck.take({ key: keyBytes ?? null, value: valueBytes ?? null, offset: BigInt(offset) })
  }
  return topicCheck
}

test('a topic with every record in its place is right', () => {
  const records = [
    insert(1, 1),
    insert(2, 2),
    update(1, 1, 3),
    remove(2, 2),
    tombstone(2),
    insert(2, 4),
    update(9, 0, 5),
  ]
  check(records).end({ c: 3, u: 2, d: 1, tombstone: 1 })
})

const wrong: readonly (readonly [what: string, records: readonly Documents[], message: RegExp])[] = [
  ['a record that comes twice', [insert(1, 1), insert(1, 1)], /record 1 of bank: seq 1 comes after 1/],
  ['records that change places', [insert(1, 2), insert(2, 1)], /seq 1 comes after 2/],
  ['a change that is missing', [insert(1, 1), update(1, 2, 3)], /row 1 had seq 2 before the change, and 1 after/],
  ['a delete of another state', [insert(1, 1), remove(1, 7)], /row 1 had seq 7 before the change/],
  ["another row's key", [recordOf('c', null, { id: 1, seq: 1 }, 2)], /the key 2 is not that of its row/],
  ['records that are missing', [insert(1, 1)], /bank holds 1 c; expected are 2 c/],
]

for (const [what, records, message] of wrong) {
  test(`a topic is wrong with ${what}`, () => assert.throws(() => check(records).end({ c: 2 }), { message }))
}

test('quantiles are values that occurred', () => {
  const values = Array.from({ length: 1000 }, (_, i) => 1000 - i)
  assert.deepEqual(
    [0.5, 0.99, 0.999, 1].map((share) => quantile(values, share)),
    [500, 990, 999, 1000],
  )
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3]), quantile([7], 0.5)], [2, 2.5, 7])
})

test('a figure of several runs is shown with its range, one of a single run without', () => {
  const figures = [
    { bench: 'drain', name: 'changes', unit: '1/s', values: [61_200, 59_800, 60_400] },
    { bench: 'drain', name: 'peak memory', unit: 'MB', values: [288] },
  ]
  assert.deepEqual(figureTable(figures).split('\n'), [
    'bench  figure       unit  median     min     max  runs',
    'drain  changes      1/s   60,400  59,800  61,200     3',
    '       peak memory  MB       288                     1',
  ])
})

test('the command line names benchmarks and how they are run', () => {
  const { names, json, options } = parseCommand(['drain', 'snapshot', '--json', 'a.json', '--mariadb'])
  assert.deepEqual([names, json, options.runs, options.flavor], [['drain', 'snapshot'], 'a.json', 3, 'mariadb'])
  assert.equal(parseCommand(['--quick']).options.runs, 1)
  assert.equal(parseCommand(['--quick', '--runs', '2']).options.runs, 2)
  assert.throws(() => parseCommand(['--runs', '0']), { message: /--runs 0: a whole number of at least 1/ })
  assert.throws(() => parseCommand(['--quik']), TypeError)
})
