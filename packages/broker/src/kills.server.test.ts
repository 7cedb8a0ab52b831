import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, temporaryFolder } from '@tributary/testkit'
import { startBroker } from './shell/start-broker.ts'
import { BrokerProcess } from './testing/broker-process.ts'
import { clientOf, killsUnderLoad, part, readAll } from './testing/kill-load.ts'
import { RawClient } from './testing/raw-client.ts'

test('no acknowledged record is lost, repeated or reordered by kills in the middle of a load', async () => {
  await killsUnderLoad({ kills: 1, recordsBetween: 1000 })
})

test('topics, offsets, open transactions and producer ids survive a kill', async () => {
  await using folder = temporaryFolder('broker')
  const port = await freePort()
  await using broker = new BrokerProcess(join(folder.path, 'data'), port)
  await broker.start()
  const before = await RawClient.connect(`127.0.0.1:${port}`)
  await before.send('CreateTopics', 7, {
    topics: [{ name: 't', numPartitions: 2, replicationFactor: 1, configs: [{ name: 'retention.ms', value: '7' }] }],
  })
  const partitions = [{ partitionIndex: 1, committedOffset: 2n ** 53n + 1n, committedMetadata: 'here' }]
  await before.send('OffsetCommit', 8, { groupId: 'g', memberId: '', topics: [{ name: 't', partitions }] })
  const first = await before.send('InitProducerId', 4, {
    transactionalId: 'tx',
    transactionTimeoutMs: 60_000,
    producerId: -1n,
    producerEpoch: -1,
  })
  await before.send('AddPartitionsToTxn', 3, {
    v3AndBelowTransactionalId: 'tx',
    v3AndBelowProducerId: first.producerId,
    v3AndBelowProducerEpoch: 0,
    v3AndBelowTopics: [{ name: 't', partitions: [0] }],
  })
  await broker.kill()
  await broker.start()

  await using after = await RawClient.connect(`127.0.0.1:${port}`)
  const { topics } = await after.send('Metadata', 9, { topics: null })
  assert.deepEqual(
    topics.map(({ name, partitions: { length } }) => [name, length]),
    [['t', 2]],
  )
  const resources = [{ resourceType: 2, resourceName: 't', configurationKeys: ['retention.ms'] }]
  const { results } = await after.send('DescribeConfigs', 4, { resources })
  assert.equal(results[0]?.configs[0]?.value, '7')
  const offsets = await after.send('OffsetFetch', 7, { groupId: 'g', topics: null })
  const [found] = offsets.topics[0]?.partitions ?? []
  assert.deepEqual([found?.partitionIndex, found?.committedOffset, found?.metadata], [1, 2n ** 53n + 1n, 'here'])
  const transactions = await after.send('DescribeTransactions', 0, { transactionalIds: ['tx'] })
  const [transaction] = transactions.transactionStates
  assert.deepEqual([transaction?.transactionState, transaction?.producerId], ['Ongoing', first.producerId])
  const next = await after.send('InitProducerId', 4, { transactionalId: null, producerId: -1n, producerEpoch: -1 })
  assert.ok(next.producerId > first.producerId)
})

test('offsets of an open transaction, and those that it has to forget, survive a kill', async () => {
  await using folder = temporaryFolder('broker')
  const port = await freePort()
  await using broker = new BrokerProcess(join(folder.path, 'data'), port)
  const restarted = async (): Promise<RawClient> => {
    await broker.kill()
    await broker.start()
    return RawClient.connect(`127.0.0.1:${port}`)
  }
  await broker.start()
  const first = await RawClient.connect(`127.0.0.1:${port}`)
  await first.send('CreateTopics', 7, { topics: [{ name: 't', numPartitions: 1, replicationFactor: 1 }] })
  const claim = { transactionalId: 'tx', producerEpoch: 0 }
  const { producerId } = await first.send('InitProducerId', 4, {
    transactionalId: 'tx',
    transactionTimeoutMs: 60_000,
    producerId: -1n,
    producerEpoch: -1,
  })
  for (const groupId of ['kept', 'deleted']) {
    await first.send('AddOffsetsToTxn', 3, { ...claim, producerId, groupId })
    const topics = [{ name: 't', partitions: [{ partitionIndex: 0, committedOffset: 42n, committedMetadata: '' }] }]
    await first.send('TxnOffsetCommit', 3, { ...claim, producerId, groupId, topics })
  }

  const second = await restarted()
  // The group has nothing but them.
  const { results } = await second.send('DeleteGroups', 2, { groupsNames: ['deleted'] })
  assert.deepEqual(
    results.map(({ errorCode }) => errorCode),
    [0],
  )

  await using third = await restarted()
  assert.equal((await third.send('EndTxn', 3, { ...claim, producerId, committed: true })).errorCode, 0)
  const committed = async (groupId: string): Promise<bigint | undefined> => {
    const { topics } = await third.send('OffsetFetch', 7, { groupId, topics: [{ name: 't', partitionIndexes: [0] }] })
    return topics[0]?.partitions[0]?.committedOffset
  }
  assert.deepEqual([await committed('kept'), await committed('deleted')], [42n, -1n])
})

test('a torn end of a file is removed; damage is an error that names the file', async () => {
  await using folder = temporaryFolder('broker')
  const path = join(folder.path, 'data')
  const storage = { tag: 'folder', path } as const
  const fill = async (): Promise<void> => {
    await using broker = await startBroker({ storage })
    await using producer = await clientOf(broker.port).producer({ onDelivered: () => undefined })
    const topic = await producer.topic('t')
    topic.send({ key: null, value: part('a value'), headers: [], partition: 0, timestamp: null, token: 0 })
    await producer.flush()
  }
  await fill()
  await fill()
  const topics = join(path, 'topics')
  const file = join(topics, readdirSync(topics)[0] ?? '', '0', '00000000000000000000.log')
  const whole = readFileSync(file)
  appendFileSync(file, whole.subarray(0, 70))
  appendFileSync(join(path, 'journal'), '0000')
  {
    await using broker = await startBroker({ storage })
    assert.equal((await readAll(broker.port, 't')).length, 2)
    await assert.rejects(startBroker({ storage }), { code: 'BROKER_FOLDER_LOCKED' })
  }
  assert.deepEqual(readFileSync(file), whole)

  whole.writeUInt8(whole.readUInt8(70) ^ 1, 70)
  writeFileSync(file, whole)
  await assert.rejects(startBroker({ storage }), {
    code: 'BROKER_DATA_DAMAGED',
    message: new RegExp(`${file}.*checksum`),
  })
})
