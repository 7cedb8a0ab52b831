/** One broker; start-kafka.full.test.ts restarts one, and starts one that fails. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { kafkaClient } from '../service/read-topic.ts'
import { startKafka } from './start-kafka.ts'

test('the broker has the extra listener and the settings of the caller; disposal ends it and removes its data', async () => {
  const config = { 'message.max.bytes': '4321' }
  await using kafka = await startKafka({ extraListeners: { EXTRA: 'PLAINTEXT' }, config })
  const [broker] = kafka.brokers
  assert.ok(broker)
  const { pid, port, logFile } = broker
  {
    await using admin = (await kafkaClient(kafka.listener('EXTRA'))).admin()
    assert.equal(await admin.brokerConfig('message.max.bytes'), '4321')
  }
  assert.ok(existsSync(dirname(logFile)))

  await kafka[Symbol.asyncDispose]()

  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  assert.equal(await isListening(port), false)
  assert.equal(existsSync(dirname(logFile)), false)
})

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
