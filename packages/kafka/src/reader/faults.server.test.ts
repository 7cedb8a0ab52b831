import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, eventually, startKafka } from '@tributary/testkit'
import { silent, testKafka, valueRecord } from '../testing/clients.ts'

test('a reader continues through cuts and kills without a gap or repeat, and logs each outage once', async () => {
  await using server = await startKafka({ behindProxy: true })
  const [broker] = server.brokers
  const [proxy] = server.proxies
  assert.ok(broker && proxy)
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using producer = await testKafka(server.bootstrapServers).producer(silent({ batchBytesMax: 3000 }))
  const topic = await producer.topic('read')
  await using reader = await kafka.reader({ topic: 'read', fetchBytesMax: 10_000 })
  const seen: number[] = []
  const readUntil = (count: number): Promise<true> =>
    eventually(`${count} records are read`, async () => {
      for (const { value } of await reader.poll()) seen.push(Number.parseInt(String(value), 10))
      return seen.length >= count
    })
  const send = (from: number, to: number): void => {
    for (let i = from; i < to; i++) topic.send(valueRecord(`${i} ${'x'.repeat(i % 100)}`))
  }

  send(0, 3000)
  proxy.cutAfterBytes(50_000, 'fromTarget')
  await readUntil(2000)
  proxy.cut()
  await readUntil(3000)
  await broker.kill('SIGKILL')
  assert.deepEqual(await reader.poll(), [])
  await broker.start()
  send(3000, 4000)
  await readUntil(4000)

  assert.deepEqual(
    seen,
    Array.from({ length: 4000 }, (_, i) => i),
  )
  const started = logger.lines.filter(
    ({ level, message }) => level === 'warn' && message.startsWith('reading topic read:'),
  )
  const ended = logger.lines.filter(
    ({ level, message }) => level === 'info' && message.startsWith('reading topic read:'),
  )
  assert.equal(started.length, ended.length)
  assert.ok(started.length >= 1 && started.length <= 4, String(started.length))
})
