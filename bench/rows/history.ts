import { kafkaClient } from '@tributary/testkit'
import { FigureList, type Bench } from '../run/bench.ts'
import { appendLongHistory } from '../load/long-history.ts'
import { createManyTables } from '../load/many-tables.ts'
import { peakMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { CONNECTED, Rig } from '../rig/rig.ts'

const NAME = 'history'
const TABLES = 5_000
const STATEMENTS = 200_000
const LIMIT_MS = 900_000
const WRITTEN = /A checkpoint of the schema history up to offset/

/**
 * Measures starts with a long schema history: many tables, each altered many times. The first one reads all of it and
 * writes a checkpoint, which the second one reads.
 */
export const history: Bench = {
  name: NAME,
  summary: 'starts with 5,000 tables and 200,000 statements in the schema history, without and with its checkpoint',
  isOursOnly: true,
  async run(options) {
    const list = new FigureList(NAME)
    const [tables, statements] = options.isQuick ? [TABLES / 10, STATEMENTS / 10] : [TABLES, STATEMENTS]
    await using rig = await Rig.start(options)
    await createManyTables(rig.database, NAME, tables)
    const service = await rig.stoppedService({ prefix: NAME, includes: NAME })
    const config = rig.connectorConfig({ prefix: NAME, includes: NAME })
    const topic = config['schema.history.internal.kafka.topic'] ?? ''
    const { bootstrapServers } = rig
    options.note(`history: appending ${statements} statements …`)
    await appendLongHistory({ bootstrapServers, topic, tables, statements })
    let id = 0
    for (let run = 0; run < options.runs; run++) {
      await using admin = (await kafkaClient(bootstrapServers)).admin()
      await admin.deleteTopic(`${topic}-checkpoint`)
      for (const what of ['without', 'with']) {
        const logged = service.log.length
        const begin = performance.now()
        await service.start()
        await service.waitForLog(CONNECTED, logged, LIMIT_MS)
        list.add(`start ${what} a checkpoint → streaming`, 's', (performance.now() - begin) / 1000)
        list.add(`peak memory ${what} a checkpoint`, 'MB', peakMemoryMb(service.pid))
        if (what === 'without') await service.waitForLog(WRITTEN, logged, LIMIT_MS)
        id += 1
        await verifyTables(rig, tables, id)
        await service.stop()
      }
    }
    return list.figures
  },
}

/** The definitions are right: rows of the first and the last table become events. */
async function verifyTables({ database, bootstrapServers }: Rig, tables: number, id: number): Promise<void> {
  const changed = ['t0', `t${tables - 1}`]
  for (const table of changed) await database.query(`INSERT INTO ${NAME}.${table} VALUES (${id}, ${id}, 'a', 'b', 'c')`)
  await using ends = new TopicEnds(
    bootstrapServers,
    changed.map((table) => `${NAME}.${NAME}.${table}`),
  )
  await ends.waitFor(id * changed.length)
}
