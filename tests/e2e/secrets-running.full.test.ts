/** Secrets of tasks that run: passwords that change, wrong ones after a restart, TRACE, crashes, diagnostic reports. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Database, eventually, type Service, startService, useMySql, waitForRecords } from '@tributary/testkit'
import { cutBinlog, Run, startKafkaWithLogin } from './secrets/everywhere.ts'
import { createUser, setPassword, topicTexts } from './secrets/secrets.ts'

const CRASH = fileURLToPath(new URL('../testing/crash-on-signal.ts', import.meta.url))

/** Reports for every reason for which Node writes one, and the program that crashes. */
function nodeArgs(folder: string): readonly string[] {
  const reasons = ['--report-uncaught-exception', '--report-on-fatalerror', '--report-on-signal']
  return [...reasons, `--report-directory=${folder}`, '--import', CRASH]
}

function reports(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => /^report\..*\.json$/.test(name))
  // A report that is still being written does not end with its brace.
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).filter((text) => text.trimEnd().endsWith('}'))
}

/** A running connector with secrets in all places, and what the steps need. */
interface Setting {
  readonly run: Run
  readonly service: Service
  readonly database: Database
  /** Inserts a row and waits for its record. */
  insert(): Promise<void>
}

async function restarted({ run, service }: Setting): Promise<void> {
  assert.equal((await service.rest('POST', `/connectors/${run.name}/tasks/0/restart`)).status, 204)
  await eventually('the task runs again', async () => (await service.taskState(run.name)).state === 'RUNNING')
}

/** The failure names the user and no password. */
async function failed({ run, service }: Setting): Promise<void> {
  const { trace } = await service.waitForTask(run.name, ['FAILED'])
  assert.ok(trace.includes(`Access denied for user '${run.name}'`), trace)
  await run.noteAnswers(service)
}

async function rotateWhileRunning(setting: Setting, next: string): Promise<void> {
  const { run, database } = setting
  await setPassword(database, run.name, next)
  // Open connections live on.
  await setting.insert()
  await cutBinlog(database, run.name)
  await failed(setting)
  run.vault.rotate(run.right.database, next)
  await restarted(setting)
  await setting.insert()
}

async function wrongAfterRestart(setting: Setting, right: string): Promise<void> {
  const { run, service } = setting
  await service.stop()
  run.vault.rotate(right, run.wrong)
  await service.start()
  await eventually('the task has failed anew', async () => (await service.taskState(run.name)).trace.includes('Access'))
  await failed(setting)
  run.vault.rotate(run.wrong, right)
  await restarted(setting)
  await setting.insert()
}

async function crash({ run, service }: Setting): Promise<void> {
  const { folder } = run.vault
  const { pid } = service
  run.note('command line', readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  process.kill(pid, 'SIGWINCH')
  const { trace } = await service.waitForTask(run.name, ['FAILED'])
  assert.match(trace, /planted crash of a task/)
  await run.noteAnswers(service)
  const earlier = reports(folder).length
  process.kill(pid, 'SIGUSR2')
  await eventually('Node has written a report', () => reports(folder).length === earlier + 1)
  process.kill(pid, 'SIGHUP')
  await eventually('Node has written a report of the crash', () =>
    reports(folder).some((text) => text.includes('planted crash of the worker')),
  )
  await service.waitForLog(/planted crash of the worker/)
}

test('passwords that change, wrong ones, TRACE, crashes and reports: no secret is shown', async () => {
  const database = await useMySql()
  await using kafka = await startKafkaWithLogin()
  const run = new Run('file', database, kafka)
  using vault = run.vault
  // A provider of the environment would read it there.
  const ofEnvironment = vault.make('environment')
  const next = vault.make('next')
  await createUser(database, run.name, run.right.database)
  await database.query(`CREATE DATABASE ${run.name}; CREATE TABLE ${run.name}.t (id INT PRIMARY KEY AUTO_INCREMENT)`)
  const bootstrapServers = kafka.listener('LOGIN')
  const env = { ...run.environment(run.right.worker), LOG_LEVEL: 'info', DB_PASSWORD: ofEnvironment }
  await using service = await startService({ bootstrapServers, env, nodeArgs: nodeArgs(vault.folder) })
  let rows = 0
  const insert = async (): Promise<void> => {
    await database.query(`INSERT INTO ${run.name}.t () VALUES ()`)
    rows += 1
    await waitForRecords(kafka.bootstrapServers, `${run.name}.${run.name}.t`, rows)
  }
  const setting = { run, service, database, insert }

  const trace = await service.rest('PUT', '/admin/loggers/root', { level: 'TRACE' })
  assert.equal(trace.status, 200, trace.text)
  run.note('PUT loggers', trace.text)
  assert.equal((await run.post(service, run.config())).status, 201)
  await service.waitForLog(/Connected to binlog at/)
  await insert()
  await rotateWhileRunning(setting, next)
  await wrongAfterRestart(setting, next)
  assert.equal((await service.rest('PUT', '/admin/loggers/root', { level: 'TRACE' })).status, 200)
  await run.noteCommands(service)
  await crash(setting)

  run.note('log', service.log)
  for (const text of reports(vault.folder)) run.note('diagnostic report', text)
  for (const { topic, text } of await topicTexts(kafka.bootstrapServers, [run.name, service.name])) {
    run.note(`topic ${topic.replace(service.name, 'WORKER')}`, text)
  }
  assert.deepEqual(run.leaks(), [])
  const places = new Set(run.texts.map(({ place }) => place))
  for (const place of ['log', 'diagnostic report', 'topic WORKER_statuses', 'topic WORKER_configs', 'command line']) {
    assert.ok(places.has(place), place)
  }
  assert.match(service.log, / DEBUG /)
})

test('a leak into the log or into a diagnostic report is found', async () => {
  const database = await useMySql()
  await using kafka = await startKafkaWithLogin()
  const run = new Run('file', database, kafka)
  using vault = run.vault
  const env = { ...run.environment(run.right.worker), PLANTED_LEAK: vault.make('planted') }
  const options = { bootstrapServers: kafka.listener('LOGIN'), env, nodeArgs: nodeArgs(vault.folder) }
  await using service = await startService(options)

  process.kill(service.pid, 'SIGWINCH')

  await service.waitForLog(/planted /)
  run.note('log', service.log)
  for (const text of reports(vault.folder)) run.note('diagnostic report', text)
  assert.deepEqual(run.leaks(), ['diagnostic report', 'log'])
})
