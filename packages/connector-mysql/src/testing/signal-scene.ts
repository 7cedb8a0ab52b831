import type { Scene, TaskEvent, TaskRun } from './task-run.ts'

/** A signal table. */
export const SIGNALS: string = 'CREATE TABLE signals (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32), data TEXT)'
export const FIVE_ROWS: string =
  "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10)); INSERT INTO t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e')"

export function settings(scene: Scene, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    'snapshot.mode': 'no_data',
    'signal.data.collection': `${scene.schema}.signals`,
    'incremental.snapshot.chunk.size': '2',
    'read.only': 'true',
    ...more,
  }
}

export async function signal(scene: Scene, type: string, data: unknown, id = `s${Math.random()}`): Promise<void> {
  const json = JSON.stringify(data).replaceAll('\\', '\\\\').replaceAll("'", "''")
  await scene.database.query(`INSERT INTO ${scene.schema}.signals VALUES ('${id}', '${type}', '${json}')`)
}

export function execute(scene: Scene, tables: readonly string[], more: object = {}): Promise<void> {
  return signal(scene, 'execute-snapshot', {
    'data-collections': tables.map((name) => `${scene.schema}.${name}`),
    ...more,
  })
}

export const isComplete: (run: TaskRun) => boolean = ({ logger }: TaskRun): boolean =>
  logger.matching('The incremental snapshot is complete').length > 0

export function of(run: TaskRun, table: string): readonly TaskEvent[] {
  return run.events.filter((event) => event.table === table)
}

export function texts(events: readonly TaskEvent[]): readonly string[] {
  return events.map(({ op, before, after, marker }) => [op, marker, ...(after ?? before ?? [])].join(' '))
}
