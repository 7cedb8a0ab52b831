import type { Connection } from 'mysql2'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, TLSSocket } from 'node:tls'
import { mysqlErrors } from '../errors.ts'

/**
 * The members of mysql2's connection that this package uses beyond the declared interface; `internalsOf` checks them.
 */
export interface DriverInternals {
  packetParser: DriverPacketParser
  /** The socket, or the TLS socket once there is one. */
  readonly stream: Duplex
  write(bytes: Buffer): void
  /** The sequence number that the next packet must have. */
  readonly sequenceId: number
  /** The statement in flight, or the login; without one the driver ignores the numbers. */
  readonly _command: unknown
}

/** Cuts the bytes of the connection into packets. */
export interface DriverPacketParser {
  execute(data: Buffer): void
  onPacket(packet: DriverPacket): void
}

/** A packet of the server; its payload is `buffer[offset, end)`. The driver uses the same object for the next one. */
export interface DriverPacket {
  sequenceId: number
  readonly buffer: Buffer
  readonly offset: number
  readonly end: number
}

export function internalsOf(connection: Connection): DriverInternals {
  const internals = connection as unknown as Partial<DriverInternals>
  if (typeof internals.packetParser?.execute !== 'function') throw changed('packetParser.execute')
  if (typeof internals.packetParser.onPacket !== 'function') throw changed('packetParser.onPacket')
  if (typeof internals.write !== 'function') throw changed('write')
  if (typeof internals.sequenceId !== 'number') throw changed('sequenceId')
  if (!('_command' in internals)) throw changed('_command')
  if (typeof internals.stream?.pause !== 'function') throw changed('stream')
  return internals as DriverInternals
}

interface TlsStart {
  startTLS(onSecure: (error?: Error) => void): void
  readonly stream: unknown
}

/**
 * Compares the server's certificate with the IP address that the client connects to, before the password is sent.
 * mysql2 gives TLS no server name for an address, and Node then compares the certificate with `localhost`.
 */
export function verifyAddress(connection: Connection, address: string): void {
  const internals = connection as unknown as Partial<TlsStart>
  const { startTLS } = internals
  if (typeof startTLS !== 'function') throw changed('startTLS')
  internals.startTLS = (onSecure) => {
    startTLS.call(connection, (error) => {
      const { stream } = internals
      if (error !== undefined) onSecure(error)
      else if (stream instanceof TLSSocket) onSecure(checkServerIdentity(address, stream.getPeerCertificate()))
      else onSecure(changed('stream'))
    })
  }
}

function changed(member: string): Error {
  return mysqlErrors.MYSQL_DRIVER_CHANGED({ member })
}
