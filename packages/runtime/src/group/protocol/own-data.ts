import type { ProcessIdentity } from '../process-identity.ts'

/** How much a task writes. */
export interface TaskLoad {
  readonly connector: string
  readonly task: number
  readonly bytesPerSecond: number
}

/**
 * The data that a worker of Tributary reports beyond Connect's protocol. A reader ignores unknown fields, and a feature
 * is used only if every worker concerned reports it: two versions can run in one group.
 */
export interface OwnData {
  /** The version of Tributary, for messages. */
  readonly version: string
  /** The names of this worker's features in a group, beyond those of Kafka Connect. */
  readonly features: readonly string[]
  readonly group: string
  readonly configTopic: string
  /** Null for a worker of a version that does not report it. */
  readonly offsetTopic: string | null
  /** Null as above. */
  readonly statusTopic: string | null
  readonly sessionTimeoutMs: number
  readonly process: ProcessIdentity | null
  /** The loads of the tasks that have run long enough; null when the worker does not measure. */
  readonly loads: readonly TaskLoad[] | null
  /** The worker is about to stop: it gets no work, and its work moves to other workers. */
  readonly isLeaving: boolean
}

/** Its JSON object is about 60 bytes a task. The brokers limit what a group stores of all members to a record. */
const LOADS_MAX = 500

/** The longest list of features, and of anything else in the document, that a reader considers. */
const DOCUMENT_BYTES_MAX = 256 * 1024

export function encodeOwnData(own: OwnData): Buffer {
  const { loads, version, isLeaving, ...rest } = own
  const heaviest = loads === null ? null : [...loads].toSorted(byLoad).slice(0, LOADS_MAX)
  const listed = heaviest?.map(({ connector, task, bytesPerSecond }) => [connector, task, Math.round(bytesPerSecond)])
  return Buffer.from(JSON.stringify({ tributary: version, ...rest, loads: listed ?? null, leaving: isLeaving }))
}

/** Reads INT32 length and document. Null for other bytes: of another kind of worker, or damaged. */
export function decodeOwnData(bytes: Buffer): OwnData | null {
  if (bytes.length < 4 || bytes.length > DOCUMENT_BYTES_MAX) return null
  const length = bytes.readInt32BE(0)
  if (length < 0 || length > bytes.length - 4) return null
  const document = parsed(bytes.toString('utf8', 4, 4 + length))
  if (document === null) return null
  const { tributary, features, group, configTopic, offsetTopic, statusTopic } = document
  const { sessionTimeoutMs, loads, leaving } = document
  if (typeof group !== 'string' || typeof configTopic !== 'string') return null
  return {
    version: typeof tributary === 'string' ? tributary : '',
    features: Array.isArray(features) ? features.filter((each) => typeof each === 'string') : [],
    group,
    configTopic,
    offsetTopic: typeof offsetTopic === 'string' ? offsetTopic : null,
    statusTopic: typeof statusTopic === 'string' ? statusTopic : null,
    sessionTimeoutMs: isCount(sessionTimeoutMs) ? sessionTimeoutMs : 0,
    process: identityOf(document['process']),
    loads: Array.isArray(loads) ? loads.slice(0, LOADS_MAX).flatMap(loadOf) : null,
    isLeaving: leaving === true,
  }
}

function byLoad(a: TaskLoad, b: TaskLoad): number {
  return b.bytesPerSecond - a.bytesPerSecond
}

function loadOf(value: unknown): readonly TaskLoad[] {
  if (!Array.isArray(value)) return []
  const [connector, task, bytesPerSecond] = value as readonly unknown[]
  return typeof connector === 'string' && isCount(task) && isCount(bytesPerSecond)
    ? [{ connector, task, bytesPerSecond }]
    : []
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function identityOf(value: unknown): ProcessIdentity | null {
  if (typeof value !== 'object' || value === null) return null
  const { host, bootId, pidNamespace, pid, startTime } = value as Record<string, unknown>
  if (typeof host !== 'string' || typeof bootId !== 'string' || typeof pidNamespace !== 'string') return null
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof startTime !== 'string') return null
  return { host, bootId, pidNamespace, pid, startTime }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
