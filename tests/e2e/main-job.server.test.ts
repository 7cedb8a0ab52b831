/**
 * The main job on real servers: a connector registered over REST takes a snapshot of a database, streams its binlog and
 * continues after a restart. The expected rows are read with SELECT; the form of records is
 * docs/reference/record-format-v1.md. On Apache Kafka in every tier: what users run first, they run there.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  connectorConfig,
  type Database,
  startService,
  uniqueName,
  useMariaDb,
  useMySql,
  useRealKafka,
  waitForRecords,
} from '@tributary/testkit'
import type { LogRecord } from '@tributary/kafka'

const servers: readonly (readonly [name: string, use: () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

interface Event {
  readonly key: unknown
  readonly op: string | null
  readonly before: unknown
  readonly after: unknown
}

/** A record in short form: a tombstone has no operation. */
function eventOf({ key, value }: LogRecord): Event {
  const { payload } = JSON.parse(key?.toString() ?? 'null') as { payload: unknown }
  if (value === null) return { key: payload, op: null, before: null, after: null }
  const { payload: event } = JSON.parse(value.toString()) as { payload: Omit<Event, 'key'> }
  return { key: payload, op: event.op, before: event.before, after: event.after }
}

for (const [name, use] of servers) {
  describe(name, () => {
    test('rows of the snapshot, changes afterwards, and changes made while the service is down arrive once, in order', async () => {
      const database = await use()
      const kafka = await useRealKafka()
      const schema = uniqueName('mainjob')
      await database.query(`
        CREATE DATABASE ${schema}; USE ${schema};
        CREATE TABLE pets (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, weight DECIMAL(6,2));
        INSERT INTO pets VALUES (1, 'Rex', 23.50), (2, 'Mia', 4.05)`)
      const { bootstrapServers } = kafka
      await using service = await startService({ bootstrapServers })
      const config = connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema })
      await service.register(schema, config)
      const topic = `${schema}.${schema}.pets`
      await waitForRecords(bootstrapServers, topic, 2)

      await database.query(`
        INSERT INTO ${schema}.pets VALUES (3, 'Bim', NULL);
        UPDATE ${schema}.pets SET weight = 5 WHERE id = 2;
        DELETE FROM ${schema}.pets WHERE id = 1;
        ALTER TABLE ${schema}.pets ADD COLUMN kind ENUM('dog','cat') NOT NULL DEFAULT 'cat' AFTER name;
        UPDATE ${schema}.pets SET id = 70 WHERE id = 3`)
      await waitForRecords(bootstrapServers, topic, 9)
      await service.stop()
      await database.query(`
        ALTER TABLE ${schema}.pets DROP COLUMN weight;
        INSERT INTO ${schema}.pets VALUES (4, 'Otto', 'dog');
        DELETE FROM ${schema}.pets WHERE id = 70`)
      await service.start()
      const events = (await waitForRecords(bootstrapServers, topic, 12)).map(eventOf)

      const rex = { id: 1, name: 'Rex', weight: 'CS4=' }
      const mia = { id: 2, name: 'Mia', weight: 'AZU=' }
      const bim = { name: 'Bim', kind: 'cat', weight: null }
      assert.deepEqual(events, [
        { key: { id: 1 }, op: 'r', before: null, after: rex },
        { key: { id: 2 }, op: 'r', before: null, after: mia },
        { key: { id: 3 }, op: 'c', before: null, after: { id: 3, name: 'Bim', weight: null } },
        { key: { id: 2 }, op: 'u', before: mia, after: { ...mia, weight: 'AfQ=' } },
        { key: { id: 1 }, op: 'd', before: rex, after: null },
        { key: { id: 1 }, op: null, before: null, after: null },
        { key: { id: 3 }, op: 'd', before: { id: 3, ...bim }, after: null },
        { key: { id: 3 }, op: null, before: null, after: null },
        { key: { id: 70 }, op: 'c', before: null, after: { id: 70, ...bim } },
        { key: { id: 4 }, op: 'c', before: null, after: { id: 4, name: 'Otto', kind: 'dog' } },
        { key: { id: 70 }, op: 'd', before: { id: 70, name: 'Bim', kind: 'cat' }, after: null },
        { key: { id: 70 }, op: null, before: null, after: null },
      ])
      assert.match(service.log, /Snapshot ended with SnapshotResult \[status=SKIPPED\]/)
    })
  })
}
