import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SeededRandom, seededRandom, useMySql } from '@tributary/testkit'
import { MySqlGtidSet } from './mysql-gtid-set.ts'

// The server has no function to normalise a set; subtracting the empty set does that.

const UUIDS = [
  '00000000-1111-2222-3333-444444444444',
  'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
  'ffffffff-0000-0000-0000-000000000001',
]
const [A = '', B = ''] = UUIDS

/** Sets with touching, overlapping and repeated intervals, with and without tags. */
function drawnSet(random: SeededRandom): string {
  const source = (): string => {
    const intervals = Array.from({ length: random.integer(1, 6) }, () => {
      const first = random.integer(1, 30)
      const last = first + random.integer(0, 8)
      return first === last ? String(first) : `${first}-${last}`
    })
    const tag = random.pick(['', '', 'blue:', 'green:'])
    return `${random.pick(UUIDS)}:${tag}${intervals.join(':')}`
  }
  return Array.from({ length: random.integer(0, 5) }, source).join(',')
}

test('a set, its difference and its subset relation equal the results of the server', async () => {
  const server = await useMySql()
  const random = seededRandom(11)
  const pairs = Array.from({ length: 400 }, () => [drawnSet(random), drawnSet(random)] as const)

  for (const [left, right] of pairs) {
    const [row] =
      await server.query(`SELECT GTID_SUBTRACT('${left}', '') AS plain, GTID_SUBTRACT('${left}', '${right}') AS rest,
      GTID_SUBSET('${left}', '${right}') AS isSubset, GTID_SUBTRACT('${left},${right}', '') AS joined`)
    const ours = MySqlGtidSet.parse(left)
    const other = MySqlGtidSet.parse(right)
    const of = `${left} and ${right}`

    assert.equal(ours.toString(), oneLine(row?.['plain']), of)
    assert.equal(ours.minus(other).toString(), oneLine(row?.['rest']), of)
    assert.equal(ours.union(other).toString(), oneLine(row?.['joined']), of)
    assert.equal(ours.isSubsetOf(other), row?.['isSubset'] === 1, of)
    assert.equal(ours.equals(other), ours.toString() === other.toString(), of)
  }
})

const TEXTS = [
  '',
  ',,,',
  `${A}:1`,
  `${A.toUpperCase()}:1`,
  `${A.replaceAll('-', '')}:1`,
  `{${A}}:1`,
  `{${A.replaceAll('-', '')}}:1`,
  `${A.replace('-', '')}:1`,
  `x${A.slice(1)}:1`,
  `${A}1:1`,
  `,${A}:1,`,
  ` ${A} : 1 - 3 : 5 `,
  `${A}:1-2\n,\n${A}:3`,
  `${A}:1- 2`,
  `${A}:1 2`,
  `${A}:5-3`,
  `${A}:3-3`,
  A,
  `${A}:`,
  `${A}:1:`,
  `${A}::1`,
  `${A}:1::2`,
  `${A}:0`,
  `${A}:0-3`,
  `${A}:01-003`,
  `${A}:+1`,
  `${A}:-1`,
  `${A}:1-`,
  `${A}:1-2-3`,
  `${A}:9007199254740990`,
  `${A}:9223372036854775807`,
  `${A}:1_tag:1`,
  `${A}:tag-1:1`,
  `${A}:tag`,
  `${A}:tag:`,
  `${A}:tag::1`,
  `${A}:tag:other:1`,
  `${A}:tag:1`,
  `${A}:TAG:1:Tag2:2`,
  `${A}: tag : 1`,
  `${A}:_:1`,
  `${A}:1:tag:1-2:3,${A}:tag:4`,
  `${A}:${'a'.repeat(32)}:1`,
  `${A}:${'a'.repeat(33)}:1`,
  `${B}:1,${A}:t:1`,
  `${B}:1 ${A}:1`,
]

test('the server accepts the same texts as sets, with the same result', async () => {
  const server = await useMySql()
  for (const text of TEXTS) {
    const expected = await server.query(`SELECT GTID_SUBTRACT('${text}', '') AS plain`).then(
      ([row]) => oneLine(row?.['plain']),
      () => 'malformed',
    )
    assert.equal(formOf(text), expected, JSON.stringify(text))
  }
})

function formOf(text: string): string {
  try {
    return MySqlGtidSet.parse(text).toString()
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'GTID_MALFORMED')
    return 'malformed'
  }
}

function oneLine(text: unknown): string {
  assert.ok(typeof text === 'string')
  return text.replaceAll('\n', '')
}
