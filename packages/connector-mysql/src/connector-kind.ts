import type { FlavorKeys } from './config/connector-keys.ts'

/** Names of a connector, and the configuration in which the two connectors differ. */
export interface ConnectorKind extends FlavorKeys {
  readonly className: string
  readonly taskClassName: string
  /** Its name in log lines. */
  readonly displayName: string
  /** Its name in records. */
  readonly connectorType: string
  /** Namespace of its own schemas. */
  readonly schemaNamePrefix: string
}

export const mysqlKind: ConnectorKind = {
  className: 'io.debezium.connector.mysql.MySqlConnector',
  taskClassName: 'io.debezium.connector.mysql.MySqlConnectorTask',
  displayName: 'MySQL',
  connectorType: 'mysql',
  schemaNamePrefix: 'io.debezium.connector.mysql',
  sslModes: ['disabled', 'preferred', 'required', 'verify_ca', 'verify_identity'],
  sslModeDefault: 'preferred',
}

export const mariadbKind: ConnectorKind = {
  className: 'io.debezium.connector.mariadb.MariaDbConnector',
  taskClassName: 'io.debezium.connector.mariadb.MariaDbConnectorTask',
  displayName: 'MariaDB',
  connectorType: 'mariadb',
  schemaNamePrefix: 'io.debezium.connector.mariadb',
  sslModes: ['disable', 'trust', 'verify-ca', 'verify-full'],
  sslModeDefault: 'disable',
}
