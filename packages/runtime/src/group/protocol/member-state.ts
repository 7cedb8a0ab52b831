import { decodeAssignment, encodeAssignment, readVersion, type Assignment, type ProtocolVersion } from './assignment.ts'
import { encodeOwnData, decodeOwnData, type OwnData } from './own-data.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** The report of a member to the leader when it joins (Connect's ExtendedWorkerState). */
export interface MemberState {
  readonly version: ProtocolVersion
  /** Its REST interface, as `http://host:port/`. */
  readonly url: string
  /** One more than the offset of the last record of the config topic that it has read. */
  readonly configOffset: bigint
  /** All work that it runs, in `assigned`; null when it has no assignment yet. Always null in version 0. */
  readonly allocation: Assignment | null
  /** The additional data of a worker of Tributary; null for a worker of Kafka Connect. */
  readonly own: OwnData | null
}

/*
 * version 0:       version INT16, url STRING, configOffset INT64
 * version 1 and 2: the same, and then: allocation NULLABLE_BYTES, the bytes of an assignment
 *
 * followed by a document of our own, which Kafka Connect ignores, since its reader stops after the last field:
 *
 * own:             length INT32, JSON in UTF-8 (own-data.ts)
 */

export function encodeMemberState({ version, url, configOffset, allocation, own }: MemberState): Buffer {
  const writer = new WireWriter().int16(version).string(url).int64(configOffset)
  if (version > 0) writer.nullableBytes(allocation === null ? null : encodeAssignment(allocation))
  if (own !== null) writer.nullableBytes(encodeOwnData(own))
  return writer.finish()
}

/**
 * Reads the state of a member of Kafka Connect or of Tributary. As in Kafka Connect, a version above 2 is read as
 * version 2, and the allocation may be missing. It ignores a document of our own that it cannot read.
 *
 * @throws GROUP_PROTOCOL_DAMAGED
 */
export function decodeMemberState(bytes: Buffer): MemberState {
  const reader = new WireReader(bytes, 'the metadata of a member of the group')
  const version = readVersion(reader)
  const url = reader.string('url')
  const configOffset = reader.int64('config-offset')
  const hasAllocation = version > 0 && !reader.isAtEnd
  const allocation = hasAllocation ? reader.nullableBytes('allocation') : null
  return {
    version,
    url,
    configOffset,
    allocation: allocation === null ? null : decodeAssignment(allocation),
    own: decodeOwnData(reader.rest()),
  }
}

/** The values of `connect.protocol`. */
export type ProtocolSetting = 'eager' | 'compatible' | 'sessioned'

/** The name of each version among the protocols of a group. */
export const PROTOCOL_NAMES = ['default', 'compatible', 'sessioned'] as const
export type ProtocolName = (typeof PROTOCOL_NAMES)[number]

/**
 * The protocols that a member offers, the most preferred one first. The coordinator chooses one that all members offer,
 * so that a single member with the setting `eager` makes the whole group eager.
 */
export function offeredProtocols(
  state: Omit<MemberState, 'version'>,
  setting: ProtocolSetting,
): readonly { readonly name: ProtocolName; readonly metadata: Buffer }[] {
  const newest = SETTING_VERSIONS[setting]
  return PROTOCOL_VERSIONS.filter((version) => version <= newest).map((version) => ({
    name: PROTOCOL_NAMES[version],
    metadata: encodeMemberState({ ...state, version, allocation: allocationIn(state.allocation, version) }),
  }))
}

/** The version of a protocol that the coordinator has chosen; null for one that is not Connect's. */
export function versionOfProtocol(name: string): ProtocolVersion | null {
  return PROTOCOL_VERSIONS.find((version) => PROTOCOL_NAMES[version] === name) ?? null
}

const PROTOCOL_VERSIONS: readonly ProtocolVersion[] = [2, 1, 0]
const SETTING_VERSIONS: Readonly<Record<ProtocolSetting, ProtocolVersion>> = { eager: 0, compatible: 1, sessioned: 2 }

/** Kafka Connect writes the version of the metadata into the allocation, too. */
function allocationIn(allocation: Assignment | null, version: ProtocolVersion): Assignment | null {
  return allocation === null || version === 0 ? null : { ...allocation, version }
}
