import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamPosition } from '../offset/stream-position.ts'
import { isPlaceOfAll } from './position-order.ts'

const file = { name: 'f.000002', createdSeconds: 1 }
const stored = present(StreamPosition.parse({ file: 'f.000009', pos: 900, gtids: '0-1-5' }), 'a position')

test('the place of a position has all that was executed once the stream is past the end of the binlog as it was', () => {
  const connected = stored.onServer(null, 'b', { file: 'f.000002', position: 400 })
  const steps: readonly (readonly [string, StreamPosition, boolean])[] = [
    ['stored', stored, false],
    ['connected, with a place that may be of the former server', connected, false],
    ['connected, in a file of the same name', connected.inFile({ name: 'f.000009', createdSeconds: 1 }), false],
    ['after a transaction that may come before one that was executed', connected.afterCommit(file, 399, null), false],
    ['after the last one of the time of the connection', connected.afterCommit(file, 400, null), true],
    ['in the next transaction', connected.afterBegin(file, 450, null, false).afterRows(3), true],
    ['in the next file', connected.movedTo({ name: 'f.000003', createdSeconds: null }, 4), true],
    [
      'in a file of another name, whose order is not certain',
      connected.afterCommit({ name: 'g.000003', createdSeconds: 1 }, 500, null),
      false,
    ],
    ['the end is not known', stored.onServer(null, 'b').afterCommit(file, 500, null), false],
    [
      'connected again',
      connected.afterCommit(file, 500, null).onServer(null, 'c', { file: 'f.000001', position: 4 }),
      false,
    ],
  ]
  for (const [what, position, expected] of steps) assert.equal(isPlaceOfAll(position), expected, what)
})
