import { isIP } from 'node:net'
import { runProgram } from '../process/run-program.ts'

/** How a client connects. */
export interface TlsAttempt {
  readonly host: string
  readonly port: number
  /** The file with the trusted authorities; null: those of the system. */
  readonly authority: string | null
  /** Whether the certificate must be for the host. */
  readonly isHostChecked: boolean
  /** The protocol that the server speaks before TLS. Default: none. */
  readonly startsWith?: 'mysql'
}

/** Whether OpenSSL's client (`openssl s_client`) accepts a server: its verdict on the certificate, time and host. */
export async function opensslAccepts(attempt: TlsAttempt): Promise<boolean> {
  const { host, port, authority, isHostChecked, startsWith } = attempt
  const address = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
  const { code } = await runProgram(
    'openssl',
    [
      's_client',
      '-connect',
      address,
      '-verify_return_error',
      '-purpose',
      'sslserver',
      '-brief',
      ...(authority === null ? [] : ['-CAfile', authority]),
      ...(isHostChecked ? [isIP(host) === 0 ? '-verify_hostname' : '-verify_ip', host] : []),
      ...(isIP(host) === 0 ? ['-servername', host] : ['-noservername']),
      ...(startsWith === undefined ? [] : ['-starttls', startsWith]),
    ],
    { input: '' },
  )
  return code === 0
}
