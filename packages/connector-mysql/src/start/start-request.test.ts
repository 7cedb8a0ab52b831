import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStartRequest, type StartRequest } from './start-request.ts'

const UUID = '9e9ddc2b-e979-11f1-88f1-02fc00000001'

test('durations, times with a zone, places and GTIDs are starts', () => {
  const table: readonly (readonly [string, StartRequest])[] = [
    ['90s', { tag: 'ago', seconds: 90 }],
    ['10m', { tag: 'ago', seconds: 600 }],
    ['2h', { tag: 'ago', seconds: 7200 }],
    ['1d', { tag: 'ago', seconds: 86_400 }],
    ['1970-01-02T00:00:00Z', { tag: 'time', seconds: 86_400 }],
    ['1970-01-01 01:00+01:00', { tag: 'time', seconds: 0 }],
    ['binlog.000003:4096', { tag: 'place', file: 'binlog.000003', position: 4096 }],
    ['my-host.bin.000003:4', { tag: 'place', file: 'my-host.bin.000003', position: 4 }],
    [`${UUID}:1-5:7`, { tag: 'gtids', gtids: `${UUID}:1-5:7` }],
    [`${UUID}:1-5,\n${UUID}:tag:7`, { tag: 'gtids', gtids: `${UUID}:1-5,${UUID}:tag:7` }],
    ['0-1-100,1-2-3', { tag: 'gtids', gtids: '0-1-100,1-2-3' }],
  ]
  for (const [text, expected] of table) assert.deepEqual(parseStartRequest(text), expected, text)
})

test('other texts are none: a time without its zone, a unit that is none, a file without its number', () => {
  const texts = ['', '10', '10 m', '10w', '-5m', '2026-11-26T08:00:00', '2026-13-26T08:00:00Z', 'binlog:4', UUID, '0-1']
  for (const text of texts) assert.equal(parseStartRequest(text), null, text)
})
