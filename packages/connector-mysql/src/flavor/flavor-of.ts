import type { Flavor } from './flavor.ts'
import { mariadbFlavor } from './mariadb-flavor.ts'
import { mysqlFlavor } from './mysql-flavor.ts'

/**
 * How the server is spoken to depends on the server, not on the class that the connector was registered under: many read a
 * MariaDB server with the MySQL connector.
 */
export function flavorOf(version: string): Flavor {
  return /mariadb/i.test(version) ? mariadbFlavor : mysqlFlavor
}
