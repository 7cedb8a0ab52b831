/** Checkpoints of the schema history; history-checkpoint.full.test.ts has each test on the other server. */
import { kafkaClient, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILLING, TABLES, testLoss, testOtherHistory, testStart } from './testing/checkpointed-history.ts'
import { HistoryTopic } from './testing/history-topic.ts'
import { runStatements } from './testing/run-statements.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

testStart('MySQL', useMySql)
testLoss('MariaDB', useMariaDb)
testOtherHistory('MariaDB', useMariaDb)

test(
  'a task whose checkpoints cannot be written logs that once and continues without them',
  { timeout: 120_000 },
  async () => {
    const scene = await sceneOf(await useMySql(), TABLES)
    const { bootstrapServers } = await useKafka()
    const topic = await HistoryTopic.of(scene.config)
    await using admin = (await kafkaClient(bootstrapServers)).admin()
    const tooSmall = { 'max.message.bytes': '200' }
    const name = `${topic.topic}-checkpoint`
    await admin.createTopic({ name, partitions: 1, replicationFactor: 1, configs: tooSmall })
    await using task = await TaskRun.start(scene, {})
    await task.until(isStreaming)
    await runStatements(scene, FILLING)
    await task.until(({ logger }) => logger.matching('Checkpoints of the schema history cannot be written').length > 0)
    await runStatements(scene, [...FILLING, 'INSERT INTO t (id, a, b) VALUES (1, 10, 20)'])
    assert.deepEqual(await task.untilChanges(1), ['c 1 10 20'])
    assert.equal(task.logger.matching('Checkpoints of the schema history').length, 1)
  },
)
