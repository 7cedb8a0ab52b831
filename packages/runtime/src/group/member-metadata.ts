import type { ProcessIdentity } from './process-identity.ts'
import { identityOf } from './protocol/own-data.ts'

/** What a worker reports about itself to whoever describes its group. */
export interface WorkerInfo {
  /** Its REST interface, as `http://host:port/`. */
  readonly url: string
  readonly group: string
  readonly configTopic: string
  readonly sessionTimeoutMs: number
  readonly process: ProcessIdentity | null
}

/** What is known of a member from its metadata. A worker of Kafka Connect reports only its URL. */
export interface MemberInfo extends Partial<Omit<WorkerInfo, 'url'>> {
  readonly url: string | null
}

/*
 * Version 0 of the metadata of Kafka Connect's workers, so that tools which know it find the URL; readers ignore what
 * follows:
 *
 *   version INT16 = 0, url STRING, configOffset INT64
 *
 * followed by a document of our own:
 *
 *   length INT32, JSON in UTF-8: the properties of WorkerInfo without the URL
 */
export function encodeMetadata({ url, ...rest }: WorkerInfo): Buffer {
  const urlBytes = Buffer.from(url)
  const document = Buffer.from(JSON.stringify(rest))
  const bytes = Buffer.alloc(2 + 2 + urlBytes.length + 8 + 4 + document.length)
  bytes.writeInt16BE(urlBytes.length, 2)
  urlBytes.copy(bytes, 4)
  const at = 4 + urlBytes.length
  bytes.writeBigInt64BE(NO_OFFSET, at)
  bytes.writeInt32BE(document.length, at + 8)
  document.copy(bytes, at + 12)
  return bytes
}

/** A worker that is alone computes no assignments from offsets of the config topic. */
const NO_OFFSET = -1n

/** Reads the metadata of any worker. What cannot be read is unknown: it only names a worker in messages. */
export function decodeMetadata(bytes: Buffer): MemberInfo {
  if (bytes.length < 4) return UNKNOWN
  const end = 4 + bytes.readInt16BE(2)
  if (end < 4 || end > bytes.length) return UNKNOWN
  return { ...documentOf(bytes.subarray(end + 12)), url: bytes.toString('utf8', 4, end) }
}

const UNKNOWN: MemberInfo = { url: null }

function documentOf(bytes: Buffer): Omit<MemberInfo, 'url'> {
  const document = parsed(bytes)
  if (document === null) return {}
  const { group, configTopic, sessionTimeoutMs, process } = document
  return {
    ...(typeof group === 'string' && { group }),
    ...(typeof configTopic === 'string' && { configTopic }),
    ...(typeof sessionTimeoutMs === 'number' && { sessionTimeoutMs }),
    process: identityOf(process),
  }
}

function parsed(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
