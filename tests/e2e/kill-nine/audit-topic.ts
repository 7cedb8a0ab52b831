import assert from 'node:assert/strict'
import { type Database, eventually, readTopic } from '@tributary/testkit'
import { EventAudit } from './event-audit.ts'
import type { Writer } from './writer.ts'

/**
 * Reads the topic repeatedly until it has every row's last version, then checks its events.
 *
 * @param isBesideStream rows of the snapshot are between changes of the stream
 */
export async function auditTopic(
  bootstrapServers: readonly string[],
  topic: string,
  writer: Writer,
  isBesideStream = false,
): Promise<EventAudit> {
  const audit = await eventually(
    'the last version of every row has arrived',
    async () => {
      const read = new EventAudit(isBesideStream)
      for (const record of await readTopic(bootstrapServers, topic)) read.add(record)
      const isComplete = [...writer.rows].every(([id, { version, isDeleted }]) => {
        const state = read.keys.get(id)
        return state === undefined ? isDeleted : state.last >= version && !state.owesTombstone
      })
      return isComplete && read
    },
    { timeoutMs: 300_000, everyMs: 2000 },
  )
  audit.finish()
  return audit
}

/** Rows that were deleted before the final snapshot have no event; all others are sent as they are. */
export async function compareWithSelect(database: Database, schema: string, audit: EventAudit): Promise<void> {
  const rows = await database.query(`SELECT id, version, payload FROM ${schema}.items ORDER BY id`)
  const state = [...audit.keys]
    .filter(([, { isDeleted }]) => !isDeleted)
    .map(([id, { version, payload }]) => ({ id, version, payload }))
    .toSorted((a, b) => a.id - b.id)
  assert.deepEqual(
    state,
    rows.map(({ id, version, payload }) => ({ id, version, payload })),
  )
}
