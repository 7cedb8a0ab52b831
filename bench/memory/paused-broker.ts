import { present } from '@tributary/support'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { insertRows } from '../load/numbers.ts'
import { peakMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import type { MemoryCase } from './memory-case.ts'

/** Rows in the binlog when the broker is paused: far more than all buffers together can hold. */
const ROWS = 600_000
/** The broker is paused after this number of records, while the service works at full speed. */
const ROWS_BEFORE = 100_000

/** The broker is paused (SIGSTOP: it answers no request, and its connections stay open) in the middle of a backlog. */
export const pausedBroker: MemoryCase = {
  name: 'broker',
  amount: 60,
  describe: (seconds) => `broker paused for ${seconds} s`,
  async peakMb(rig, seconds, name) {
    const { database, kafka, bootstrapServers } = rig
    const table = `${name}.customers`
    const topic = `${name}.${table}`
    await createTables(database, name, { customers: CUSTOMERS })
    const service = await rig.stoppedService({ prefix: name, includes: name })
    await insertRows(database, { table, rows: ROWS, values: CUSTOMERS.values })
    await service.start()
    await using ends = new TopicEnds(bootstrapServers, [topic])
    await ends.waitFor(ROWS_BEFORE, { everyMs: 10 })
    const broker = present(kafka.brokers[0], 'the broker')
    await broker.kill('SIGSTOP')
    await sleep(seconds * 1000)
    await broker.kill('SIGCONT')
    await ends.waitFor(ROWS)
    const peak = peakMemoryMb(service.pid)
    await service.stop()
    await verifyTopic(bootstrapServers, topic, { c: ROWS })
    return peak
  },
}
