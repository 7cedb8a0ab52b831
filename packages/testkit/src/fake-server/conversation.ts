import type { OffsetDocument } from '@tributary/connect-api'
import { readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Flavor } from '../database/database-programs.ts'

/**
 * What a real server and the connector said to each other: a check, a snapshot, a stream and a restart of one table.
 * `tests/adversary/fake-server/record-conversations.ts` records it.
 */
export interface Conversation {
  readonly flavor: Flavor
  /** The payload of the greeting. */
  readonly greeting: string
  /** By statement: the packets of its answers, in the order in which they were given. */
  readonly answers: Readonly<Record<string, readonly string[]>>
  readonly binlog: RecordedBinlog
  /** The configuration of the connector, without the addresses. */
  readonly config: Readonly<Record<string, string>>
  /** The offset at the end of the snapshot. */
  readonly offset: OffsetDocument
  /** The events that the connector yields, as text: first those of the snapshot. */
  readonly changes: readonly string[]
  readonly snapshotChanges: number
}

/** Bytes are in base64. */
export interface RecordedBinlog {
  readonly file: string
  /** Each with its header and its checksum, from the start of the file. */
  readonly events: readonly string[]
}

const folder = new URL('../../fixtures/conversations/', import.meta.url)

function pathOf(flavor: Flavor): URL {
  return new URL(`${flavor}.json.gz`, folder)
}

/** The recording of the repository. */
export function recordedConversation(flavor: Flavor): Conversation {
  return JSON.parse(gunzipSync(readFileSync(pathOf(flavor))).toString()) as Conversation
}

/** The bytes of a recording’s file, and its path. */
export function conversationFile(conversation: Conversation): { readonly path: URL; readonly bytes: Buffer } {
  const text = `${JSON.stringify(conversation, null, 1)}\n`
  return { path: pathOf(conversation.flavor), bytes: gzipSync(text, { level: 9 }) }
}
