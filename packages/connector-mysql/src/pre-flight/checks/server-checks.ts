import { finding } from '../finding.ts'
import type { ServerFacts } from '../server-facts.ts'
import { isOff, valueOf } from './binlog-checks.ts'
import type { Check } from './check.ts'

export const encryption: Check = {
  title: 'TLS',
  codes: ['TLS_ABSENT', 'TLS_UNUSED', 'TLS_REQUIRED'],
  note: 'A connection to a server on the same machine (127.0.0.0/8, ::1) needs no TLS.',
  find({ facts, config }) {
    if (facts.isEncrypted || facts.isLocal) return []
    const { address } = facts
    if (config.tlsMode === 'preferred') return [finding('TLS_ABSENT', { address, mode: 'preferred' })]
    // The MariaDB connector has its own spellings.
    const mode = config.properties['database.ssl.mode'] ?? 'disable'
    const better = mode === 'disable' ? 'verify-full' : 'verify_identity'
    return [finding('TLS_UNUSED', { address, mode, better })]
  },
  describe: ({ facts }) => (facts.isEncrypted ? 'encrypted' : 'not encrypted'),
}

export const gtids: Check = {
  title: 'GTIDs',
  codes: ['GTID_OFF'],
  note: 'MariaDB always writes GTIDs.',
  find({ facts }) {
    // MariaDB always writes them.
    const value = facts.flavor.name === 'mysql' ? (facts.variables.get('gtid_mode') ?? 'OFF') : 'ON'
    if (value === 'ON') return []
    return [finding('GTID_OFF', { address: facts.address, value, statements: stepsToGtids(value) })]
  },
  describe: ({ facts }) => (facts.flavor.name === 'mysql' ? `gtid_mode=${valueOf(facts, 'gtid_mode')}` : 'always'),
}

/** The server changes the mode only one step at a time (manual page "Changing the GTID Mode"). */
function stepsToGtids(mode: string): string {
  const modes = ['OFF', 'OFF_PERMISSIVE', 'ON_PERMISSIVE', 'ON']
  const steps = modes.slice(Math.max(0, modes.indexOf(mode)) + 1).map((next) => `SET GLOBAL gtid_mode = ${next};`)
  return ['SET GLOBAL enforce_gtid_consistency = ON;', ...steps].join(' ')
}

export const retention: Check = {
  title: 'How long the binlog is kept',
  codes: ['RETENTION_SHORT', 'RETENTION_SIZE'],
  note: 'Less than three days is reported: a connector that fails on a Friday evening is repaired on Monday.',
  find({ facts }) {
    const { address, variables } = facts
    const { variable, seconds } = retentionOf(facts)
    const bytes = Number(variables.get('max_binlog_total_size') ?? 0)
    const value = variable === 'expire_logs_days' ? SECONDS_MIN / DAY_SECONDS : SECONDS_MIN
    return [
      ...(seconds > 0 && seconds < SECONDS_MIN
        ? [finding('RETENTION_SHORT', { address, variable, period: period(seconds), value })]
        : []),
      ...(bytes > 0 ? [finding('RETENTION_SIZE', { address, variable: 'max_binlog_total_size', bytes })] : []),
    ]
  },
  describe({ facts }) {
    const { seconds } = retentionOf(facts)
    return seconds === 0 ? 'for ever' : period(seconds)
  },
}

const SECONDS_MIN = 3 * 86_400
const DAY_SECONDS = 86_400

/** Zero: the binlog is never removed. MySQL before 8.0 and MariaDB before 10.6 have only a variable in days. */
function retentionOf(facts: ServerFacts): { readonly variable: string; readonly seconds: number } {
  const { variables } = facts
  if (isOff(facts, 'binlog_expire_logs_auto_purge')) return { variable: 'binlog_expire_logs_auto_purge', seconds: 0 }
  const seconds = Number(variables.get('binlog_expire_logs_seconds') ?? 0)
  if (seconds > 0 || !variables.has('expire_logs_days')) return { variable: 'binlog_expire_logs_seconds', seconds }
  const days = Number(variables.get('expire_logs_days'))
  return {
    variable: variables.has('binlog_expire_logs_seconds') ? 'binlog_expire_logs_seconds' : 'expire_logs_days',
    seconds: days * DAY_SECONDS,
  }
}

function period(seconds: number): string {
  const [size, unit] = seconds >= DAY_SECONDS ? [DAY_SECONDS, 'day'] : seconds >= 3600 ? [3600, 'hour'] : [1, 'second']
  const count = Math.round((seconds / Number(size)) * 10) / 10
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export const queries: Check = {
  title: 'Statements of row changes',
  codes: ['QUERIES_NOT_LOGGED', 'QUERIES_SHOW_HIDDEN'],
  note: 'Only with include.query=true.',
  find({ facts, config }) {
    if (!config.includesQuery) return []
    const variable = queryVariable(facts)
    const hiding = Object.keys(config.properties).find((name) => HIDING.test(name))
    return [
      ...(isOff(facts, variable) ? [finding('QUERIES_NOT_LOGGED', { address: facts.address, variable })] : []),
      ...(hiding === undefined ? [] : [finding('QUERIES_SHOW_HIDDEN', { property: hiding })]),
    ]
  },
  describe: ({ facts, config }) =>
    config.includesQuery ? `${queryVariable(facts)}=${valueOf(facts, queryVariable(facts))}` : 'not asked for',
}

function queryVariable({ flavor }: ServerFacts): string {
  return flavor.name === 'mysql' ? 'binlog_rows_query_log_events' : 'binlog_annotate_row_events'
}

/** Properties that keep values out of events. */
const HIDING = /^column\.(mask|truncate|exclude|include)\./

const ZONE_PROPERTIES = [
  'database.connectionTimeZone',
  'database.serverTimezone',
  'database.timezone',
  'connection.timezone',
  'driver.connectionTimeZone',
]

export const timeZone: Check = {
  title: 'Time zone',
  codes: ['TIME_ZONE_IGNORED'],
  note: 'The server may have any time zone: the snapshot reads in UTC, and the binlog contains instants.',
  find({ facts, config }) {
    return ZONE_PROPERTIES.flatMap((property) => {
      const value = config.properties[property]
      return value === undefined
        ? []
        : [finding('TIME_ZONE_IGNORED', { property, value, zone: zoneOf(facts) }, { property })]
    })
  },
  describe: ({ facts }) => `${zoneOf(facts)}; instants are read in UTC`,
}

function zoneOf(facts: ServerFacts): string {
  const zone = valueOf(facts, 'time_zone')
  return zone === 'SYSTEM' ? `SYSTEM, ${valueOf(facts, 'system_time_zone')}` : zone
}

export const serverIds: Check = {
  title: 'Server ids',
  codes: ['SERVER_ID_ZERO', 'SERVER_ID_TAKEN'],
  note: 'MySQL shows its replicas to users with REPLICATION SLAVE, MariaDB to users with REPLICATION MASTER ADMIN. On MySQL, the dump thread of an earlier run of the same connector is recognised by its UUID and not reported.',
  find({ facts, config, replicaUuid }) {
    const { address, variables, replicas } = facts
    if (variables.get('server_id') === '0') return [finding('SERVER_ID_ZERO', { address })]
    const { serverId } = config
    if (variables.get('server_id') === String(serverId)) {
      return [finding('SERVER_ID_TAKEN', { address, serverId, holder: 'that server itself' })]
    }
    const holder = replicas.rows.find(([id, , , , uuid]) => id === String(serverId) && uuid !== replicaUuid)
    if (holder === undefined) return []
    const [, host, port, , uuid] = holder
    const place = (host ?? '') === '' ? 'a replica that reports no host' : `the replica ${host}:${port}`
    const name = uuid === undefined ? place : `${place}, with the UUID ${uuid}`
    return [finding('SERVER_ID_TAKEN', { address, serverId, holder: name })]
  },
  describe: ({ facts, config }) => `the server’s ${valueOf(facts, 'server_id')}, the connector’s ${config.serverId}`,
}

export const replicaSource: Check = {
  title: 'Changes that the server replicates itself',
  codes: ['REPLICA_WITHOUT_UPDATES'],
  note: 'Needs a privilege: REPLICATION CLIENT on MySQL, SLAVE MONITOR on MariaDB. Without it, the check is skipped.',
  find({ facts }) {
    if (facts.replicaStatus.rows.length === 0) return []
    const variable = facts.variables.has('log_replica_updates') ? 'log_replica_updates' : 'log_slave_updates'
    return isOff(facts, variable) ? [finding('REPLICA_WITHOUT_UPDATES', { address: facts.address, variable })] : []
  },
  describe: ({ facts }) =>
    facts.replicaStatus.errno !== null
      ? 'not known: the user may not ask'
      : facts.replicaStatus.rows.length === 0
        ? 'it is no replica'
        : 'it is a replica',
}
