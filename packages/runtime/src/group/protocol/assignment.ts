import type { TaskRef, Work } from './work.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** The version of the group protocol of Kafka Connect: eager, compatible (KIP-415), sessioned (KIP-507). */
export type ProtocolVersion = 0 | 1 | 2

/** The leader could not learn the state of the config topic that the newest member has: nothing is assigned. */
export const CONFIG_MISMATCH = 1
export const NO_ERROR = 0

/** The leader's assignment for one member (Connect's ExtendedAssignment), or a member's report of its work. */
export interface Assignment {
  readonly version: ProtocolVersion
  /** `NO_ERROR` or `CONFIG_MISMATCH`. */
  readonly error: number
  /** The member id of the leader. */
  readonly leader: string
  /** The REST interface of the leader. */
  readonly leaderUrl: string
  /** One more than the offset of the last record of the config topic that the assignment is made from. */
  readonly configOffset: bigint
  /** From version 1 on the work that is added to that of the member; in version 0 all of its work. */
  readonly assigned: Work | null
  /** The work that the member must stop and give up; null in version 0. */
  readonly revoked: Work | null
  /** If more than 0, the members join again after this time, in ms: lost work is assigned then. 0 in version 0. */
  readonly delayMs: number
}

/*
 * version 0:      version INT16, error INT16, leader STRING, leaderUrl STRING, configOffset INT64, assigned ARRAY(item)
 * version 1 and 2: the same with a nullable array, and then: revoked NULLABLE_ARRAY(item), delay INT32 (ms)
 * item:           connector STRING, tasks ARRAY(INT32), where the task -1 is the connector itself
 */

export function encodeAssignment(assignment: Assignment): Buffer {
  const { version, error, leader, leaderUrl, configOffset, assigned, revoked, delayMs } = assignment
  const writer = new WireWriter().int16(version).int16(error).string(leader).string(leaderUrl).int64(configOffset)
  writeWork(writer, version === 0 ? (assigned ?? { connectors: [], tasks: [] }) : assigned)
  if (version === 0) return writer.finish()
  writeWork(writer, revoked)
  return writer.int32(delayMs).finish()
}

/**
 * Reads an assignment of a worker of Kafka Connect or of Tributary. As in Kafka Connect, a version above 2 is read as
 * version 2, bytes after the last field are ignored, and `assigned`, `revoked` and the delay may be missing at the end.
 *
 * @throws GROUP_PROTOCOL_DAMAGED
 */
export function decodeAssignment(bytes: Buffer): Assignment {
  const reader = new WireReader(bytes, 'an assignment of the group')
  const version = readVersion(reader)
  const error = reader.int16('error')
  const leader = reader.string('leader')
  const leaderUrl = reader.string('leader-url')
  const configOffset = reader.int64('config-offset')
  const assigned = readWork(reader, 'assignment')
  const revoked = readWork(reader, 'revoked')
  const delayMs = reader.isAtEnd ? 0 : reader.int32('delay')
  return { version, error, leader, leaderUrl, configOffset, assigned, revoked, delayMs }
}

/** A version that no release has written yet is read as the newest known one, as in Kafka Connect. */
export function readVersion(reader: WireReader): ProtocolVersion {
  const version = reader.int16('version')
  if (version < 0) throw reader.damaged('version', `it is ${version}`)
  return version === 0 || version === 1 ? version : 2
}

const CONNECTOR_ITSELF = -1
/** The size of an item with an empty name and no tasks. */
const ITEM_BYTES_LEAST = 6
const TASK_BYTES = 4

function writeWork(writer: WireWriter, work: Work | null): void {
  const items = work === null ? null : [...itemsOf(work)]
  writer.nullableArray(items, ([connector, tasks]) => {
    writer.string(connector)
    writer.nullableArray(tasks, (task) => writer.int32(task))
  })
}

/** In Connect's order: first the connectors themselves, then tasks, each in the item of its connector. */
function itemsOf({ connectors, tasks }: Work): ReadonlyMap<string, readonly number[]> {
  const items = new Map<string, number[]>()
  const add = (connector: string, task: number): void => {
    const item = items.get(connector)
    if (item === undefined) items.set(connector, [task])
    else item.push(task)
  }
  for (const connector of connectors) add(connector, CONNECTOR_ITSELF)
  for (const { connector, task } of tasks) add(connector, task)
  return items
}

function readWork(reader: WireReader, field: string): Work | null {
  if (reader.isAtEnd) return null
  const items = reader.nullableArray(field, ITEM_BYTES_LEAST, () => {
    const connector = reader.string(field)
    return { connector, tasks: reader.nullableArray(field, TASK_BYTES, () => reader.int32(field)) }
  })
  if (items === null) return null
  const connectors: string[] = []
  const tasks: TaskRef[] = []
  for (const { connector, tasks: numbers } of items) {
    if (numbers === null) throw reader.damaged(field, `the tasks of connector ${connector} are null`)
    for (const task of numbers) {
      if (task === CONNECTOR_ITSELF) connectors.push(connector)
      else if (task < 0) throw reader.damaged(field, `connector ${connector} has a task ${task}`)
      else tasks.push({ connector, task })
    }
  }
  return { connectors, tasks }
}
