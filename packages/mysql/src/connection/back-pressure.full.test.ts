import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startFaultProxy, startMariaDb, startMySql, type FaultProxy } from '@tributary/testkit'
import { RowStream } from '../resultset/row-stream.ts'
import { TextRowCodec } from '../resultset/text-row-codec.ts'
import { endOfBinlog, loginOf, openBinlog } from '../testing/live-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import { MySqlConnection } from './mysql-connection.ts'

const MIB = 1 << 20
const ROWS = 300
const ROW_BYTES = MIB
/** What the sockets of the server, the proxy and ours hold together, by the system's largest buffers, and our own queue. */
const IN_FLIGHT_BYTES_MAX = 40 * MIB

/** Waits until nothing more comes through, which a server with hundreds of megabytes to send does only when it has to wait. */
async function standstill(proxy: FaultProxy): Promise<number> {
  let last = -1
  let quiet = 0
  await eventually('the server waits', () => {
    quiet = proxy.bytes.fromTarget === last ? quiet + 1 : 0
    last = proxy.bytes.fromTarget
    return quiet >= 40
  })
  return last
}

for (const [name, start] of [
  ['MySQL', startMySql],
  ['MariaDB', startMariaDb],
] as const) {
  test(`${name} waits for a reader that does not read, in the binlog and in a result set`, async () => {
    await using server = await start()
    const from = await endOfBinlog(server)
    await server.query('CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v LONGTEXT)')
    for (let i = 0; i < ROWS; i++) await server.query(`INSERT INTO d.t (v) VALUES (REPEAT('x', ${ROW_BYTES}))`)
    await using proxy = await startFaultProxy({ target: server })
    const heldBefore = process.memoryUsage().arrayBuffers

    await using stream = await openBinlog(server, from, { through: proxy })
    const streamed = await standstill(proxy)
    assert.ok(streamed > 0 && streamed < IN_FLIGHT_BYTES_MAX, `${streamed} bytes of the binlog came unasked`)
    let rowsEvents = 0
    while (rowsEvents < ROWS) {
      const event = stream.next()
      if (event === null) await stream.wait(AbortSignal.timeout(60_000))
      else if (event.tag === 'rows') rowsEvents += 1
    }
    await stream.close()

    const before = proxy.bytes.fromTarget
    await using connection = await MySqlConnection.open(loginOf(proxy))
    await using rows = await RowStream.open(connection, 'SELECT v FROM d.t', 'reading')
    const selected = (await standstill(proxy)) - before
    assert.ok(selected > 0 && selected < IN_FLIGHT_BYTES_MAX, `${selected} bytes of the result came unasked`)
    const held = process.memoryUsage().arrayBuffers - heldBefore
    assert.ok(held < IN_FLIGHT_BYTES_MAX, `${held} bytes are held by a process that also runs the proxy`)
    const codec = new TextRowCodec([textTarget('text')])
    let count = 0
    while (!rows.isDone) {
      const row = rows.next(codec)
      if (row !== null) {
        assert.equal(row[0]?.length, ROW_BYTES)
        count += 1
      } else if (!rows.isDone) await rows.wait(AbortSignal.timeout(60_000))
    }
    assert.equal(count, ROWS)
  })
}
