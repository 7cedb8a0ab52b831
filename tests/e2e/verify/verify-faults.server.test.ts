/**
 * Faults that are planted in a topic: each is found with its key and its field, and nothing else is reported. The
 * records are written by a producer of our own after the connector has written the right ones.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import type { RowDifference } from '@tributary/rest-api'
import {
  casesOfTier,
  type Database,
  eventually,
  kafkaClient,
  readTopic,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import { plant, type Row, withAfter } from './plant.ts'
import { capture, verifyAll } from './verify-bed.ts'

const servers: readonly (readonly [name: string, use: () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

/** Of the rows 1 to 20: what becomes of the `after` of the last record. */
const changes: Readonly<Record<number, (after: Row) => Row>> = {
  2: (after) => ({ ...after, name: 'changed' }),
  3: (after) => ({ ...after, first: after['second'], second: after['first'] }),
  // The byte E9 of latin1, read as another character.
  4: (after) => ({ ...after, city: 'OrlИans' }),
  5: (after) => ({ ...after, name: '' }),
  // The last digit of the unscaled number 1234.
  6: (after) => ({ ...after, amount: Buffer.from([0x04, 0xd3]).toString('base64') }),
  7: (after) => ({ ...after, at: (after['at'] as number) + 3_600_000 }),
  8: (after) => ({ ...after, instant: '2026-11-25T13:00:00Z' }),
  9: (after) => ({ ...after, big: 9_007_199_254_740_992 }),
  10: (after) => ({ ...after, bytes: Buffer.from([1, 2, 4]).toString('base64') }),
  11: (after) => ({ ...after, document: '{"a":[1,2.5],"b":null}' }),
}

const expectedFields: Readonly<Record<number, readonly string[]>> = {
  2: ['name'],
  3: ['first', 'second'],
  4: ['city'],
  5: ['name'],
  6: ['amount'],
  7: ['at'],
  8: ['instant'],
  9: ['big'],
  10: ['bytes'],
  11: ['document'],
}

for (const [flavor, use] of casesOfTier('verify faults', servers)) {
  test(`${flavor}: finds each planted fault with its key and field, and nothing else`, async () => {
    const database = await use()
    const { bootstrapServers } = await useKafka()
    const name = uniqueName('faults')
    await database.query(`
      CREATE DATABASE ${name}; USE ${name};
      CREATE TABLE t (id INT NOT NULL PRIMARY KEY, name VARCHAR(40), first INT, second INT,
        city VARCHAR(40) CHARACTER SET latin1, amount DECIMAL(8,2), at DATETIME, instant TIMESTAMP NULL, big BIGINT,
        bytes VARBINARY(8), document JSON);
      SET time_zone = '+00:00'`)
    for (let id = 1; id <= 20; id++) {
      await database.query(
        `INSERT INTO ${name}.t VALUES (${id}, ${id === 5 ? 'NULL' : `'row ${id}'`}, ${id}, ${id * 2}, 'Orléans', 12.34,
          '2026-11-25 12:00:00', '2026-11-25 12:00:00', 9007199254740993, x'010203', '{"b": null, "a": [1, 2.25]}')`,
      )
    }
    await using service = await startService({ bootstrapServers })
    const bed = { database, bootstrapServers, service, name }
    await capture(bed)
    const topic = `${name}.${name}.t`
    await eventually(
      'the snapshot is in the topic',
      async () => (await readTopic(bootstrapServers, topic)).length >= 20,
    )
    await database.query(`
      UPDATE ${name}.t SET name = 'newer' WHERE id = 12;
      UPDATE ${name}.t SET id = 113 WHERE id = 13;
      DELETE FROM ${name}.t WHERE id = 14;
      DELETE FROM ${name}.t WHERE id = 15`)
    // A record each for 12 and the new 113, a delete and a tombstone each for 13, 14 and 15.
    const records = await eventually('all changes are in the topic', async () => {
      const found = await readTopic(bootstrapServers, topic)
      return found.length >= 28 && found
    })
    const healthy = await verifyAll(bed)
    assert.deepEqual(
      [healthy.error, healthy.tables.map(({ state, differences }) => [state, differences])],
      [null, [['EQUAL', []]]],
    )

    const of = (id: number): readonly LogRecord[] => records.filter(({ key }) => idOfKey(key) === id)
    const first = (id: number): LogRecord => of(id)[0] ?? assert.fail(`no record of ${id}`)
    const template = first(1)
    const faults = Object.entries(changes).map(([id, change]) => withAfter(first(Number(id)), change))
    await plant(await kafkaClient(bootstrapServers), topic, [
      ...faults,
      // A row that the topic lost: a tombstone where there is a row.
      { key: first(16).key, value: null },
      // An extra row.
      { ...withAfter(template, (after) => ({ ...after, id: 999 })), key: keyWith(template, 999) },
      // A stale row: the older value again as the last one.
      first(12),
      // The old key of a row whose key has changed: the delete is undone.
      first(13),
      // A delete without its tombstone.
      of(15).find(({ value }) => value?.includes('"op":"d"') === true) ?? assert.fail('no delete of 15'),
      // A record whose key is not that of its row.
      withAfter(first(17), (after) => ({ ...after, id: 18 })),
    ])
    const run = await verifyAll(bed)
    assert.equal(run.error, null)
    const [table] = run.tables
    const found = new Map((table?.differences ?? []).map((each) => [Number(each.key['id']), each]))
    assert.deepEqual(
      [...found].map(([id, each]) => [id, shown(each)]).toSorted(([a], [b]) => Number(a) - Number(b)),
      [
        ...Object.entries(expectedFields).map(([id, fields]) => [Number(id), ['different', fields]]),
        [12, ['different', ['name']]],
        [13, ['extra', null]],
        [15, ['without_tombstone', null]],
        [16, ['missing', null]],
        [17, ['different', ['id']]],
        [999, ['extra', null]],
      ],
    )
    assert.deepEqual(found.get(6)?.fields, [{ column: 'amount', table: '12.34', topic: '12.35' }])
    assert.deepEqual(found.get(5)?.fields, [{ column: 'name', table: null, topic: '' }])
    assert.deepEqual(found.get(9)?.fields, [{ column: 'big', table: '9007199254740993', topic: '9007199254740992' }])
    assert.deepEqual(found.get(4)?.fields, [{ column: 'city', table: 'Orléans', topic: 'OrlИans' }])
    assert.equal(table?.state, 'DIFFERENT')
    assert.deepEqual(table?.unproven, [])
    // 1, 18, 19, 20 and 113.
    assert.equal(table?.rows_equal, 5)
  })
}

function idOfKey(key: Buffer | null): number {
  return (JSON.parse(key?.toString() ?? 'null') as { payload: { id: number } }).payload.id
}

function keyWith({ key }: LogRecord, id: number): Buffer {
  const document = JSON.parse(key?.toString() ?? 'null') as { payload: { id: number } }
  return Buffer.from(JSON.stringify({ ...document, payload: { id } }))
}

function shown({ kind, fields }: RowDifference): readonly [kind: string, fields: readonly string[] | null] {
  return [kind, kind === 'different' ? fields.map(({ column }) => column) : null]
}
