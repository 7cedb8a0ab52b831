import { createTables, NARROW } from '../load/tables.ts'
import { insertRows } from '../load/numbers.ts'
import { peakMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import type { MemoryCase } from './memory-case.ts'

/** A snapshot of one large table. */
export const largeTable: MemoryCase = {
  name: 'snapshot',
  amount: 2_000_000,
  describe: (rows) => `snapshot of ${rows.toLocaleString('en')} rows`,
  async peakMb(rig, rows, name) {
    const { database, bootstrapServers } = rig
    const topic = `${name}.${name}.narrow`
    await createTables(database, name, { narrow: NARROW })
    await insertRows(database, { table: `${name}.narrow`, rows, values: NARROW.values, isHidden: true })
    const service = await rig.service(name)
    await service.register(name, rig.connectorConfig({ prefix: name, includes: name }))
    await using ends = new TopicEnds(bootstrapServers, [topic])
    await ends.waitFor(rows)
    const peak = peakMemoryMb(service.pid)
    await service.stop()
    await verifyTopic(bootstrapServers, topic, { r: rows })
    return peak
  },
}
