import { TableId } from '@tributary/connector-kit'
import { canonicalCharset, type TableMap, tableMapDetails } from '@tributary/mysql'
import { silentLogger, systemClock } from '@tributary/support'
import { type DatabaseServer, databaseAccounts } from '@tributary/testkit'
import { readAhead } from '../streaming/binlog-ahead.ts'
import { decodeStatement } from '../streaming/statement-decoder.ts'
import { mapMismatch } from '../tables/map-mismatch.ts'
import { tableFromMap } from '../tables/table-from-map.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { type MySqlTable, recordedTable } from '../schema/mysql-table.ts'

export interface MapComparison {
  /** Tables with a map in the binlog. */
  readonly compared: number
  /** Tables whose definition follows from the map alone. */
  readonly built: number
  /** Where a map and the model differ, or a definition that was built of a map and the map. */
  readonly differences: readonly string[]
}

/**
 * Writes a row into each table and compares the maps in the binlog with the model: a server with
 * `binlog_row_metadata=FULL` describes its own tables there.
 */
export async function compareMaps(server: DatabaseServer, interpreter: DdlInterpreter): Promise<MapComparison> {
  const tables = [...interpreter.tables]
  const from = await endOfLog(server)
  await writeRows(
    server,
    tables.map(({ id }) => id),
  )
  const differences: string[] = []
  const seen = new Set<TableId>()
  let built = 0
  for (const map of await mapsSince(server, from)) {
    const id = TableId.of(map.database, map.table)
    const table = interpreter.tables.get(id)
    // This version does not read MariaDB's compressed columns.
    if (table === undefined || seen.has(id) || map.columns.some(({ type }) => COMPRESSED.has(type))) continue
    seen.add(id)
    const report = (what: string, mismatch: string | null): void => {
      if (mismatch !== null) differences.push(`${id.toString()}, ${what}: ${mismatch}`)
    }
    const details = tableMapDetails(map)
    if (!details.hasNames) report('the map', 'has no names')
    report('the model', mapMismatch(table, map, details))
    report('the model of a history record', mapMismatch(recordedTable(table, 'mysql'), map, details))
    const alone = buildFrom(map, [], interpreter, server)
    if (alone !== null) {
      built += 1
      report('built', mapMismatch(alone, map, details))
      report('built', valueMismatch(alone, table))
    }
    const helped = buildFrom(map, [table], interpreter, server)
    report('built with the model', helped === null ? 'is unclear' : mapMismatch(helped, map, details))
  }
  return { compared: seen.size, built, differences }
}

function buildFrom(
  map: TableMap,
  candidates: readonly MySqlTable[],
  interpreter: DdlInterpreter,
  { flavor }: DatabaseServer,
): MySqlTable | null {
  const made = tableFromMap(map, tableMapDetails(map), candidates, flavor)
  return made.tag === 'unclear' ? null : interpreter.derive(TableId.of(map.database, map.table), made.createSql)
}

/** Whether a column of the built table would be read otherwise than one of the model. */
function valueMismatch(built: MySqlTable, model: MySqlTable): string | null {
  for (const [i, { name, charsetName, optional, enumValues, scale }] of model.columns.entries()) {
    const other = built.columns[i]
    const charsets = [charsetName, other?.charsetName ?? null].map((charset) => canonicalCharset(charset ?? ''))
    const facts = JSON.stringify([name, charsets[0], optional, enumValues, scale])
    const others = JSON.stringify([other?.name, charsets[1], other?.optional, other?.enumValues, other?.scale])
    if (
      facts !== others &&
      !/^(GEOM|POINT|LINE|POLY|MULTI|FLOAT|DOUBLE|REAL|JSON)/.test(model.columns[i]?.typeName ?? '')
    )
      return `${others} instead of ${facts}`
  }
  return null
}

/** Rows of defaults. The server refuses those of some tables. */
async function writeRows(server: DatabaseServer, ids: readonly TableId[]): Promise<void> {
  const session = await server.connect()
  await session.query("SET SESSION sql_mode = '', foreign_key_checks = 0")
  for (const { database, table } of ids) {
    const name = [database, table].map((part) => `\`${part.replaceAll('`', '``')}\``).join('.')
    await session.query(`INSERT IGNORE INTO ${name} () VALUES ()`).catch(() => undefined)
  }
  session.destroy()
}

async function endOfLog(server: DatabaseServer): Promise<{ readonly file: string; readonly position: number }> {
  const logs = await server.query('SHOW BINARY LOGS')
  return { file: String(logs.at(-1)?.['Log_name']), position: Number(logs.at(-1)?.['File_size']) }
}

async function mapsSince(
  server: DatabaseServer,
  from: { readonly file: string; readonly position: number },
): Promise<readonly TableMap[]> {
  const maps: TableMap[] = []
  const { host, port, flavor } = server
  const connection = {
    host,
    port,
    ...databaseAccounts.root,
    tls: { mode: 'preferred' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  } as const
  await readAhead(
    { flavor, connection, decodeStatement, silenceMsMax: 10_000, clock: systemClock },
    { from, until: await endOfLog(server), inspect: () => Promise.resolve() },
    (event) => {
      if (event.tag === 'rows') maps.push(event.table)
    },
    new AbortController().signal,
  )
  return maps
}

const COMPRESSED: ReadonlySet<number> = new Set([140, 141])
