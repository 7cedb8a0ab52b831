import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type HistoryRecord, MemorySchemaHistory, type RecordFormatName } from '@tributary/connector-kit'
import { captureLogger } from '@tributary/testkit'
import { chooseFormat, formatOfHistory } from './choose-format.ts'

type Form = RecordFormatName | null

/**
 * Values of connector, offset, history and worker; the form that they lead to, and what is logged (issue 4, Both
 * formats).
 */
const table: readonly (readonly [Form, Form, Form, Form, RecordFormatName, RegExp | null])[] = [
  [null, null, null, null, 'v1', null],
  ['v1', null, null, 'v2', 'v1', null],
  ['v2', null, null, null, 'v2', null],
  [null, null, null, 'v2', 'v2', null],
  [null, null, null, 'v1', 'v1', null],
  [null, 'v2', null, null, 'v2', /stored offset was written by Debezium/],
  [null, 'v2', null, 'v1', 'v2', /stored offset was written by Debezium/],
  [null, 'v1', null, 'v2', 'v1', null],
  [null, null, 'v2', null, 'v2', /no stored offset, but a schema history that was written by Debezium/],
  [null, null, 'v2', 'v1', 'v2', /no stored offset, but a schema history that was written by Debezium/],
  [null, null, 'v1', 'v2', 'v1', null],
  ['v1', 'v2', null, null, 'v1', /before the stored offset have the form v2; from here on they have the form v1/],
  ['v2', 'v1', null, null, 'v2', /before the stored offset have the form v1; from here on they have the form v2/],
  ['v2', 'v2', null, 'v1', 'v2', null],
]

for (const [asked, ofOffset, ofHistory, ofWorker, expected, line] of table) {
  test(`connector ${asked}, offset ${ofOffset}, history ${ofHistory}, worker ${ofWorker}: ${expected}`, () => {
    const logger = captureLogger()

    assert.equal(chooseFormat({ asked, ofOffset, ofHistory, ofWorker }, logger), expected)

    const messages = logger.lines.map(({ message }) => message)
    assert.equal(messages.length, line === null ? 0 : 1)
    if (line !== null) assert.match(messages[0] ?? '', line)
  })
}

/** A history that Debezium 3.6.1 wrote (packages/connector-kit/fixtures/history/README.md). */
const recorded = readFileSync(
  new URL('../../../connector-kit/fixtures/history/inventory.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => historyRecord((JSON.parse(line) as { readonly value: string }).value))

function historyRecord(text: string): HistoryRecord {
  const { source, position } = JSON.parse(text) as Pick<HistoryRecord, 'source' | 'position'>
  return { source, position, timestampMs: 0, databaseName: null, ddl: null, changes: [] }
}

const prefix = String(recorded[0]?.source['server'])

async function formOf(records: readonly HistoryRecord[], topicPrefix: string): Promise<Form> {
  const history = new MemorySchemaHistory()
  await history.append(records)
  return formatOfHistory(history, topicPrefix, new AbortController().signal)
}

test("a history shows the form of the last records of its connector: Debezium's is v2, ours is marked when it is v1", async () => {
  const ours = recorded.map((record) => ({ ...record, position: { ...record.position, record_format: 'v1' } }))

  assert.equal(await formOf(recorded, prefix), 'v2')
  assert.equal(await formOf(ours, prefix), 'v1')
  assert.equal(await formOf([...ours, ...recorded], prefix), 'v2')
  assert.equal(await formOf([...recorded, ...ours], prefix), 'v1')
  assert.equal(await formOf(recorded, 'another'), null)
  assert.equal(await formOf([], prefix), null)
})
