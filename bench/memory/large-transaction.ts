import { createTables, CUSTOMERS } from '../load/tables.ts'
import { insertRows } from '../load/numbers.ts'
import { peakMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import type { MemoryCase } from './memory-case.ts'

/** One transaction updates all rows of a table while the service is stopped. The service then reads it. */
export const largeTransaction: MemoryCase = {
  name: 'transaction',
  amount: 1_000_000,
  describe: (rows) => `one transaction of ${rows.toLocaleString('en')} updated rows`,
  async peakMb(rig, rows, name) {
    const { database, bootstrapServers } = rig
    const table = `${name}.customers`
    const topic = `${name}.${table}`
    await createTables(database, name, { customers: CUSTOMERS })
    const service = await rig.stoppedService({ prefix: name, includes: name })
    await insertRows(database, { table, rows, values: CUSTOMERS.values, isHidden: true })
    await database.query(`UPDATE ${table} SET seq = seq + 100000000, first_name = CONCAT('changed', id) ORDER BY id`)
    await service.start()
    await using ends = new TopicEnds(bootstrapServers, [topic])
    await ends.waitFor(rows)
    const peak = peakMemoryMb(service.pid)
    await service.stop()
    await verifyTopic(bootstrapServers, topic, { u: rows })
    return peak
  },
}
