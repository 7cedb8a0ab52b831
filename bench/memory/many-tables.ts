import type { Service } from '@tributary/testkit'
import { createManyTables } from '../load/many-tables.ts'
import { peakMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { CONNECTED, type Rig } from '../rig/rig.ts'
import type { MemoryCase } from './memory-case.ts'

/** The number of tables that are written to: half of them are the first tables, half the last. */
const CHANGED = 10
/** Far longer than 10,000 tables need. */
const STRUCTURE_LIMIT_MS = 600_000

/** Tables without rows, of which only the structure is read. A few are written to, before and after a restart. */
export const manyTables: MemoryCase = {
  name: 'tables',
  amount: 10_000,
  describe: (tables) => `${tables.toLocaleString('en')} tables`,
  async peakMb(rig, tables, name) {
    await createManyTables(rig.database, name, tables)
    const service = await rig.service(name)
    await service.register(name, rig.connectorConfig({ prefix: name, includes: name }))
    await service.waitForLog(CONNECTED, 0, STRUCTURE_LIMIT_MS)
    const changed = Array.from({ length: CHANGED }, (_, i) => (i % 2 === 0 ? i : tables - 1 - i))
    const write = (id: number): Promise<void> => writeToTables(rig, name, { tables: changed, id })
    await write(1)
    const snapshotPeak = peakMemoryMb(service.pid)
    await restart(service)
    await write(2)
    const recoveryPeak = peakMemoryMb(service.pid)
    await service.stop()
    return Math.max(snapshotPeak, recoveryPeak)
  },
}

async function restart(service: Service): Promise<void> {
  const logged = service.log.length
  await service.stop()
  await service.start()
  await service.waitForLog(CONNECTED, logged, STRUCTURE_LIMIT_MS)
}

interface Write {
  readonly tables: readonly number[]
  readonly id: number
}

/** Inserts one row into each of the tables, and waits until all events are in their topics. */
async function writeToTables({ database, bootstrapServers }: Rig, name: string, { tables, id }: Write): Promise<void> {
  for (const table of tables) await database.query(`INSERT INTO ${name}.t${table} VALUES (${id}, ${id}, 'a', 'b', 'c')`)
  const topics = tables.map((table) => `${name}.${name}.t${table}`)
  await using ends = new TopicEnds(bootstrapServers, topics)
  await ends.waitFor(id * tables.length)
}
