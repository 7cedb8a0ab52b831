/** How long the server keeps what a connector needs: in REST, on the command line and in the log, whatever its state. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ConnectorHealth, TimeToLoss } from '@tributary/rest-api'
import {
  connectorConfig,
  type DatabaseServer,
  eventually,
  runProgram,
  type Service,
  startMySql,
  startService,
  temporaryFolder,
  uniqueName,
  useKafka,
  useProgram,
  waitForRecords,
} from '@tributary/testkit'

const MAIN = await useProgram()

async function timeToLoss(service: Service, name: string): Promise<TimeToLoss> {
  const { status, json, text } = await service.rest('GET', `/connectors/${name}/health`)
  assert.equal(status, 200, text)
  return (json as ConnectorHealth).time_to_loss
}

function until(
  service: Service,
  name: string,
  fact: string,
  holds: (loss: TimeToLoss) => boolean,
): Promise<TimeToLoss> {
  return eventually(fact, async () => {
    const loss = await timeToLoss(service, name)
    return holds(loss) && loss
  })
}

test('the time to loss counts while a connector is stopped, and is known to be over', async () => {
  const prefix = uniqueName('loss')
  await using folder = temporaryFolder('loss')
  await using server = await startMySql({ gtid: false, args: ['--binlog-expire-logs-seconds=3'] })
  const { bootstrapServers } = await useKafka()
  await server.query(`CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY AUTO_INCREMENT)`)
  // The password is a reference, which the watch resolves as the task does.
  const secrets = join(folder.path, 'secrets.properties')
  writeFileSync(secrets, 'password=dbz')
  await using service = await startService({
    bootstrapServers,
    env: {
      CONNECT_CONFIG_PROVIDERS: 'file',
      CONNECT_CONFIG_PROVIDERS_FILE_CLASS: 'org.apache.kafka.common.config.provider.FileConfigProvider',
    },
  })
  const unknown = await service.rest('GET', '/connectors/nothing/health')
  assert.deepEqual([unknown.status, unknown.text], [404, '{"error_code":404,"message":"Connector nothing not found"}'])

  const config = connectorConfig({
    database: server,
    bootstrapServers,
    prefix,
    includes: prefix,
    more: {
      'database.password': `\${file:${secrets}:password}`,
      'binlog.loss.check.interval.ms': '1000',
      'binlog.loss.warning.seconds': '3600,2,1',
    },
  })
  await service.register(prefix, config)
  await service.waitUntilRunning(prefix)
  await server.query(`INSERT INTO ${prefix}.t () VALUES ()`)
  await waitForRecords(bootstrapServers, `${prefix}.${prefix}.t`, 1)
  // It has read everything, and the limit is one in time. On a busy machine, a measurement may be a second old.
  const running = await until(service, prefix, 'the whole time is left', ({ status, seconds }) => {
    return status === 'ok' && seconds !== null && [3, 4].includes(seconds)
  })
  assert.deepEqual([running.retention, running.problem], [['binlog_expire_logs_seconds=3'], null])
  assert.equal(running.running_out, false)

  await service.rest('PUT', `/connectors/${prefix}/stop`)
  await eventually('it is stopped', async () => (await service.taskState(prefix)).state === 'NONE')
  await server.query('FLUSH BINARY LOGS')
  const late = await until(service, prefix, 'a warning is due', ({ status }) => status === 'warning')
  assert.equal(late.running_out, true)
  await service.waitForLog(/WARN.*may purge binlog\.\d+, which the connector still needs, in \d s/)
  const lost = await until(service, prefix, 'it is lost', ({ status }) => {
    if (status !== 'lost') void server.query('FLUSH BINARY LOGS')
    return status === 'lost'
  })
  assert.deepEqual([lost.seconds, lost.running_out], [0, false])
  assert.match(lost.problem ?? '', /no longer available.*remove its offsets/)
  await service.waitForLog(/ERROR.*no longer available/)
  const { stdout } = await runProgram(process.execPath, [MAIN, 'connectors', 'status', prefix, '--url', service.url])
  assert.match(stdout, /\nTime to loss: lost: the server has purged the binlog/)

  await checkUnreachable(service, server, prefix)
  // Each threshold and the loss once, however often it is measured.
  const warnings = service.log.match(/may purge binlog/g)?.length ?? 0
  assert.ok(warnings === 1 || warnings === 2, `${warnings} warnings of two thresholds`)
  assert.equal(service.log.match(/Connector \S+: The connector is trying to read/g)?.length, 1)
  assert.doesNotMatch(service.log, /\bdbz\b/)
})

/** The last answer remains, with its age and with what went wrong. */
async function checkUnreachable(service: Service, server: DatabaseServer, name: string): Promise<void> {
  await server.kill('SIGKILL')
  const {
    problem,
    notes,
    age_seconds: age,
  } = await until(service, name, 'the measurement fails', ({ notes: found }) =>
    found.some((note) => note.startsWith('The last measurement failed')),
  )
  assert.ok(problem !== null && notes.length > 0 && (age ?? -1) >= 0)
  await service.waitForLog(
    /cannot be measured, and counts from the last measurement: (Unable to connect|The connection to the database)/,
  )
}
