import { atLeast, type ConfigKey, type ConfigValues, type Validator } from '@tributary/connect-api'
import { text } from './key-validators.ts'

/** Another server that has the data of the source. */
export interface ReplicaHost {
  readonly host: string
  readonly port: number
}

/** How much snapshots of a task may load the source. 0: no limit. */
export interface SnapshotLimits {
  readonly rowsPerSecondMax: number
  readonly bytesPerSecondMax: number
  readonly runningThreadsMax: number
  readonly replicas: readonly ReplicaHost[]
  readonly replicaLagMaxMs: number
  /** For a replica whose lag is not known; -1: no limit. */
  readonly replicaWaitMaxMs: number
}

/** Null: there are no limits. */
export function snapshotLimits(values: ConfigValues): SnapshotLimits | null {
  const replicas = parseReplicas(values.optionalString('snapshot.replica.hosts') ?? '')
  const limits: SnapshotLimits = {
    rowsPerSecondMax: values.integer('snapshot.max.rows.per.second'),
    bytesPerSecondMax: values.integer('snapshot.max.bytes.per.second'),
    runningThreadsMax: values.integer('snapshot.max.running.threads'),
    replicas: replicas ?? [],
    replicaLagMaxMs: values.integer('snapshot.max.replica.lag.ms'),
    replicaWaitMaxMs: values.integer('snapshot.replica.wait.max.ms'),
  }
  const { rowsPerSecondMax: rows, bytesPerSecondMax: bytes, runningThreadsMax: threads } = limits
  return rows + bytes + threads === 0 && limits.replicas.length === 0 ? null : limits
}

/** Null: it is not a list of addresses. */
function parseReplicas(list: string): readonly ReplicaHost[] | null {
  const parts = list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const hosts = parts.map((part) => {
    const [, quoted, plain, port] = ADDRESS.exec(part) ?? []
    const host = quoted ?? plain
    const number = Number(port ?? MYSQL_PORT)
    return host === undefined || number < 1 || number > PORT_MAX ? null : { host, port: number }
  })
  return hosts.every((each) => each !== null) ? hosts : null
}

/** host, host:port, [address of version 6]:port */
const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/
const MYSQL_PORT = 3_306
const PORT_MAX = 65_535

const isAddressList: Validator = (value) =>
  value === null || parseReplicas(text(value)) !== null
    ? null
    : 'Value must be a list of host:port, separated by commas'

/**
 * The global read lock stops all writers, which then count as running threads, and the lock would stay for as long as a
 * replica is down.
 */
const notWithExtended: Validator = (value, all) => {
  const given = text(value ?? '').trim()
  const isExtended = text(all.get('snapshot.locking.mode') ?? '').toLowerCase() === 'extended'
  return isExtended && given !== '' && given !== '0'
    ? 'with snapshot.locking.mode=extended the snapshot would wait while its own lock stops all writers; use minimal or none, or limit rows or bytes per second'
    : null
}

/** Properties of our own: what snapshots may cost the source. */
export const limitKeys: readonly ConfigKey[] = [
  {
    name: 'snapshot.max.rows.per.second',
    type: 'LONG',
    defaultValue: '0',
    group: 'Connector',
    validators: [atLeast(0)],
    documentation:
      'Limit on the rows per second that initial, blocking and incremental snapshots of the task read together. 0: no limit.',
  },
  {
    name: 'snapshot.max.bytes.per.second',
    type: 'LONG',
    defaultValue: '0',
    group: 'Connector',
    validators: [atLeast(0)],
    documentation:
      'Limit on the bytes per second, as the server sends rows, that initial, blocking and incremental snapshots of the task read together. 0: no limit.',
  },
  {
    name: 'snapshot.max.running.threads',
    type: 'INT',
    defaultValue: '0',
    group: 'Connector',
    validators: [atLeast(0), notWithExtended],
    documentation:
      'Snapshots read no further rows while Threads_running of the server is above this, which is looked at each second. It counts the sessions of the connector too, and those of replicas. Not with snapshot.locking.mode=extended. 0: no limit.',
  },
  {
    name: 'snapshot.replica.hosts',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [isAddressList, notWithExtended],
    documentation:
      'Replicas of the source (host:port, separated by commas) that snapshots must not make lag: they read no further rows while one lags by more than snapshot.max.replica.lag.ms, does not replicate, or cannot be asked. The connector logs in as at the source, and needs REPLICATION CLIENT there (MariaDB: REPLICA MONITOR). Not with snapshot.locking.mode=extended.',
  },
  {
    name: 'snapshot.max.replica.lag.ms',
    type: 'LONG',
    defaultValue: '10000',
    group: 'Connector',
    validators: [atLeast(0)],
    documentation:
      'Limit on the lag of the servers of snapshot.replica.hosts, in milliseconds. Servers report it in whole seconds.',
  },
  {
    name: 'snapshot.replica.wait.max.ms',
    type: 'LONG',
    defaultValue: '3600000',
    group: 'Connector',
    validators: [atLeast(-1)],
    documentation:
      'How long snapshots wait for a server of snapshot.replica.hosts that does not replicate or cannot be asked, in milliseconds. After that they continue without it, until it replicates again. The log, the progress and the health of the task name it meanwhile. -1: until it is back.',
  },
]
