/** Values that config providers look up reach the database and nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { answersAbout, createUser, Secrets, topicTexts } from './secrets/secrets.ts'

test('a run with secrets from a file, refusals and failures: no answer, log line or topic contains one', async () => {
  using secrets = new Secrets()
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const prefix = uniqueName('secret')
  const [user, password] = [secrets.make('user').slice(0, 30), secrets.make('password')]
  secrets.values.add(user)
  await createUser(database, user, password)
  await database.query(
    `CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY); INSERT INTO ${prefix}.t VALUES (1)`,
  )
  secrets.write({ flush: '500' })
  await using service = await startService({
    bootstrapServers,
    env: {
      LOG_LEVEL: 'debug',
      // A setting of the worker itself: the reference is not a number.
      OFFSET_FLUSH_INTERVAL_MS: secrets.reference('flush'),
      CONNECT_CONFIG_PROVIDERS: 'file',
      CONNECT_CONFIG_PROVIDERS_FILE_CLASS: 'org.apache.kafka.common.config.provider.FileConfigProvider',
    },
  })
  const plain = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
  const config = {
    ...plain,
    'database.hostname': secrets.reference('host'),
    'database.user': secrets.reference('user'),
    'database.password': secrets.reference('password'),
  }
  const right = { flush: '500', host: database.host, user, password }
  const texts: string[] = []
  const register = async (name: string): Promise<number> => {
    const { status, text } = await service.rest('POST', '/connectors', { name, config })
    texts.push(text)
    return status
  }

  // Refused registrations: a wrong password, an unknown host, a key that is not in the file.
  secrets.write({ ...right, password: secrets.make('wrong') })
  assert.equal(await register(prefix), 400)
  assert.match(texts.at(-1) ?? '', /Access denied/)
  secrets.write({ ...right, host: `${secrets.make('host')}.invalid` })
  assert.equal(await register(prefix), 400)
  assert.ok(texts.at(-1)?.includes(secrets.reference('host')), texts.at(-1))
  secrets.write({ flush: '500', host: database.host, user })
  assert.equal(await register(prefix), 400)
  assert.ok(texts.at(-1)?.includes(`the file ${secrets.file} has no key password`), texts.at(-1))
  // An accepted one.
  secrets.write(right)
  assert.equal(await register(prefix), 201)
  await waitForRecords(bootstrapServers, `${prefix}.${prefix}.t`, 1)
  texts.push(...(await answersAbout(service, prefix)).map(({ text }) => text))
  const stored = (await service.rest('GET', `/connectors/${prefix}/config`)).json
  assert.deepEqual(stored, { ...config, name: prefix })
  // The task reads other values when it restarts, and fails.
  await service.stop()
  secrets.write({ ...right, password: secrets.make('wrong') })
  await service.start()
  const { trace } = await service.waitForTask(prefix, ['FAILED'])
  assert.match(trace, /Access denied/)
  texts.push(...(await answersAbout(service, prefix)).map(({ text }) => text))
  await service.stop()
  secrets.write({ flush: '500', host: database.host, user })
  await service.start()
  // The earlier status is FAILED too.
  await eventually('the task has failed again', async () =>
    (await service.taskState(prefix)).trace.includes(`the file ${secrets.file} has no key password`),
  )
  texts.push(...(await answersAbout(service, prefix)).map(({ text }) => text))
  await service.stop()

  const topics = (await topicTexts(bootstrapServers, [prefix, service.name])).map(({ text }) => text)
  assert.ok(topics.length >= 6, `${topics.length} topics`)
  assert.ok(topics.some((text) => text.includes(secrets.reference('password'))))
  const all = [...texts, ...topics, service.log]
  assert.deepEqual(
    all.flatMap((text) => secrets.foundIn(text).map((value) => `${value} in ${text.slice(0, 2000)}`)),
    [],
  )
  // The texts that people see contain the reference.
  assert.ok(service.log.includes(secrets.reference('user')))
})
