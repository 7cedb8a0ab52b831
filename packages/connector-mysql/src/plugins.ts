import type { SourcePlugin } from '@tributary/connect-api'
import { MySqlConnection } from '@tributary/mysql'
import { BinlogConnector } from './binlog-connector.ts'
import { type ConnectorKind, mariadbKind, mysqlKind } from './connector-kind.ts'
import { CONNECTOR_VERSION } from './version.ts'

function sourcePlugin(kind: ConnectorKind): SourcePlugin {
  return {
    type: 'source',
    className: kind.className,
    taskClassName: kind.taskClassName,
    version: CONNECTOR_VERSION,
    createConnector: () => new BinlogConnector(kind),
    // The main thread of a worker runs neither tasks nor checks, so it does not load their code.
    createTask: async () => new (await import('./binlog-task.ts')).BinlogTask(kind),
    preload: async () => {
      await Promise.all([MySqlConnection.preload(), import('./binlog-task.ts'), import('./check-connector.ts')])
    },
  }
}

/** `io.debezium.connector.mysql.MySqlConnector`, `MySqlConnector`, `MySql`. */
export const mysqlConnectorPlugin: SourcePlugin = sourcePlugin(mysqlKind)

/** `io.debezium.connector.mariadb.MariaDbConnector`, `MariaDbConnector`, `MariaDb`. */
export const mariadbConnectorPlugin: SourcePlugin = sourcePlugin(mariadbKind)
