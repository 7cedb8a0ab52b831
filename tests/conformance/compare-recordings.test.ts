/** The comparison finds exactly the changes that are made to a recording. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRecordings } from './compare-recordings.ts'
import { explain, value } from './difference-rules.ts'
import { isSameFloatOfSixDigits, isSameInstant, isSameJsonOfStream, isSameJsonWithoutSpaces } from './same-meaning.ts'
import { type ExactJson, member, parseExactJson } from './exact-json.ts'
import { readRecording, type Recording } from './recording.ts'

const TOPIC = 'PFX.g_smoke.pets'
const options = { includesDatabase: () => true }
const recorded = readRecording(new URL('../../fixtures/golden/expected/00_smoke.jsonl.gz', import.meta.url))

/** The recording with one change in the text of a topic's records. */
function edited(topic: string, edit: (text: string) => string): Recording {
  const records = recorded.topics.get(topic) ?? []
  const changed = records.map((record) => ({ ...record, value: editedValue(record.value, edit) }))
  return { ...recorded, topics: new Map(recorded.topics).set(topic, changed) }
}

function editedValue(document: ExactJson, edit: (text: string) => string): ExactJson {
  // Numbers are objects of our own here; JSON.stringify writes them exactly for the small numbers of this recording.
  const text = JSON.stringify(document, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && 'normalForm' in part ? Number(part.normalForm) : part,
  )
  return parseExactJson(edit(text))
}

function found(actual: Recording, isSameFormat = false): string[] {
  const texts = compareRecordings(recorded, actual, { ...options, isSameFormat }).map(
    ({ kind, topic, path }) => `${kind} ${topic} ${path}`,
  )
  return [...new Set(texts)]
}

test('a recording equals itself', () => {
  assert.deepEqual(found(recorded), [])
  assert.deepEqual(found(edited(TOPIC, (text) => text)), [])
})

test('the comparison locates a changed value, type, operation or default', () => {
  const rex = (text: string): string => text.replace('"name":"Rex"', '"name":"Max"')
  assert.deepEqual(
    new Set(found(edited(TOPIC, rex)).map((each) => each.replace(/before|after/, 'row'))),
    new Set([`payload ${TOPIC} row.name`]),
  )
  const wider = (text: string): string =>
    text.replaceAll('"type":"int32","optional":false,"field":"id"', '"type":"int64","optional":false,"field":"id"')
  assert.deepEqual(found(edited(TOPIC, wider)), [`schema ${TOPIC} before.id`, `schema ${TOPIC} after.id`])
  const other = (text: string): string => text.replace('"op":"u"', '"op":"c"')
  assert.deepEqual(found(edited(TOPIC, other)), [`payload ${TOPIC} op`])
  const statement = (text: string): string => text.replace('CREATE TABLE', 'CREATE  TABLE')
  assert.deepEqual(found(edited('PFX-history', statement)), ['payload PFX-history ddl'])
})

test('in the same record format it compares everything, from source and envelope to the offset', () => {
  assert.deepEqual(found(recorded, true), [])
  const table: readonly (readonly [topic: string, find: RegExp, replacement: string, expected: readonly string[]])[] = [
    [TOPIC, /"ts_ms":(\d+),"snapshot"/, '"ts_ms":$1000,"snapshot"', ['payload source.ts_ms']],
    [TOPIC, /"snapshot":"first"/, '"snapshot":"true"', ['payload source.snapshot']],
    [TOPIC, /"connector":"mysql"/, '"connector":"mariadb"', ['payload source.connector']],
    [TOPIC, /"transaction":null,/, '', ['payload value', 'payload transaction']],
    [TOPIC, /Envelope","version":2/, 'Envelope","version":1', ['schema value']],
    [
      TOPIC,
      /"type":"int64","optional":false,"field":"server_id"/,
      '"type":"int32","optional":false,"field":"server_id"',
      ['schema source.server_id'],
    ],
    ['PFX-history', /"pos":\d+/, '"pos":0', ['payload position.pos']],
  ]
  for (const [topic, find, replacement, expected] of table) {
    let isDone = false
    const once = (text: string): string => {
      if (isDone || !find.test(text)) return text
      isDone = true
      return text.replace(find, replacement)
    }
    const texts = found(edited(topic, once), true).map((each) => each.replace(`${topic} `, ''))
    assert.deepEqual(texts, expected, String(find))
  }
})

test('in the same record format it compares headers and the stored offset', () => {
  const records = recorded.topics.get(TOPIC) ?? []
  const bare = records.map((record) => ({
    ...record,
    headers: record.headers.filter(([name]) => !name.endsWith('taskId')),
  }))
  assert.deepEqual(found({ ...recorded, topics: new Map(recorded.topics).set(TOPIC, bare) }, true), [
    `payload ${TOPIC} headers`,
    `payload ${TOPIC} headers.__debezium.context.taskId`,
  ])
  const ahead = parseExactJson(
    '{"ts_sec":1795259186,"file":"binlog.000001","pos":2183,"row":1,"server_id":3307,"event":2}',
  )
  assert.deepEqual(found({ ...recorded, offset: ahead }, true), ['offset  offset'])
})

test('a missing or an additional record is one difference', () => {
  const records = recorded.topics.get(TOPIC) ?? []
  const tombstone = records.findIndex((record) => record.value === null)
  const without = new Map(recorded.topics).set(TOPIC, records.toSpliced(tombstone, 1))
  assert.deepEqual(
    compareRecordings(recorded, { ...recorded, topics: without }, options).map(({ kind }) => kind),
    ['missing'],
  )
  assert.deepEqual(
    compareRecordings({ ...recorded, topics: without }, recorded, options).map(({ kind }) => kind),
    ['extra'],
  )
})

test('a task that is not RUNNING is a difference', () => {
  assert.deepEqual(found({ ...recorded, state: 'FAILED because' }), ['state  state'])
})

test('a rule allows what it names and nothing else, and an unused rule is reported', () => {
  const difference = {
    kind: 'payload',
    topic: 'PFX.d.t',
    path: 'after.y',
    where: '',
    expected: '2000',
    actual: '0',
  } as const
  const rule = { reason: 'YEAR 0 is 0', recordings: /^r$/, rules: [value('d.t', 'y', ['2000', '0'])] }
  assert.deepEqual(explain('r', [difference], [rule]), { unexplained: [], unused: [] })
  assert.deepEqual(explain('r', [], [{ ...rule, dependsOnTiming: true }]).unused, [])
  for (const other of [{ actual: '1' }, { path: 'after.x' }, { topic: 'PFX.d.u' }, { kind: 'schema' as const }]) {
    const { unexplained, unused } = explain('r', [{ ...difference, ...other }], [rule])
    assert.deepEqual([unexplained.length, unused.length], [1, 1])
  }
  assert.equal(explain('another', [difference], [rule]).unexplained.length, 1)
})

test('a rule for one record allows nothing in another', () => {
  const difference = { kind: 'payload', topic: 'PFX.d.t', path: 'after.y', expected: '1', actual: '2' } as const
  const rule = { ...value('d.t', 'y', ['1', '2']), label: /^r \{"id":1\}$/ }
  const unexplainedOf = (where: string): number =>
    explain('r', [{ ...difference, where }], [{ reason: '', recordings: /^r$/, rules: [rule] }]).unexplained.length
  assert.deepEqual(['#0 r {"id":1}', '#1 r {"id":2}', '#1 c {"id":1}', ''].map(unexplainedOf), [0, 1, 1, 1])
})

test('a document without a schema differs from one whose schema is null, in keys and in values', () => {
  const payloadsOf = (withNull: 'key' | 'value' | null): Recording => {
    const bare = (document: ExactJson, isWithNull: boolean): ExactJson => {
      const payload = member(document, 'payload')
      if (payload === undefined) return document
      return isWithNull ? { schema: null, payload } : payload
    }
    const topics = [...recorded.topics].map(([topic, records]) => {
      const changed = records.map((record) => ({
        ...record,
        key: bare(record.key, withNull === 'key'),
        value: bare(record.value, withNull === 'value'),
      }))
      return [topic, changed] as const
    })
    return { ...recorded, topics: new Map(topics) }
  }
  const differencesOf = (withNull: 'key' | 'value' | null): readonly string[] => {
    const found = compareRecordings(payloadsOf(null), payloadsOf(withNull), options)
    return [...new Set(found.map(({ topic, kind, path }) => `${kind} ${topic} ${path}`))]
  }
  assert.deepEqual(differencesOf(null), [])
  for (const part of ['key', 'value'] as const) {
    assert.deepEqual(differencesOf(part), [`schema PFX ${part}`, `schema ${TOPIC} ${part}`])
  }
})

test('spellings of the same value are equal, other values are not', () => {
  const cases: readonly (readonly [
    same: (a: string, b: string) => boolean,
    a: string,
    b: string,
    expected: boolean,
  ])[] = [
    [isSameInstant, '"2001-09-09T01:46:40Z"', '"2001-09-09T01:46:40.000Z"', true],
    [isSameInstant, '"2001-09-09T01:46:40.3Z"', '"2001-09-09T01:46:40.300Z"', true],
    [isSameInstant, '"2001-09-09T01:46:40Z"', '"2001-09-09T01:46:40.001Z"', false],
    [isSameInstant, '"2001-09-09T01:46:04Z"', '"2001-09-09T01:46:40.0Z"', false],
    [isSameFloatOfSixDigits, '0.33333298563957214', '0.3333333134651184', true],
    [isSameFloatOfSixDigits, '0.33333298563957214', '0.34', false],
    [isSameJsonWithoutSpaces, String.raw`"{\"a b\": [1, 2]}"`, String.raw`"{\"a b\":[1,2]}"`, true],
    [isSameJsonWithoutSpaces, String.raw`"{\"a b\": [1, 2]}"`, String.raw`"{\"ab\":[1,2]}"`, false],
    [isSameJsonOfStream, '"[10000000000]"', '"[1e10]"', true],
    [isSameJsonOfStream, '"[10000000001]"', '"[1e10]"', false],
  ]
  for (const [same, a, b, expected] of cases) assert.equal(same(a, b), expected, `${same.name} ${a} ${b}`)
})
