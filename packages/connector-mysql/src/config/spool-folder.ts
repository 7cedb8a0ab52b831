import { join } from 'node:path'

/** The folder of a connector in `binlog.spool.dir`. Names of connectors may have characters that a folder cannot have. */
export function spoolFolder(folder: string, connectorName: string): string {
  // `.` and `..` are names of connectors, too.
  return join(folder, encodeURIComponent(connectorName).replaceAll('.', '%2E'))
}
