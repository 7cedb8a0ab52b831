import { eventually } from '@tributary/testkit'
import type { Scene } from './task-run.ts'

/** Runs the statements in one session of the scene's database. */
export async function runStatements(
  { database, schema }: Pick<Scene, 'database' | 'schema'>,
  statements: readonly string[],
): Promise<void> {
  const session = await database.connect()
  for (const sql of [`USE ${schema}`, ...statements]) await session.query(sql)
  await session.end()
}

/** Runs statements that `;` separates, and that contain none, in one session of the scene's database. */
export function runScript(scene: Pick<Scene, 'database' | 'schema'>, statements: string): Promise<void> {
  return runStatements(scene, statements.split(';'))
}

/**
 * Waits until the tables were altered before the current second. The server reports the time of a definition in seconds,
 * so a rebuild does not trust one of the second of its offset.
 */
export async function untilTablesAreOlder({ database, schema }: Scene): Promise<void> {
  const sql = `SELECT UNIX_TIMESTAMP() > MAX(UNIX_TIMESTAMP(create_time)) AS later FROM information_schema.tables WHERE table_schema = '${schema}'`
  await eventually('the second in which a table was altered is over', async () => {
    const [row] = await database.query(sql)
    return Number(row?.['later']) === 1
  })
}
