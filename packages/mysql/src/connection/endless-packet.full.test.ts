import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentSocket } from '../testing/captured-binlog.ts'
import { PacketReader } from './packet-reader.ts'

test('a packet that continues beyond the limit of the servers fails instead of growing in memory', () => {
  const reader = new PacketReader(silentSocket())
  const part = Buffer.alloc(4 + 0xff_ff_ff)
  part.writeUIntLE(0xff_ff_ff, 0, 3)

  // 66 views of one buffer: 1 GiB for the reader, 16 MiB for the test.
  assert.throws(() => {
    for (let i = 0; i < 70; i++) {
      reader.push(part)
      reader.next()
    }
  }, /longer than any server sends/)
})
