import type { OffsetDocument } from '@tributary/connect-api'
import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamPosition } from '../offset/stream-position.ts'
import { mariadbFlavor } from './mariadb-flavor.ts'
import { mysqlFlavor } from './mysql-flavor.ts'

/**
 * The rules of Debezium 3.6 (HistoryRecordComparator of its binlog connectors): GTIDs first, then server, file,
 * position and counters.
 */
const A = '24bc7850-2c16-11e6-a073-0242ac110001'
const B = '7145bf69-d1ca-11e5-a588-0242ac110004'

function at(document: OffsetDocument): StreamPosition {
  return present(StreamPosition.parse({ file: 'mysql-bin.000003', pos: 100, ...document }), 'a position')
}

type Case = readonly [what: string, recorded: OffsetDocument, desired: OffsetDocument, isAtOrBefore: boolean]

/** Cases without GTIDs, which apply to both servers. */
const common: readonly Case[] = [
  ['the same position', {}, {}, true],
  ['an earlier position', { pos: 99 }, {}, true],
  ['a later position', { pos: 101 }, {}, false],
  ['an earlier file, whatever the position', { file: 'mysql-bin.000002', pos: 999 }, {}, true],
  ['a later file, whatever the position', { file: 'mysql-bin.000004', pos: 4 }, {}, false],
  ['file numbers are compared as numbers', { file: 'mysql-bin.999999' }, { file: 'mysql-bin.1000000' }, true],
  ['file numbers are not compared as texts', { file: 'mysql-bin.1000000' }, { file: 'mysql-bin.999999' }, false],
  ['an earlier event of the transaction', { event: 1 }, { event: 2 }, true],
  ['a later event of the transaction', { event: 3 }, { event: 2 }, false],
  ['an earlier row of the event', { event: 2, row: 1 }, { event: 2, row: 5 }, true],
  ['a later row of the event', { event: 2, row: 6 }, { event: 2, row: 5 }, false],
  ['rows count only in the same event', { event: 1, row: 9 }, { event: 2, row: 5 }, true],
  ['a different base name of the binlog is older', { file: 'old-bin.000009' }, {}, true],
  ['two servers: an earlier time', { server_id: 1, ts_sec: 5, pos: 999 }, { server_id: 2, ts_sec: 6 }, true],
  ['two servers: a later time', { server_id: 1, ts_sec: 7, pos: 4 }, { server_id: 2, ts_sec: 6 }, false],
  ['one server: the time does not matter', { server_id: 1, ts_sec: 9, pos: 99 }, { server_id: 1, ts_sec: 6 }, true],
  ['an unknown server counts as the same server', { ts_sec: 9, pos: 99 }, { server_id: 1, ts_sec: 6 }, true],
]

const mysql: readonly Case[] = [
  ...common,
  ['recorded before the server had GTIDs', { pos: 999 }, { gtids: `${A}:1-5` }, true],
  ['recorded with GTIDs, desired without', { gtids: `${A}:1-5`, pos: 4 }, {}, false],
  ['a subset', { gtids: `${A}:1-4`, pos: 999 }, { gtids: `${A}:1-5` }, true],
  ['a superset', { gtids: `${A}:1-6`, pos: 4 }, { gtids: `${A}:1-5` }, false],
  ['the desired set has another source', { gtids: `${A}:1-4` }, { gtids: `${A}:1-5,${B}:1-3` }, true],
  ['the recorded set has another source', { gtids: `${A}:1-4,${B}:1` }, { gtids: `${A}:1-5` }, false],
  ['a gap', { gtids: `${A}:1-2:4-5` }, { gtids: `${A}:1-5` }, true],
  ['the same set in another spelling', { gtids: `${B}:1-3,${A}:1-2:3-5` }, { gtids: `${A}:1-5,\n${B}:1-3` }, true],
  ['the same set, a later event', { gtids: `${A}:1-5`, event: 3 }, { gtids: `${A}:1-5`, event: 2 }, false],
  ['files of other servers do not matter with GTIDs', { gtids: `${A}:1-4`, file: 'z.9' }, { gtids: `${A}:1-5` }, true],
]

const mariadb: readonly Case[] = [
  ...common,
  ['recorded before the server had GTIDs', { pos: 999 }, { gtids: '0-1-5' }, true],
  ['recorded with GTIDs, desired without', { gtids: '0-1-5', pos: 4 }, {}, false],
  ['an earlier sequence number', { gtids: '0-1-4', pos: 999 }, { gtids: '0-1-5' }, true],
  ['a later sequence number', { gtids: '0-1-6', pos: 4 }, { gtids: '0-1-5' }, false],
  ['an earlier sequence number of another server in the domain', { gtids: '0-2-4' }, { gtids: '0-1-5' }, true],
  ['the desired set has another domain', { gtids: '0-1-5' }, { gtids: '0-1-5,1-1-3' }, true],
  ['the recorded set has another domain', { gtids: '0-1-4,1-1-1' }, { gtids: '0-1-5' }, false],
  ['the same set, a later event', { gtids: '0-1-5', event: 3 }, { gtids: '0-1-5', event: 2 }, false],
]

for (const [flavor, cases] of [
  [mysqlFlavor, mysql],
  [mariadbFlavor, mariadb],
] as const) {
  test(`${flavor.name}: compares a recorded with a desired position`, () => {
    for (const [what, recorded, desired, isAtOrBefore] of cases) {
      const message = `${what}: ${JSON.stringify(recorded)} and ${JSON.stringify(desired)}`
      assert.equal(flavor.isAtOrBefore(at(recorded), at(desired)), isAtOrBefore, message)
    }
  })
}
