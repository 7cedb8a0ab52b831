import { apis, isFlexible, type Api } from './apis.ts'
import { WireReader } from './wire-reader.ts'

/*
 * Request Header v1 => request_api_key INT16, request_api_version INT16, correlation_id INT32, client_id NULLABLE_STRING
 * Request Header v2 adds TAG_BUFFER; it is used by versions with compact lengths.
 */
export interface RequestHeader {
  readonly api: Api
  readonly version: number
  readonly correlationId: number
  readonly clientId: string
  /** Whether the broker has the version. */
  readonly isSupported: boolean
  /** Reads the body. */
  readonly reader: WireReader
}

/** Throws RangeError for other bytes and for an unknown request. */
export function readRequestHeader(frame: Buffer): RequestHeader {
  const reader = new WireReader(frame)
  const key = reader.int16()
  const version = reader.int16()
  const correlationId = reader.int32()
  const api = apis.get(key)
  if (api === undefined) throw new RangeError(`request ${key} is not supported`)
  const length = reader.int16()
  const clientId = length < 0 ? '' : reader.slice(length).toString('utf8')
  const isSupported = version >= api.versionMin && version <= api.versionMax
  if (isSupported && isFlexible(api, version)) skipTags(reader)
  return { api, version, correlationId, clientId, isSupported, reader }
}

function skipTags(reader: WireReader): void {
  const count = reader.unsignedVarint()
  for (let i = 0; i < count; i++) {
    reader.unsignedVarint()
    reader.slice(reader.unsignedVarint())
  }
}

/*
 * Response Header v0 => correlation_id INT32
 * Response Header v1 adds TAG_BUFFER. ApiVersions keeps v0, because its client does not know the broker's versions.
 */
export function responseHead(api: Api, version: number, correlationId: number, bodyBytes: number): Buffer {
  const hasTags = isFlexible(api, version) && api.name !== 'ApiVersions'
  const head = Buffer.alloc(hasTags ? 9 : 8)
  head.writeInt32BE(head.length - 4 + bodyBytes, 0)
  head.writeInt32BE(correlationId, 4)
  return head
}
