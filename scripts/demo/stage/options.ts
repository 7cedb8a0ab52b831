import { parseArgs } from 'node:util'
import { describeError } from '@tributary/support'
import { demoErrors } from './errors.ts'

export const usage = `usage: npm run demo -- [options]

Shows Tributary at work: a database with a small sample, Kafka, and the service as a process of its own. Without options all
three are started here, on free ports of 127.0.0.1, and removed at the end.

  --keep              leave everything running until Ctrl-C, with the commands to go on
  --mariadb           MariaDB instead of MySQL
  --mysql URL         your own MySQL or MariaDB server: mysql://user:password@host:port
                      The user creates a database, and the connector reads the binlog as the same user.
  --kafka HOST:PORT   your own Kafka broker (without login or TLS)
  --help              this text

On your own servers the demo creates a database inventory_demo_… and topics tributary_demo_…, and removes them at the end.
`

/** A server of the visitor's. */
export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface DemoOptions {
  /** Which server is started when `database` is null. */
  readonly flavor: 'mysql' | 'mariadb'
  readonly keep: boolean
  /** The visitor's database server; null: one is started. */
  readonly database: DatabaseAddress | null
  /** `host:port` of the visitor's broker; null: one is started. */
  readonly kafka: string | null
}

/** Reads the command line; `help` when that is asked for. Throws DEMO_USAGE. */
export function parseOptions(args: readonly string[]): DemoOptions | 'help' {
  const values = parseFlags(args)
  if (values.help === true) return 'help'
  if (values.mariadb === true && values.mysql !== undefined) {
    throw demoErrors.DEMO_USAGE({
      reason: '--mariadb starts a server, --mysql uses yours (MariaDB too): give one of them',
    })
  }
  return {
    flavor: values.mariadb === true ? 'mariadb' : 'mysql',
    keep: values.keep === true,
    database: values.mysql === undefined ? null : parseDatabaseUrl(values.mysql),
    kafka: values.kafka === undefined ? null : checkedBroker(values.kafka),
  }
}

interface Flags {
  readonly help?: boolean | undefined
  readonly keep?: boolean | undefined
  readonly mariadb?: boolean | undefined
  readonly mysql?: string | undefined
  readonly kafka?: string | undefined
}

function parseFlags(args: readonly string[]): Flags {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean' },
        keep: { type: 'boolean' },
        mariadb: { type: 'boolean' },
        mysql: { type: 'string' },
        kafka: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw demoErrors.DEMO_USAGE({ reason: describeError(error).replace(/\.$/, '') }, error)
  }
}

function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.parse(text)
  const isDatabase = url !== null && (url.protocol === 'mysql:' || url.protocol === 'mariadb:')
  if (!isDatabase || url.hostname === '' || url.username === '') {
    // Not shown as given: it may hold a password.
    throw demoErrors.DEMO_USAGE({ reason: '--mysql takes mysql://user:password@host:port' })
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 3306 : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  }
}

function checkedBroker(text: string): string {
  if (/^(\[[0-9a-fA-F:.]+\]|[^\s:,]+):\d{1,5}$/.test(text)) return text
  throw demoErrors.DEMO_USAGE({ reason: `--kafka takes host:port, not ${text}` })
}
