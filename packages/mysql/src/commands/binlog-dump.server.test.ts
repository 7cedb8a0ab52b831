import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useMySql } from '@tributary/testkit'
import { BinlogReader } from '../binlog/binlog-reader.ts'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import { endOfBinlog, loginOf, openBinlog } from '../testing/live-binlog.ts'

test('reads heartbeats of version 2, which newer replicas request', async () => {
  const server = await useMySql()
  await using connection = await MySqlConnection.open(loginOf(server))
  await connection.query('SET @source_heartbeat_period = 50000000, @source_binlog_checksum = @@global.binlog_checksum')
  const { file, position } = await endOfBinlog(server)
  const exchange = connection.exchange()
  // COM_BINLOG_DUMP: int<4> position · int<2> flags (2: heartbeats of version 2) · int<4> server id · file
  const payload = Buffer.alloc(10 + file.length)
  payload.writeUInt32LE(position, 0)
  payload.writeUInt16LE(2, 4)
  payload.writeUInt32LE(987_654, 6)
  payload.write(file, 10, 'latin1')
  exchange.command(0x12, payload)
  const { packets } = exchange
  const reader = new BinlogReader({
    packets,
    hasChecksums: true,
    decodeStatement: (bytes, from, to) => bytes.utf8Slice(from, to),
  })
  const types: number[] = []
  while (!types.includes(41)) {
    const event = reader.next()
    if (event === null) await reader.wait(AbortSignal.timeout(20_000))
    else {
      types.push(packets.bytes[packets.start + 5] as number)
      if (types.at(-1) === 41) assert.deepEqual(event, { tag: 'heartbeat' })
    }
  }

  assert.ok(reader.nextPosition >= position)
})

test('a position after the first 4 GiB of a file, which the protocol cannot express, fails at once', async () => {
  const server = await useMySql()
  const { file } = await endOfBinlog(server)

  await assert.rejects(openBinlog(server, { tag: 'position', file, position: 2 ** 32 }), {
    code: 'BINLOG_REFUSED',
    message: new RegExp(`${file}:4294967296: .*4 GiB`),
  })
})
