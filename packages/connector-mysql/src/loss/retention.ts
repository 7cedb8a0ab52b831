/** When a server purges binlog files by itself. */
export interface Retention {
  /** How long a file is kept after the last write to it. Null: no limit in time. */
  readonly seconds: number | null
  /** The total size of all files above which the oldest are purged. Null: no limit. */
  readonly totalBytes: number | null
  /**
   * True: the server purges only when it begins a file (the last one is full, FLUSH BINARY LOGS, a start). False: a
   * service purges at any time.
   */
  readonly needsNewFile: boolean
  /** The size at which the server begins a new file. */
  readonly fileBytesMax: number
  /** False: something that the server does not show may purge earlier. */
  readonly isComplete: boolean
  /** The settings that decide, as in `binlog_expire_logs_seconds=2592000`. */
  readonly settings: readonly string[]
  /** What an operator should know about them, in sentences. */
  readonly notes: readonly string[]
}

/** The server variables that `retentionOf` reads. */
export const RETENTION_VARIABLES = [
  'aurora_version',
  'basedir',
  'binlog_expire_logs_auto_purge',
  'binlog_expire_logs_seconds',
  'binlog_space_limit',
  'expire_logs_days',
  'max_binlog_files',
  'max_binlog_size',
  'max_binlog_total_size',
  'slave_connections_needed_for_purge',
] as const

export interface RetentionFacts {
  /** Global variables by name, in lower case; those that the server does not have are missing. */
  readonly variables: ReadonlyMap<string, string>
  readonly host: string
  readonly isMariaDb: boolean
  /**
   * Amazon's `binlog retention hours`; undefined: it could not be read. Not used on other servers. Null: not set.
   */
  readonly amazonHours: number | null | undefined
}

/** Whether the server is one of Amazon RDS or Aurora: their programs are in this folder. */
export function isAmazon(variables: ReadonlyMap<string, string>): boolean {
  return variables.has('aurora_version') || (variables.get('basedir') ?? '').startsWith('/rdsdbbin')
}

const DAY_SECONDS = 86_400
/** The default of both servers. */
const FILE_BYTES_DEFAULT = 1 << 30

/**
 * Reads the rules from the settings of a server. The rules of both servers: a file expires when its last write is more
 * than the retention ago (the modification time of the file), and the oldest expired files are purged together when the
 * server begins a file. With a limit of the total size, the oldest files are purged until the rest is within the limit.
 * The file that is being written is never purged.
 */
export function retentionOf(facts: RetentionFacts): Retention {
  const { variables, host } = facts
  if (isAmazon(variables)) return amazonRetention(facts)
  const time = timeLimit(facts)
  const size = sizeLimit(variables)
  const replicas = Number(variables.get('slave_connections_needed_for_purge') ?? 0)
  const files = Number(variables.get('max_binlog_files') ?? 0)
  const open = [hiddenRule(host, variables.get('version') ?? '', time.seconds), filesRule(files)].filter(
    (note) => note !== null,
  )
  return {
    seconds: time.seconds,
    totalBytes: size.totalBytes,
    needsNewFile: true,
    fileBytesMax: fileBytesMax(variables),
    isComplete: open.length === 0,
    settings: [...time.settings, ...size.settings, ...(files > 0 ? [`max_binlog_files=${files}`] : [])],
    notes: [
      ...time.notes,
      ...open,
      ...(replicas > 0 && (time.seconds !== null || size.totalBytes !== null)
        ? [
            `slave_connections_needed_for_purge=${replicas}: the server purges by itself only while at least that many replicas are connected, so it may purge later.`,
          ]
        : []),
    ],
  }
}

type TimeLimit = Pick<Retention, 'seconds' | 'settings' | 'notes'>

/**
 * MySQL 8 adds both settings, of which only one can be set; 8.4 and later have only the one in seconds, MySQL 5.7 and
 * MariaDB before 10.6 only the one in days. In MariaDB 10.6 and later, both are the same setting in two units.
 */
function timeLimit({ variables, isMariaDb }: RetentionFacts): TimeLimit {
  const [seconds, days] = ['binlog_expire_logs_seconds', 'expire_logs_days'].map((name) => variables.get(name))
  const shown: string[] = []
  let total = 0
  if (seconds !== undefined) {
    total += Number(seconds)
    shown.push(`binlog_expire_logs_seconds=${seconds}`)
  }
  if (days !== undefined && Number(days) > 0 && !(isMariaDb && seconds !== undefined)) {
    total += Number(days) * DAY_SECONDS
    shown.push(`expire_logs_days=${days}`)
  }
  if (/^(OFF|0)$/i.test(variables.get('binlog_expire_logs_auto_purge') ?? '')) {
    return { seconds: null, settings: ['binlog_expire_logs_auto_purge=OFF'], notes: [] }
  }
  const isLimited = Number.isFinite(total) && total > 0
  return { seconds: isLimited ? Math.floor(total) : null, settings: shown, notes: [] }
}

/** MariaDB 11.4 and later, and Percona Server. */
function sizeLimit(variables: ReadonlyMap<string, string>): Pick<Retention, 'totalBytes' | 'settings'> {
  for (const name of ['max_binlog_total_size', 'binlog_space_limit']) {
    const bytes = Number(variables.get(name) ?? 0)
    if (Number.isFinite(bytes) && bytes > 0) return { totalBytes: bytes, settings: [`${name}=${bytes}`] }
  }
  return { totalBytes: null, settings: [] }
}

function fileBytesMax(variables: ReadonlyMap<string, string>): number {
  const bytes = Number(variables.get('max_binlog_size') ?? FILE_BYTES_DEFAULT)
  return Number.isFinite(bytes) && bytes > 0 ? bytes : FILE_BYTES_DEFAULT
}

/** Percona Server up to 8.0.13: any FLUSH BINARY LOGS and any restart counts, so bytes and time do not show when. */
function filesRule(files: number): string | null {
  if (!(files > 0)) return null
  return `max_binlog_files=${files}: the server purges the oldest file when it begins one more than that. How soon that is cannot be known. Use binlog_expire_logs_seconds or binlog_space_limit instead.`
}

/** Services whose own programs purge, by a rule that no statement returns. The settings of the server are another limit. */
const SERVICES: readonly (readonly [host: RegExp, note: string])[] = [
  [
    /\.aivencloud\.com$/i,
    'Aiven removes binlog files by its setting binlog_retention_period (seconds), which the server does not show. Set it above your longest outage.',
  ],
  [
    /\.ondigitalocean\.com$/i,
    'DigitalOcean removes binlog files by its setting binlog_retention_period (seconds), which the server does not show. Set it above your longest outage.',
  ],
  [
    /\.rds\.aliyuncs\.com$/i,
    'ApsaraDB RDS removes binlog files by its local log retention policy (hours, and a part of the disk), which the server does not show. Set it above your longest outage.',
  ],
]

/** Services with a rule of their own that no statement returns. */
function hiddenRule(host: string, version: string, seconds: number | null): string | null {
  if (/-google\b/i.test(version)) {
    return 'Google Cloud SQL also removes binlog files after the days of its setting transactionLogRetentionDays (7 by default), which the server does not show. Compare it with the time shown here.'
  }
  if (seconds === null && /\.mysql\.database\.azure\.com$/i.test(host)) {
    return 'Azure Database for MySQL removes a binlog file as soon as no session reads it while binlog_expire_logs_seconds is 0. Set it above your longest outage.'
  }
  // A name may end with the dot of the root.
  const name = host.replace(/\.$/, '')
  return SERVICES.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

/** A job of the service purges, at any time, with the setting of `mysql.rds_set_configuration`. */
function amazonRetention({ variables, amazonHours }: RetentionFacts): Retention {
  const common = { totalBytes: null, needsNewFile: false, fileBytesMax: fileBytesMax(variables) }
  const advice = `CALL mysql.rds_set_configuration('binlog retention hours', 168)`
  if (amazonHours === undefined) {
    const grant =
      'Amazon’s setting “binlog retention hours” cannot be read: GRANT SELECT ON mysql.rds_configuration to the user of the connector.'
    return { ...common, seconds: null, isComplete: false, settings: [], notes: [grant] }
  }
  if (amazonHours === null) {
    const note = `Amazon’s setting “binlog retention hours” is not set, so the service removes a file as soon as it can. Set it above your longest outage: ${advice}.`
    return { ...common, seconds: 0, isComplete: true, settings: ['binlog retention hours is not set'], notes: [note] }
  }
  return {
    ...common,
    seconds: amazonHours * 3600,
    isComplete: true,
    settings: [`binlog retention hours=${amazonHours}`],
    notes: [],
  }
}
