/**
 * Rows that a transaction wrote and rolled back are in the binlog of MariaDB when they cannot be removed from it: with
 * savepoints, and in transactions that create or drop temporary tables. Judged by what the tables contain afterwards.
 */
import type { Database, DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from './task-run.ts'

const TABLES = `CREATE TABLE i (id INT PRIMARY KEY, v VARCHAR(1000)) ENGINE=InnoDB;
  CREATE TABLE j (id INT PRIMARY KEY, v VARCHAR(1000)) ENGINE=InnoDB;
  CREATE TABLE m (id INT PRIMARY KEY, v VARCHAR(1000)) ENGINE=MyISAM;
  CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(1000)) ENGINE=MEMORY;
  CREATE TABLE done (id INT PRIMARY KEY)`

/** More than two polls take: 4000 rows of 1 kB. */
export const MANY = (from: number): string =>
  `INSERT INTO i WITH RECURSIVE n AS (SELECT 0 AS k UNION ALL SELECT k + 1 FROM n WHERE k < 999)
    SELECT ${from} + k, REPEAT('x', 1000) FROM n`
export const LARGE = (from: number): string => [0, 1000, 2000, 3000].map((offset) => MANY(from + offset)).join('; ')

const STORIES: Readonly<Record<string, string>> = {
  'rollback with another engine': `BEGIN; INSERT INTO i VALUES (1, 'a'); INSERT INTO m VALUES (1, 'a');
    INSERT INTO a VALUES (1, 'a'); INSERT INTO i VALUES (2, 'a'); ROLLBACK`,
  'rollback to a savepoint after another engine': `BEGIN; INSERT INTO i VALUES (3, 'a'); SAVEPOINT s;
    INSERT INTO i VALUES (4, 'a'); INSERT INTO m VALUES (4, 'a'); INSERT INTO i VALUES (5, 'a'); ROLLBACK TO s;
    INSERT INTO i VALUES (6, 'a'); COMMIT`,
  'rollback with a temporary table': `BEGIN; INSERT INTO i VALUES (10, 'a'); CREATE TEMPORARY TABLE t1 (id INT);
    INSERT INTO t1 VALUES (1); INSERT INTO i VALUES (11, 'a'); ROLLBACK`,
  'rollback after a temporary table was dropped': `CREATE TEMPORARY TABLE t2 (id INT); BEGIN;
    UPDATE i SET v = 'b' WHERE id = 3; DELETE FROM i WHERE id = 6; DROP TEMPORARY TABLE t2; ROLLBACK`,
  'savepoints of one name, in other letters, and nested ones': `BEGIN; CREATE TEMPORARY TABLE t3 (id INT); SAVEPOINT s;
    INSERT INTO i VALUES (20, 'a'); SAVEPOINT \`s\`\`t\`; INSERT INTO i VALUES (21, 'a'); ROLLBACK TO \`S\`\`T\`;
    INSERT INTO i VALUES (22, 'a'); SAVEPOINT S; INSERT INTO i VALUES (23, 'a'); ROLLBACK TO s;
    INSERT INTO i VALUES (24, 'a'); ROLLBACK WORK TO SAVEPOINT s; INSERT INTO i VALUES (25, 'a');
    SAVEPOINT kept; INSERT INTO i VALUES (26, 'a'); COMMIT`,
  'a statement that fails halfway': `INSERT IGNORE INTO m VALUES (30, 'a'); -INSERT INTO m VALUES (31, 'a'), (30, 'a'), (32, 'a');
    -INSERT INTO i VALUES (33, 'a'), (3, 'a')`,
  'one statement on two engines': `INSERT INTO j VALUES (1, 'a'), (2, 'a'), (3, 'a'); INSERT INTO m VALUES (2, 'a'), (3, 'a');
    UPDATE j JOIN m USING (id) SET j.v = 'b', m.v = 'b'; BEGIN; CREATE TEMPORARY TABLE t4 (id INT);
    UPDATE j JOIN m USING (id) SET j.v = 'c', m.v = 'c'; ROLLBACK;
    -UPDATE m JOIN j USING (id) SET m.v = 'd', j.v = 'd', j.id = IF(j.id = 2, 1, j.id);
    -UPDATE j JOIN m USING (id) SET j.v = 'e', j.id = j.id + 100, m.id = IF(m.id = 3, 1, m.id)`,
  'a large transaction that is rolled back': `BEGIN; ${LARGE(10_000)}; CREATE TEMPORARY TABLE t5 (id INT); ROLLBACK`,
  'a large transaction with a large part that is rolled back': `BEGIN; CREATE TEMPORARY TABLE t6 (id INT); ${LARGE(20_000)};
    SAVEPOINT s; ${LARGE(30_000)}; ROLLBACK TO s; ${LARGE(40_000)}; COMMIT`,
  'an XA transaction with a savepoint': `XA START 'x'; INSERT INTO i VALUES (50, 'a'); INSERT INTO m VALUES (50, 'a'); SAVEPOINT s;
    INSERT INTO i VALUES (51, 'a'); INSERT INTO m VALUES (51, 'a'); ROLLBACK TO s; INSERT INTO i VALUES (52, 'a'); XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'`,
  'an XA transaction that is committed in one phase': `XA START 'y'; INSERT INTO i VALUES (60, 'a'); INSERT INTO m VALUES (60, 'a'); SAVEPOINT s;
    INSERT INTO i VALUES (61, 'a'); INSERT INTO m VALUES (61, 'a'); ROLLBACK TO s; XA END 'y'; XA COMMIT 'y' ONE PHASE`,
  'a large XA transaction': `XA START 'z'; ${LARGE(50_000)}; INSERT INTO m VALUES (70, 'a'); SAVEPOINT s; ${LARGE(60_000)};
    ${LARGE(70_000)}; ${LARGE(80_000)}; ${LARGE(90_000)}; INSERT INTO m VALUES (71, 'a'); ROLLBACK TO s; XA END 'z'; XA PREPARE 'z'; XA COMMIT 'z'`,
}

const SHOWN = ['i', 'j', 'm', 'a'] as const

/** A statement with a minus before it fails. */
export async function play({ database, schema }: Scene, story: string): Promise<void> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  for (const sql of story.split(';').map((text) => text.trim())) {
    if (sql.startsWith('-')) await assert.rejects(session.query(sql.slice(1)), /Duplicate entry/, sql)
    else await session.query(sql)
  }
  await session.end()
}

/** The rows of the tables as the server has them. */
export async function truthOf({ database, schema }: Scene): Promise<readonly string[]> {
  const all: string[] = []
  for (const table of SHOWN) {
    const rows = await database.query(`SELECT id, LENGTH(v) AS length, LEFT(v, 1) AS v FROM ${schema}.${table}`)
    all.push(...rows.map(({ id, length, v }) => `${table} ${String(id)} ${String(v)}${String(length)}`))
  }
  return all.toSorted()
}

/** Applies the events of tasks that follow each other. */
export class Copy {
  readonly #rows = new Map<string, string>()

  take({ events }: TaskRun): void {
    for (const { table, before, after } of events) {
      if (before !== null) this.#rows.delete(`${table} ${before[0]}`)
      if (after !== null) this.#rows.set(`${table} ${after[0]}`, `${after[1]?.[0]}${after[1]?.length}`)
    }
  }

  get rows(): readonly string[] {
    return [...this.#rows]
      .filter(([key]) => !key.startsWith('done'))
      .map((row) => row.join(' '))
      .toSorted()
  }
}

/** Differences only: a list of thousands helps nobody. */
export function assertSame(copy: readonly string[], truth: readonly string[], story: string): void {
  const [inCopy, inTruth] = [new Set(copy), new Set(truth)]
  const wrong = copy.filter((row) => !inTruth.has(row))
  const missing = truth.filter((row) => !inCopy.has(row))
  assert.deepEqual({ wrong: wrong.slice(0, 5), missing: missing.slice(0, 5) }, { wrong: [], missing: [] }, story)
}

export async function streamingScene(database: Database): Promise<[Scene, TaskRun['stored']]> {
  const scene = await sceneOf(database, TABLES)
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  return [scene, task.stored]
}

/** Those of a large transaction take longer than the others together. */
export function isLarge(story: string): boolean {
  return story.includes('large')
}

export function testRolledBack(
  name: string,
  start: () => Promise<DatabaseServer>,
  isChosen: (story: string) => boolean,
): void {
  test(`${name}: rows that were rolled back are no events`, { timeout: 120_000 }, async () => {
    await using database = await start()
    const [scene, stored] = await streamingScene(database)
    const copy = new Copy()
    let offset = stored
    let count = 0
    for (const [story, statements] of Object.entries(STORIES).filter(([story]) => isChosen(story))) {
      count += 1
      await play(scene, `${statements}; INSERT INTO done VALUES (${count})`)
      await using task = await TaskRun.start(scene, {}, offset)
      const end = `c ${count}`
      await task.until(({ events, changes }) => events.at(-1)?.table === 'done' && changes.at(-1) === end)
      copy.take(task)
      offset = task.stored
      assertSame(copy.rows, await truthOf(scene), story)
    }
  })
}
