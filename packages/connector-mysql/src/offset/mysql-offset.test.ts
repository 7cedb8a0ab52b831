import type { OffsetDocument } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MySqlOffset, parseOffset } from './mysql-offset.ts'

/** Place, progress and origin of a stored offset. */
function read(document: OffsetDocument): unknown {
  const position = parseOffset(document)
  if (position === null) return null
  const { file, position: pos, gtids, event, row, timestampSeconds, serverId, isSnapshotUnfinished } = position
  return [file, pos, gtids, event, row, timestampSeconds, serverId, isSnapshotUnfinished]
}

const GTIDS = 'f7c2e168-e599-11f1-bfcf-02fc00000001:1-107'

test('offsets that Debezium 3.6 stored are read', () => {
  const table: readonly (readonly [document: OffsetDocument, expected: readonly unknown[]])[] = [
    // Recorded: after the snapshot, and behind the first row of the second event of a transaction.
    [
      { ts_sec: 1795260224, file: 'binlog.000001', pos: 26066, gtids: GTIDS },
      ['binlog.000001', 26066, GTIDS, 0, 0, 1795260224, 0, false],
    ],
    [
      { ts_sec: 1795260231, file: 'binlog.000001', pos: 27532, gtids: GTIDS, row: 1, server_id: 3307, event: 2 },
      ['binlog.000001', 27532, GTIDS, 2, 1, 1795260231, 3307, false],
    ],
    // Recorded after an alteration by REST, which writes what it is given.
    [
      { ts_sec: 1795260231, file: 'binlog.000001', pos: 27532, gtids: GTIDS, row: 0, server_id: 3307, event: 2 },
      ['binlog.000001', 27532, GTIDS, 2, 0, 1795260231, 3307, false],
    ],
  ]
  for (const [document, expected] of table) assert.deepEqual(read(document), expected)
})

test('a snapshot that had not ended is told in the words of all releases; others are over', () => {
  const isUnfinished = (snapshot: string | boolean | null): boolean | undefined =>
    parseOffset({ file: 'f.1', pos: 4, snapshot })?.isSnapshotUnfinished
  assert.deepEqual(['INITIAL', true, 'true'].map(isUnfinished), [true, true, true])
  assert.deepEqual(['INCREMENTAL', 'BLOCKING', false, 'false', null].map(isUnfinished), [
    false,
    false,
    false,
    false,
    false,
  ])
  assert.equal(parseOffset({ file: 'f.1', snapshot_completed: true })?.isSnapshotUnfinished, false)
})

test('what is missing has its first value; line breaks in GTID sets are none; positions beyond 32 bits keep their digits', () => {
  assert.deepEqual(read({ file: 'f.1' }), ['f.1', 4, null, 0, 0, 0, 0, false])
  assert.equal(parseOffset({ file: 'f.1', gtids: '' })?.gtids, null)
  assert.equal(parseOffset({ file: 'f.1', gtids: 'a:1-5,\nb:1-3' })?.gtids, 'a:1-5,b:1-3')
  assert.equal(parseOffset({ file: 'f.1', pos: 4_294_967_297 })?.position, 4_294_967_297)
  assert.equal(parseOffset({ file: 'f.1', pos: 4_294_967_297n })?.position, 4_294_967_297)
})

test('a document without a file is no position', () => {
  for (const document of [{}, { pos: 4 }, { file: null, pos: 4 }, { file: 1, pos: 4 }])
    assert.equal(read(document), null)
})

test('inside a transaction an offset of v1 names it and the server, outside only the server where positions are files', () => {
  const stored = (recordFormat: 'v1' | 'v2', gtids: string | null, event: number): OffsetDocument => {
    const transaction = gtids === null ? null : 'a:108'
    const origin = { timestampSeconds: 1, serverId: 0, isSnapshot: false, recordFormat, serverIdentity: 'the-server' }
    return new MySqlOffset({ file: 'f.1', position: 4, gtids, transaction }, origin, event).toDocument()
  }
  const own = ({ server_identity: server, transaction_gtid: transaction }: OffsetDocument): unknown => [
    server,
    transaction,
  ]

  assert.deepEqual(own(stored('v1', GTIDS, 2)), ['the-server', 'a:108'])
  assert.deepEqual(own(stored('v1', GTIDS, 0)), [undefined, undefined])
  assert.deepEqual(own(stored('v1', null, 0)), ['the-server', undefined])
  assert.deepEqual(Object.keys(stored('v2', GTIDS, 2)), ['ts_sec', 'file', 'pos', 'gtids', 'event'])

  const read = parseOffset(stored('v1', GTIDS, 2))
  assert.deepEqual([read?.serverIdentity, read?.transaction], ['the-server', 'a:108'])
})
