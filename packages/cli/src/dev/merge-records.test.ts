import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { mergeRecords, type TopicRecords } from './merge-records.ts'

/** A value as the JSON converter writes it: in this order, with the source after the rows. */
function record(topic: string, id: number, place: string | null, text = ''): LogRecord {
  const [file = '', position = '0'] = (place ?? 'binlog.000001:4').split(':')
  const snapshot = place === null ? 'true' : 'null'
  const value = `{"before":null,"after":{"id":${id},"v":${JSON.stringify(text)}},"source":{"version":"1","file":"${file}","pos":${position},"row":0,"snapshot":${snapshot}},"op":"c"}`
  return { topic, value: Buffer.from(value) } as unknown as LogRecord
}

function whole(found: readonly (readonly [string, readonly LogRecord[]])[]): ReadonlyMap<string, TopicRecords> {
  return new Map(found.map(([topic, records]) => [topic, { records, due: records.length, isWhole: true }]))
}

function idsOf(records: readonly LogRecord[]): readonly (string | null)[] {
  return records.map(({ value }) => (value === null ? null : (/"id":(\d+)/.exec(String(value))?.[1] ?? '')))
}

test('records of the tables of a connector are in the order of the binlog, rows of a snapshot first', () => {
  const hostile = '"source":{"file":"binlog.000009","pos":1}'
  const found = whole([
    [
      'a.d.t',
      [record('a.d.t', 1, null), record('a.d.t', 4, 'binlog.999999:900'), record('a.d.t', 7, 'binlog.1000000:4')],
    ],
    [
      'a.d.u',
      [
        record('a.d.u', 2, null),
        record('a.d.u', 3, 'binlog.000002:100', hostile),
        record('a.d.u', 5, 'binlog.999999:1000'),
      ],
    ],
  ])
  assert.deepEqual(idsOf(mergeRecords(found)), ['1', '2', '3', '4', '5', '7'])
})

test('records of a topic keep their order, also where a connector has repeated some; a tombstone follows its delete', () => {
  const tombstone = { topic: 'a.d.t', value: null } as unknown as LogRecord
  const found = whole([
    ['a.d.t', [record('a.d.t', 1, 'b.1:100'), tombstone, record('a.d.t', 3, 'b.1:300'), record('a.d.t', 1, 'b.1:100')]],
    ['a.d.u', [record('a.d.u', 2, 'b.1:200')]],
  ])
  assert.deepEqual(idsOf(mergeRecords(found)), ['1', null, '2', '3', '1'])
})
