import type { FlavorKeys } from './config/connector-keys.ts'

/** What the two connectors are called, and what of their configuration differs. */
export interface ConnectorKind extends FlavorKeys {
  readonly className: string
  readonly taskClassName: string
  /** As log lines name it. */
  readonly displayName: string
  /** As records name it. */
  readonly connectorType: string
  /** Beginning of the names of its own schemas. */
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
