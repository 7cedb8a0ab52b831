import { type Database, eventually } from '@tributary/testkit'

/** Removes all binlog files but the newest. MariaDB keeps the first one until InnoDB has written what it has in memory. */
export async function purgeBinlogs(database: Database): Promise<void> {
  const files = async (): Promise<readonly string[]> =>
    (await database.query('SHOW BINARY LOGS')).map((row) => String(row['Log_name']))
  const [first = ''] = await files()
  await eventually('the first binlog file is removed', async () => {
    await database.query('FLUSH BINARY LOGS')
    await database.query(`PURGE BINARY LOGS TO '${String((await files()).at(-1))}'`)
    return !(await files()).includes(first)
  })
}
