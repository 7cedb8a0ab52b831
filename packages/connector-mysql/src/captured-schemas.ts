import { ConfigDef, type CaptureContext, type ConfigMap, type RecordSchemas } from '@tributary/connect-api'
import { debeziumMessages } from '@tributary/connector-kit'
import { MySqlConnection } from '@tributary/mysql'
import { doneOr, silentLogger } from '@tributary/support'
import { typedConfig } from './config/connector-config.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { connectionOptions } from './connection-options.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { flavorOf } from './flavor/flavor-of.ts'
import { createInterpreter, formatOf, formatOfWorker, tableCompiler } from './record-parts.ts'
import { findTables } from './snapshot/snapshot-structure.ts'
import { chooseFormat } from './source/choose-format.ts'
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
  const typed = typedConfig(new ConfigDef(connectorKeys(kind), debeziumMessages).parse(config), config)
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
  const compiler = tableCompiler(typed, formatOf(kind, typed, name), silentLogger)
  const options = await connectionOptions(typed, silentLogger)
  const initialStatements = [
    ...typed.initialStatements,
    "SET SESSION sql_mode = ''",
    'SET SESSION sql_quote_show_create = 1',
    'SET SESSION lock_wait_timeout = 1',
  ]
  await using connection = await MySqlConnection.open({ ...options, initialStatements }, signal)
  const read = async (): Promise<readonly RecordSchemas[]> => {
    const [version] = await connection.query('SELECT version()', 'asking for the version of the server')
    const flavor = flavorOf(version?.[0] ?? '')
    const interpreter = createInterpreter({ flavor, info: await flavor.readServerInfo(connection) })
    const { captured } = await findTables(connection, typed.filter)
    const found: RecordSchemas[] = []
    for (const id of captured.slice(0, TABLES_MAX)) {
      const doing = `reading the definition of ${id.toString()}`
      const [row] = await connection.query(`SHOW CREATE TABLE ${quoted(id.database)}.${quoted(id.table)}`, doing)
      const table = interpreter.adopt(id, row?.[1] ?? null)?.table ?? null
      if (table === null) continue
      const { topic, keySchema, envelopeSchema } = compiler.compileOnce(table).schema
      found.push({ topic, keySchema, valueSchema: envelopeSchema })
    }
    return found
  }
  return await doneOr(read(), signal)
}

/** A registration waits for the result, and each table is some requests to a registry. */
const TABLES_MAX = 100
