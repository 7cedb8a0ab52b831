import type { FlavorKeys } from './config/connector-keys.ts'
import type { Flavor } from './flavor/flavor.ts'
import { mariadbFlavor } from './flavor/mariadb-flavor.ts'
import { mysqlFlavor } from './flavor/mysql-flavor.ts'

/** What the two connectors are called, and what of their configuration differs. */
export interface ConnectorKind extends FlavorKeys {
  readonly className: string
  readonly taskClassName: string
  /** As log lines name it. */
  readonly displayName: string
  /** Beginning of the names of its own schemas. */
  readonly schemaNamePrefix: string
}

export const mysqlKind: ConnectorKind = {
  className: 'io.debezium.connector.mysql.MySqlConnector',
  taskClassName: 'io.debezium.connector.mysql.MySqlConnectorTask',
  displayName: 'MySQL',
  schemaNamePrefix: 'io.debezium.connector.mysql',
  sslModes: ['disabled', 'preferred', 'required', 'verify_ca', 'verify_identity'],
  sslModeDefault: 'preferred',
}

export const mariadbKind: ConnectorKind = {
  className: 'io.debezium.connector.mariadb.MariaDbConnector',
  taskClassName: 'io.debezium.connector.mariadb.MariaDbConnectorTask',
  displayName: 'MariaDB',
  schemaNamePrefix: 'io.debezium.connector.mariadb',
  sslModes: ['disable', 'trust', 'verify-ca', 'verify-full'],
  sslModeDefault: 'disable',
}

/**
 * How the server is spoken to depends on the server, not on the class that the connector was registered under: many read a
 * MariaDB server with the MySQL connector.
 */
export function flavorOf(version: string): Flavor {
  return /mariadb/i.test(version) ? mariadbFlavor : mysqlFlavor
}
