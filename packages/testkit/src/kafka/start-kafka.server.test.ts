import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { runKafkaTool } from './run-java.ts'
import { startKafka } from './start-kafka.ts'
import { consumeOne, produceOne } from './testing/one-record.ts'

test('a record of the Java producer can be read, also after a restart and after kill -9', async () => {
  await using kafka = await startKafka()
  const [broker] = kafka.brokers
  assert.ok(broker)
  await produceOne(kafka, 'hello')
  assert.equal(await consumeOne(kafka), 'hello\n')

  const { port, pid } = broker
  await broker.stop()
  assert.equal(broker.isRunning, false)
  await broker.start()
  assert.equal(broker.port, port)
  assert.notEqual(broker.pid, pid)
  assert.equal(await consumeOne(kafka), 'hello\n')

  await broker.kill('SIGKILL')
  assert.throws(() => broker.pid, { code: 'SERVER_IS_DOWN' })
  await broker.start()
  assert.equal(await consumeOne(kafka), 'hello\n')
})

test('disposal ends the process, frees the port and removes the data', async () => {
  const kafka = await startKafka()
  const [broker] = kafka.brokers
  assert.ok(broker)
  const { pid, port, logFile } = broker
  assert.ok(existsSync(dirname(logFile)))

  await kafka[Symbol.asyncDispose]()

  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  assert.equal(await isListening(port), false)
  assert.equal(existsSync(dirname(logFile)), false)
})

test('the broker has the extra listener and the settings of the caller', async () => {
  const config = { 'message.max.bytes': '4321' }
  await using kafka = await startKafka({ extraListeners: { EXTRA: 'PLAINTEXT' }, config })
  const [address] = kafka.listener('EXTRA')
  assert.ok(address)
  const args = ['--bootstrap-server', address, '--describe', '--entity-type', 'brokers', '--entity-name', '1', '--all']

  const { stdout } = await runKafkaTool('kafka.admin.ConfigCommand', args)

  assert.match(stdout, /message\.max\.bytes=4321/)
})

test('the error of a failed start has its reason, and no process is left', async () => {
  await assert.rejects(startKafka({ config: { 'log.retention.ms': 'for ever' } }), (error: Error) => {
    assert.match(error.message, /Kafka broker 1 ended while it was starting/)
    assert.match(error.message, /log\.retention\.ms/)
    return true
  })
  const own = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim()
  assert.equal(own, '')
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
