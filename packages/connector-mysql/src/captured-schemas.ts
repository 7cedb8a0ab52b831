import type { CaptureContext, ConfigMap, RecordSchemas } from '@tributary/connect-api'
import { MySqlConnection, setUpStructureSession } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { parseConfig } from './config/connector-definition.ts'
import { connectionOptions } from './connection-options.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { flavorOf } from './flavor/flavor-of.ts'
import { createInterpreter, formatOf, formatOfWorker, tableCompiler } from './record-parts.ts'
import { findTables } from './snapshot/snapshot-structure.ts'
import { chooseFormat } from './source/choose-format.ts'
import { completeDefinition } from './tables/complete-definition.ts'
import { quoted } from './tables/quoted-name.ts'

/**
 * The schemas of records of the captured tables, by their current definitions; at most of the first hundred tables.
 *
 * @throws ConfigError when a value is not valid
 * @throws errors of the login, of a connection that is lost and of statements; StoppedError
 */
export async function capturedSchemas(
  kind: ConnectorKind,
  config: ConfigMap,
  context: CaptureContext,
): Promise<readonly RecordSchemas[]> {
  const typed = parseConfig(kind, config)
  const { workerDefaults, signal } = context
  const name = chooseFormat(
    {
      asked: typed.recordFormat,
      // Only the task reads stored offsets and the schema history.
      ofOffset: null,
      ofHistory: null,
      ofWorker: formatOfWorker(workerDefaults),
    },
    silentLogger,
  )
  const options = await connectionOptions(typed, silentLogger)
  const { initialStatements } = typed
  await using connection = await MySqlConnection.open({ ...options, initialStatements }, signal)
  await setUpStructureSession(connection, { lockWaitSeconds: 1, signal })
  const [version] = await connection.query('SELECT version()', 'reading the version of the server', { signal })
  const flavor = flavorOf(version?.[0] ?? '')
  const compiler = tableCompiler(typed, flavor.name, formatOf(kind, typed, name), silentLogger)
  const interpreter = createInterpreter({ flavor, info: await flavor.readServerInfo(connection, signal) }, typed)
  const { captured } = await findTables(connection, typed, signal)
  const found: RecordSchemas[] = []
  for (const id of captured.slice(0, TABLES_MAX)) {
    const sql = `SHOW CREATE TABLE ${quoted(id.database)}.${quoted(id.table)}`
    const [row] = await connection.query(sql, `reading the definition of ${id.toString()}`, { signal })
    const createSql = row?.[1] ?? null
    const completed = createSql === null ? null : await completeDefinition(connection, id, createSql, { signal })
    const table = interpreter.adopt(id, completed)?.table ?? null
    if (table === null) continue
    const { topic, keySchema, envelopeSchema } = compiler.compileOnce(table).schema
    found.push({ topic, keySchema, valueSchema: envelopeSchema })
  }
  return found
}

/** A registration waits for the result, and each table is some requests to a registry. */
const TABLES_MAX = 100
