import type { OffsetDocument } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MySqlGtidSet } from '@tributary/mysql'
import { present } from '@tributary/support'
import { MySqlExecutedGtids, TransactionName } from './executed-gtids.ts'
import type { BinlogFile } from './binlog-file.ts'
import { StreamPosition } from './stream-position.ts'

/** Place, counters and origin of a stored offset. */
function read(document: OffsetDocument): unknown {
  const position = StreamPosition.parse(document)
  if (position === null) return null
  const { file, position: pos, gtids, event, row, timestampSeconds, serverId, isSnapshotUnfinished } = position
  return [file, pos, gtids, event, row, timestampSeconds, serverId, isSnapshotUnfinished]
}

const GTIDS = 'f7c2e168-e599-11f1-bfcf-02fc00000001:1-107'

function fileOf(name: string): BinlogFile {
  return { name, createdSeconds: null }
}

test('offsets that Debezium 3.6 stored are read', () => {
  const table: readonly (readonly [document: OffsetDocument, expected: readonly unknown[]])[] = [
    // Recorded: after the snapshot, and after the first row of the second event of a transaction.
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

test('all releases mark an unfinished snapshot in their own words; other marks are of finished ones', () => {
  const isUnfinished = (snapshot: string | boolean | null): boolean | undefined =>
    StreamPosition.parse({ file: 'f.1', pos: 4, snapshot })?.isSnapshotUnfinished
  assert.deepEqual(['INITIAL', true, 'true'].map(isUnfinished), [true, true, true])
  assert.deepEqual(['INCREMENTAL', 'BLOCKING', false, 'false', null].map(isUnfinished), [
    false,
    false,
    false,
    false,
    false,
  ])
  assert.equal(StreamPosition.parse({ file: 'f.1', snapshot_completed: true })?.isSnapshotUnfinished, false)
})

test('missing fields have their initial value, GTID sets may contain line breaks, positions may exceed 32 bits', () => {
  assert.deepEqual(read({ file: 'f.1' }), ['f.1', 4, null, 0, 0, 0, 0, false])
  assert.equal(StreamPosition.parse({ file: 'f.1', gtids: '' })?.gtids, null)
  assert.equal(StreamPosition.parse({ file: 'f.1', gtids: 'a:1-5,\nb:1-3' })?.gtids, 'a:1-5,b:1-3')
  assert.equal(StreamPosition.parse({ file: 'f.1', pos: 4_294_967_297 })?.position, 4_294_967_297)
  assert.equal(StreamPosition.parse({ file: 'f.1', pos: 4_294_967_297n })?.position, 4_294_967_297)
})

test('a document without a file is not a position', () => {
  for (const document of [{}, { pos: 4 }, { file: null, pos: 4 }, { file: 1, pos: 4 }])
    assert.equal(read(document), null)
})

const parsed = (document: OffsetDocument): StreamPosition =>
  present(StreamPosition.parse({ file: 'f.1', pos: 4, ...document }), 'a position')

test('an offset names the server and the creation of its file; in v1 also the transaction that it is in', () => {
  const stored = (format: string, gtids: string | null, event: number): OffsetDocument =>
    parsed({
      gtids,
      event,
      record_format: format,
      server_identity: 'the-server',
      file_created: 1_795_276_000,
      transaction_gtid: gtids === null ? null : 'a:108',
    }).toDocument()
  const own = (document: OffsetDocument): unknown => [
    document['server_identity'],
    document['file_created'],
    document['transaction_gtid'],
  ]

  assert.deepEqual(own(stored('v1', GTIDS, 2)), ['the-server', 1_795_276_000, 'a:108'])
  assert.deepEqual(own(stored('v1', GTIDS, 0)), ['the-server', 1_795_276_000, undefined])
  assert.deepEqual(own(stored('v2', GTIDS, 2)), ['the-server', 1_795_276_000, undefined])
  assert.deepEqual(Object.keys(stored('v2', null, 2)), [
    'ts_sec',
    'file',
    'pos',
    'event',
    'server_identity',
    'file_created',
  ])

  const read = StreamPosition.parse(stored('v1', GTIDS, 2))
  assert.deepEqual(
    [read?.serverIdentity, read?.restart.file.createdSeconds, read?.transaction],
    ['the-server', 1_795_276_000, 'a:108'],
  )
})

test('the creation of a file does not apply to the file of that name on another server', () => {
  const position = parsed({ server_identity: 'a', file_created: 7 })
  assert.equal(position.onServer(null, 'a').restart.file.createdSeconds, 7)
  assert.equal(position.onServer(null, 'b').restart.file.createdSeconds, null)
})

test('numbers that cannot be read are errors that name them: a user may have stored them', () => {
  const values: readonly OffsetDocument[string][] = ['abc', '', '1.5', -1, 1.5, true, 2 ** 60]
  for (const key of ['pos', 'event', 'row', 'ts_sec', 'server_id', 'file_created']) {
    for (const value of values) {
      assert.throws(() => StreamPosition.parse({ file: 'f.1', [key]: value }), {
        code: 'OFFSET_UNREADABLE',
        message: new RegExp(`a value of ${key} that cannot be read`),
      })
    }
  }
  assert.equal(StreamPosition.parse({ file: 'f.1', pos: '120' })?.position, 120)
  assert.equal(StreamPosition.parse({ pos: 120 }), null)
})

test('a stored document is printed as it was read', () => {
  const documents: readonly OffsetDocument[] = [
    { ts_sec: 5, file: 'f.1', pos: 9, gtids: GTIDS, row: 1, server_id: 7, event: 2 },
    { ts_sec: 5, file: 'f.1', pos: 9, snapshot: 'INITIAL' },
    { ts_sec: 5, file: 'f.1', pos: 9, row: 1, event: 2, server_identity: 's', record_format: 'v1' },
  ]
  for (const document of documents) assert.deepEqual(parsed(document).toDocument(), document)
})

const SOURCE = 'f7c2e168-e599-11f1-bfcf-02fc00000001'
const GTID = { tag: 'gtid', source: SOURCE, number: 108, originalCommitMicros: null } as const

/** The result of each method, from a position inside a transaction and from one between two transactions. */
const advances: readonly (readonly [
  name: string,
  advance: (position: StreamPosition) => StreamPosition,
  inside: string,
  between: string,
])[] = [
  ['afterBegin', (p) => p.afterBegin(fileOf('f.2'), 50, new TransactionName(GTID), false), 'f.2:50 1 0', 'f.2:50 1 0'],
  ['afterEvent', (p) => p.afterEvent(), 'f.1:4 3 0', 'f.1:4 1 0'],
  ['afterRows', (p) => p.afterRows(7), 'f.1:4 2 7', 'f.1:4 0 7'],
  ['afterCommit', (p) => p.afterCommit(fileOf('f.1'), 90, GTID), 'f.1:90 0 0', 'f.1:90 0 0'],
  ['movedTo', (p) => p.movedTo(fileOf('f.2'), 4), 'f.2:4 0 0', 'f.2:4 0 0'],
  ['atRestart', (p) => p.atRestart(), 'f.1:4 0 0', 'f.1:4 0 0'],
  ['observed', (p) => p.observed(9, 9), 'f.1:4 2 1', 'f.1:4 0 0'],
]

for (const [name, advance, inside, between] of advances) {
  test(`${name} leads to ${inside} and ${between}, and leaves the position as it was`, () => {
    const shown = ({ file, position, event, row }: StreamPosition): string => `${file}:${position} ${event} ${row}`
    const [a, b] = [parsed({ gtids: GTIDS, event: 2, row: 1 }), parsed({ gtids: GTIDS })]

    assert.deepEqual([shown(advance(a)), shown(advance(b))], [inside, between])
    assert.deepEqual([shown(a), shown(b)], ['f.1:4 2 1', 'f.1:4 0 0'])
  })
}

test('a commit adds its GTID to the set, also to one that is known as its stored text only', () => {
  const start = parsed({ gtids: GTIDS })
  const grown = new MySqlExecutedGtids(MySqlGtidSet.parse(GTIDS))

  assert.equal(start.afterCommit(fileOf('f.1'), 90, GTID).gtids, `${SOURCE}:1-108`)
  assert.equal(start.onServer(grown, 's').afterCommit(fileOf('f.1'), 90, GTID).gtids, `${SOURCE}:1-108`)
  assert.equal(start.afterCommit(fileOf('f.1'), 90, null).gtids, GTIDS)
  assert.equal(parsed({}).afterCommit(fileOf('f.1'), 90, GTID).gtids, null)
})

test('positions share what stays the same: an event without a time changes nothing', () => {
  const position = parsed({ ts_sec: 5, server_id: 7 })

  assert.equal(position.observed(0, 9), position)
  assert.equal(position.observed(5, 7), position)
  assert.equal(position.atRestart(), position)
  assert.equal(position.afterRows(2).restart, position.restart)
  assert.equal(position.afterRows(2).origin, position.origin)
  assert.equal(position.observed(6, 7).restart, position.restart)
})

test('the counters of a compressed transaction have keys of their own, since Debezium counts no events inside one', () => {
  const begun = parsed({ gtids: GTIDS }).afterBegin(fileOf('f.2'), 50, null, true)
  const inside = begun.afterEvent().afterRows(3)
  const document = inside.toDocument()

  assert.deepEqual([document['payload_event'], document['payload_row']], [2, 3])
  assert.deepEqual([document['event'], document['row'], document['pos']], [undefined, undefined, 50])
  const again = StreamPosition.parse(document)
  assert.ok(again !== null && again.isSamePlace(inside))
  assert.deepEqual(again.toDocument(), document)
  const after = inside.afterCommit(fileOf('f.2'), 90, null)
  assert.equal(after.afterBegin(fileOf('f.2'), 90, null, false).toDocument()['event'], 1)
  for (const { restart, event, row } of [after, inside.atRestart()])
    assert.deepEqual([restart.isPayload, event, row], [false, 0, 0])
})
