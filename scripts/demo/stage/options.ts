import { parseArgs } from 'node:util'
import { describeError } from '@tributary/support'
import { demoErrors } from './errors.ts'

export const usage = `usage: npm run demo -- [options]

Demonstrates how Tributary turns row changes in a database into events in topics. Without options, the demo starts a
database with sample data, the development broker and Tributary on free ports of 127.0.0.1, and removes all of them at
the end.

  --keep              keep everything running until Ctrl-C, and print commands to try
  --mariadb           use MariaDB instead of MySQL
  --mysql URL         use your own MySQL or MariaDB server: mysql://user:password@host:port
                      The user must be allowed to create a database and to read the binlog.
  --kafka             use Kafka instead of the development broker: needs Java and Maven, which the demo downloads
  --kafka HOST:PORT   use your own Kafka broker (without login or TLS)
  --help              print this text

On your own servers, the demo creates a database inventory_demo_… and topics tributary_demo_…, and removes them at the
end.
`

/** Address and login of a database server. */
export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface DemoOptions {
  /** The server to start when `database` is null. */
  readonly flavor: 'mysql' | 'mariadb'
  readonly keep: boolean
  /** The user's database server; null to start one. */
  readonly database: DatabaseAddress | null
  readonly broker: DemoBroker
}

/** `own`: that of the user. */
export type DemoBroker = { readonly tag: 'development' | 'kafka' } | { readonly tag: 'own'; readonly address: string }

/** Parses the command line; returns `help` for --help. Throws DEMO_USAGE. */
export function parseOptions(args: readonly string[]): DemoOptions | 'help' {
  const values = parseFlags(args)
  if (values.help === true) return 'help'
  if (values.mariadb === true && values.mysql !== undefined) {
    throw demoErrors.DEMO_USAGE({
      reason: '--mariadb starts a server, and --mysql uses yours (also for MariaDB): use only one of them',
    })
  }
  return {
    flavor: values.mariadb === true ? 'mariadb' : 'mysql',
    keep: values.keep === true,
    database: values.mysql === undefined ? null : parseDatabaseUrl(values.mysql),
    broker: brokerOf(values.kafka),
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
      args: args.map(withValue),
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

/** `parseArgs` has no options whose value may be left out. */
function withValue(arg: string, index: number, args: readonly string[]): string {
  const next = args[index + 1]
  return arg === '--kafka' && (next === undefined || next.startsWith('-')) ? '--kafka=' : arg
}

function brokerOf(kafka: string | undefined): DemoBroker {
  if (kafka === undefined) return { tag: 'development' }
  return kafka === '' ? { tag: 'kafka' } : { tag: 'own', address: checkedBroker(kafka) }
}

function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.parse(text)
  const isDatabase = url !== null && (url.protocol === 'mysql:' || url.protocol === 'mariadb:')
  if (!isDatabase || url.hostname === '' || url.username === '') {
    // The text is not shown, because it may contain a password.
    throw demoErrors.DEMO_USAGE({ reason: '--mysql expects mysql://user:password@host:port' })
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
  throw demoErrors.DEMO_USAGE({ reason: `--kafka expects host:port, not ${text}` })
}
