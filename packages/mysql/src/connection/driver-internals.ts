import type { Connection } from 'mysql2'
import type { Duplex } from 'node:stream'
import { mysqlErrors } from '../errors.ts'

/**
 * The members of mysql2's connection that this package uses beyond the declared interface; `internalsOf` checks them.
 */
export interface DriverInternals {
  packetParser: { execute(data: Buffer): void }
  /** The socket, or the TLS socket once there is one. */
  readonly stream: Duplex
  write(bytes: Buffer): void
}

export function internalsOf(connection: Connection): DriverInternals {
  const internals = connection as unknown as Partial<DriverInternals>
  if (typeof internals.packetParser?.execute !== 'function') throw changed('packetParser.execute')
  if (typeof internals.write !== 'function') throw changed('write')
  if (typeof internals.stream?.pause !== 'function') throw changed('stream')
  return internals as DriverInternals
}

function changed(member: string): Error {
  return mysqlErrors.MYSQL_DRIVER_CHANGED({ member })
}
