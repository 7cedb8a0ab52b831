import type { Service } from '@tributary/testkit'
import type { BenchOptions } from '../run/bench.ts'
import type { RecordReader } from '../measure/record-reader.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import type { Rig } from '../rig/rig.ts'
import type { System } from '../systems/system.ts'
import { countRecords, type Load, type Workload } from '../workloads/workload.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { requireSameRecords } from './same-records.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'

export interface EqualityCheck {
  readonly rig: Rig
  readonly workers: ReadonlyMap<System, Service>
  readonly workload: Workload
  /** A small amount, in a database of its own. */
  readonly load: Load
  /** The additional properties of the connector with that `topic.prefix`. */
  readonly connector: (prefix: string) => Readonly<Record<string, string>>
  readonly note: BenchOptions['note']
  readonly read: RecordReader
}

/**
 * Lets all systems write the same changes, Tributary in record format v2, and throws unless their records are equal.
 */
export async function checkEquality(check: EqualityCheck): Promise<void> {
  const { rig, workers, workload, load, note } = check
  const { bootstrapServers, database } = rig
  if (workers.size < 2) return
  note(`  comparing the records of ${load.amount.toLocaleString('en')} ${workload.unit} …`)
  await workload.create(database, load)
  const connectors: SystemConnector[] = []
  for (const [system, worker] of workers) {
    const prefix = `${load.database}${system.name.replaceAll('-', '')}`
    const more = { ...check.connector(prefix), ...(system.kind === 'tributary' && { 'source.struct.version': 'v2' }) }
    const connector = new SystemConnector({ rig, system, worker, prefix, includes: load.database, more })
    await createTopics(bootstrapServers, workload.expected(prefix, load).keys())
    connectors.push(connector)
  }
  await Promise.all(connectors.map((connector) => connector.start()))
  await workload.fill(database, load)
  const written = connectors.map(({ prefix }) => {
    const expected = workload.expected(prefix, load)
    return { prefix, topics: [...expected.keys()], records: countRecords(expected) }
  })
  for (const { topics, records } of written) {
    await using ends = new TopicEnds(bootstrapServers, topics)
    await ends.waitFor(records)
  }
  for (const connector of connectors) await connector.delete()
  const [first, ...others] = written
  if (first === undefined) return
  for (const other of others) await requireSameRecords(bootstrapServers, first, other, check.read)
  for (const { topics } of written) await deleteTopics(bootstrapServers, topics)
}
