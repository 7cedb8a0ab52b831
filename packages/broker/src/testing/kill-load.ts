import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createKafka, type LogRecord } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'
import { eventually, freePort, temporaryFolder } from '@tributary/testkit'
import { BrokerProcess } from './broker-process.ts'

const PARTITIONS = 3

export function clientOf(port: number): ReturnType<typeof createKafka> {
  const bootstrapServers = [`127.0.0.1:${port}`]
  return createKafka({ bootstrapServers, clientId: 'test', clock: systemClock, logger: silentLogger })
}

export function part(text: string): { prefix: Buffer; buffer: Buffer; start: number; end: number } {
  const buffer = Buffer.from(text)
  return { prefix: Buffer.alloc(0), buffer, start: 0, end: buffer.length }
}

export async function readAll(port: number, topic: string): Promise<readonly LogRecord[]> {
  await using reader = await clientOf(port).reader({ topic })
  const records: LogRecord[] = []
  await reader.readToEnd((record) => records.push(record))
  return records
}

export interface KillLoad {
  readonly kills: number
  readonly recordsBetween: number
}

/** Kills a broker while records flow, and checks that each is read once, in the order of its partition. */
export async function killsUnderLoad({ kills, recordsBetween }: KillLoad): Promise<void> {
  await using folder = temporaryFolder('broker')
  const port = await freePort()
  await using broker = new BrokerProcess(join(folder.path, 'data'), port)
  await broker.start()
  await clientOf(port).admin().createTopic({ name: 'load', partitions: PARTITIONS, replicationFactor: 1, configs: {} })

  let acknowledged = 0
  const onDelivered = (tokens: readonly unknown[]): void => void (acknowledged += tokens.length)
  await using producer = await clientOf(port).producer({ onDelivered })
  const topic = await producer.topic('load')
  let sent = 0
  for (let kill = 1; kill <= kills + 1; kill++) {
    const goal = kill * recordsBetween
    while (sent < goal) {
      const value = part(`${sent} ${'x'.repeat(500)}`)
      topic.send({ key: null, value, headers: [], partition: sent % PARTITIONS, timestamp: null, token: sent++ })
      if (producer.isFull) await producer.ready()
    }
    if (kill > kills) break
    // In the middle: some records are acknowledged, some are on their way.
    await eventually('some records are acknowledged', () => Promise.resolve(acknowledged > goal - recordsBetween * 0.9))
    await broker.kill()
    await broker.start()
  }
  await producer.flush()

  assert.equal(acknowledged, sent)
  const records = await readAll(port, 'load')
  assert.equal(records.length, sent)
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const numbers = records
      .filter((each) => each.partition === partition)
      .map(({ value }) => parseInt(String(value), 10))
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, i) => partition + i * PARTITIONS),
      `partition ${partition}`,
    )
  }
}
