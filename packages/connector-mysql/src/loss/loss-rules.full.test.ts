import type { LossForecast } from '@tributary/connect-api'
import { present } from '@tributary/support'
import { databaseAccounts, eventually, startMariaDb, startMySql, type DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEarliest, ProbedServer } from '../testing/probed-server.ts'

test('MySQL without GTIDs: purges the needed file at the predicted earliest moment, and then it is lost', async () => {
  const args = [`--binlog-expire-logs-seconds=${KEPT_SECONDS}`]
  await using server = await startMySql({ gtid: false, args })
  await checkEarliest(server, KEPT_SECONDS)
})

/** Seconds for which the server keeps a closed file. */
const KEPT_SECONDS = 3

test('MySQL with GTIDs: the needed file is the first with transactions that were not read', async () => {
  await using server = await startMySql({ args: ['--binlog-expire-logs-seconds=3600'] })
  const subject = await ProbedServer.of(server)
  await checkFirstUnread(server, subject, 'SELECT @@global.gtid_executed AS gtids')
})

test('MariaDB: the needed file is the first with transactions that were not read', async () => {
  await using server = await startMariaDb({ args: ['--binlog-expire-logs-seconds=3600'] })
  const subject = await ProbedServer.of(server)
  await checkFirstUnread(server, subject, 'SELECT @@global.gtid_binlog_pos AS gtids')
})

async function checkFirstUnread(server: DatabaseServer, subject: ProbedServer, gtidsNow: string): Promise<void> {
  const files: string[] = []
  const gtids: string[] = []
  for (let file = 0; file < 5; file++) {
    await subject.insert()
    const [row] = await server.query(gtidsNow)
    gtids.push(String(row?.['gtids']))
    files.push(String((await subject.offset())['file']))
    await server.query('FLUSH BINARY LOGS')
  }
  const needed = async (changes: Readonly<Record<string, string | number>>): Promise<string | null> =>
    (await subject.measure({ ...(await subject.offset()), ...changes })).neededFile
  const [from0, from1] = [gtids[0] ?? '', gtids[1] ?? '']
  // All of the stored file was read: the next one is needed.
  assert.equal(await needed({ gtids: from0, file: files[0] ?? '', pos: 4 }), files[1])
  // The names of files are those of another server.
  assert.equal(await needed({ gtids: from1, file: 'other.000001', pos: 4, server_identity: 'another' }), files[2])
  const [purged] = [files[3] ?? '']
  await eventually('the server has purged the files', async () => {
    await server.query(`PURGE BINARY LOGS TO '${purged}'`)
    const [oldest] = await server.query('SHOW BINARY LOGS')
    return oldest?.['Log_name'] === purged
  })
  assert.equal(await needed({ gtids: gtids[2] ?? '', file: files[2] ?? '', pos: 4 }), purged)
  const lost = await subject.measure({ ...(await subject.offset()), gtids: from1, file: files[1] ?? '', pos: 4 })
  assert.equal(lost.state, 'lost')
}

test('MySQL: a server that does not purge by itself, and a binlog that was reset since it was read', async () => {
  await using server = await startMySql({ gtid: false, args: ['--binlog-expire-logs-auto-purge=OFF'] })
  const subject = await ProbedServer.of(server)
  const offset = await subject.offset()
  const kept = await subject.measure({ ...offset, ...(await subject.proof(String(offset['file']))) })
  const proof = await subject.proof(String(offset['file']))
  // Creation times have whole seconds.
  await eventually('the file has another creation time', async () => {
    await server.query('RESET BINARY LOGS AND GTIDS')
    return (await subject.proof(String(offset['file'])))['file_created'] !== proof['file_created']
  })
  await subject.insert()
  const reset: LossForecast = await subject.measure({ ...offset, pos: 4, ...proof })
  const { state, earliestMs, retention } = kept
  assert.deepEqual([state, earliestMs, retention], ['kept', null, ['binlog_expire_logs_auto_purge=OFF']])
  assert.equal(reset.state, 'lost')
  assert.match(reset.problem ?? '', /is not the one that was read/)
})

test('after a restart of the server, the last write to the needed file counts from what is known', async () => {
  await using server = await startMySql({ args: ['--binlog-expire-logs-seconds=3600'] })
  const subject = await ProbedServer.of(server)
  await subject.insert()
  const offset = await subject.offset()
  await subject.insert()
  await server.stop()
  await server.start()
  const { earliestMs, notes } = await subject.measure({ ...offset, ts_sec: 1_000 })
  const created = Number((await subject.proof(String(offset['file'])))['file_created'])
  assert.match(notes.join(' '), /was restarted after .*: the earliest possible time is assumed/)
  const keptMs = present(earliestMs, 'the earliest moment') - created * 1000
  assert.ok(Math.abs(keptMs - 3601 * 1000) < 100, `${keptMs} ms after the beginning of the file`)
})

test('a server that cannot be reached, and an account without privileges, are errors', async () => {
  await using server = await startMySql()
  await server.query("CREATE USER 'nobody'@'%' IDENTIFIED BY 'p'")
  const subject = await ProbedServer.of(server)
  const offset = await subject.offset()
  await assert.rejects(subject.measureAs({ user: 'nobody', password: 'p' }, offset), /REPLICATION CLIENT/)
  await server.stop()
  await assert.rejects(subject.measureAs(databaseAccounts.root, offset), { code: 'MYSQL_UNREACHABLE' })
})
