import type { Flavor } from './flavor.ts'
import { mariadbFlavor } from './mariadb-flavor.ts'
import { mysqlFlavor } from './mysql-flavor.ts'

/**
 * Chooses the flavor by the server, not by the connector class: many users read a MariaDB server with the MySQL
 * connector.
 */
export function flavorOf(version: string): Flavor {
  return /mariadb/i.test(version) ? mariadbFlavor : mysqlFlavor
}
