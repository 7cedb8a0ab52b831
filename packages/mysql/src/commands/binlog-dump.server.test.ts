import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { BinlogDump } from '../binlog/binlog-dump.ts'
import { BinlogReader } from '../binlog/binlog-reader.ts'
import type { DumpOptions } from './binlog-dump.ts'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import { eventFacts, isInFile } from '../spool/event-facts.ts'
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

test('MariaDB leaves out statements of rows that nobody asked for, also where a dump begins with one', async () => {
  const server = await useMariaDb()
  const { file, position } = await endOfBinlog(server)
  const schema = uniqueName('annotated')
  const table = `${schema}.t`
  await server.query(`CREATE DATABASE ${schema}`)
  await server.query(`CREATE TABLE ${table} (id INT PRIMARY KEY)`)
  await server.query(`INSERT INTO ${table} VALUES (1)`)
  const events = await server.query(`SHOW BINLOG EVENTS IN '${file}' FROM ${position}`)
  const index = events.findIndex(({ Event_type: type, Info: info }) => {
    return type === 'Annotate_rows' && String(info).includes(table)
  })
  const [statement, following] = events.slice(index, index + 2)

  assert.equal(events[index - 1]?.['Event_type'], 'Gtid')
  const start = { tag: 'position', file, position: Number(statement?.['Pos']) } as const
  assert.equal(await firstOfDump(server, { start, wantsStatements: true }), Number(statement?.['Pos']))
  assert.equal(await firstOfDump(server, { start, wantsStatements: false }), Number(following?.['Pos']))
})

/** The position of the first event in a file that a dump sends. */
async function firstOfDump(
  server: Database,
  { start, wantsStatements }: Pick<DumpOptions, 'start' | 'wantsStatements'>,
): Promise<number> {
  const identity = { serverId: 986_000_000 + (process.pid % 100_000), replicaUuid: '' }
  const dump = { flavor: server.flavor, start, wantsStatements, heartbeatMs: 10_000, ...identity }
  await using opened = await BinlogDump.open({ connection: loginOf(server), dump })
  const { packets } = opened
  for (;;) {
    while (packets.next()) {
      const facts = eventFacts(packets.bytes.subarray(packets.start, packets.end))
      if (facts !== null && isInFile(facts)) return facts.endLow - facts.size
    }
    await packets.wait(AbortSignal.timeout(20_000))
  }
}
