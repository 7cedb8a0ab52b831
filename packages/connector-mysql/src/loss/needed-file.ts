import type { Flavor } from '../flavor/flavor.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { ListedFile } from './binlog-growth.ts'

/** Which file of the server a connector needs first. */
export type NeededFile =
  | { readonly tag: 'file'; readonly index: number }
  /** The server no longer has it: the two clauses complete “it needs …, but …”. */
  | { readonly tag: 'purged'; readonly needed: string; readonly available: string }
  | { readonly tag: 'unknown'; readonly reason: string }

/** The facts of a server that decide. */
export interface SearchedServer {
  readonly flavor: Pick<Flavor, 'isGtidSubset'>
  /** As `ServerInfo` names it. */
  readonly identity: string
  /** Oldest first. */
  readonly files: readonly ListedFile[]
  /** Null: the server has no GTIDs, or does not report them. */
  readonly purgedGtids: string | null
  /** The GTIDs before the first transaction of a file; null when the file does not state them. */
  readonly gtidsBefore: (file: string) => Promise<string | null>
}

/**
 * Finds the oldest file that a connector needs after a stored position. With GTIDs it is the newest file before whose
 * transactions nothing is missing, which is how the servers choose where a dump begins. Without GTIDs it is the stored
 * file.
 */
export async function findNeededFile(server: SearchedServer, stored: StreamPosition): Promise<NeededFile> {
  const { files, identity } = server
  const index = files.findIndex(({ name }) => name === stored.file)
  const isSame = stored.serverIdentity === null || stored.serverIdentity === identity
  if (stored.gtids === null) return isSame ? fileByName(files, index, stored) : otherServer(stored, identity)
  return fileByGtids(server, { gtids: stored.gtids, hint: isSame ? index : -1 })
}

function fileByName(files: readonly ListedFile[], index: number, stored: StreamPosition): NeededFile {
  const found = files[index]
  if (found === undefined) {
    const oldest = files[0]?.name
    const available =
      oldest === undefined ? 'the server has no binlog file' : `the oldest file of the server is ${oldest}`
    return { tag: 'purged', needed: `the binlog file ${stored.file}`, available }
  }
  if (stored.position > found.bytes) {
    const needed = `${stored.file} up to position ${stored.position}`
    return { tag: 'purged', needed, available: `that file ends at ${found.bytes}` }
  }
  return { tag: 'file', index }
}

function otherServer({ serverIdentity }: StreamPosition, identity: string): NeededFile {
  const reason = `The address leads to another server (${identity}) than the one that was read from (${serverIdentity}), and without GTIDs the stored position means nothing on it.`
  return { tag: 'unknown', reason }
}

interface Search {
  readonly gtids: string
  /** Index of the stored file; negative when the server does not have it, or is another one. */
  readonly hint: number
}

async function fileByGtids(server: SearchedServer, { gtids, hint }: Search): Promise<NeededFile> {
  const { files, flavor, purgedGtids } = server
  const oldest = files[0]
  const needed = `the transactions after GTIDs ${gtids}`
  if (oldest === undefined) return { tag: 'purged', needed, available: 'the server has no binlog file' }
  if (purgedGtids !== null && !flavor.isGtidSubset(purgedGtids, gtids)) {
    return { tag: 'purged', needed, available: `the server has purged GTIDs ${purgedGtids}` }
  }
  /** Whether everything before a file was read. Later files have more before them, so this is true up to one file. */
  const isComplete = async (index: number): Promise<boolean | null> => {
    const before = await server.gtidsBefore(files[index]?.name ?? '')
    return before === null ? null : flavor.isGtidSubset(before, gtids)
  }
  let index = hint >= 0 && (await isComplete(hint)) !== false ? hint : await lastComplete(isComplete, files.length)
  if (index === null) return { tag: 'unknown', reason: 'The binlog files of the server do not state their GTIDs.' }
  if (index < 0) {
    const before = await server.gtidsBefore(oldest.name)
    const available = `the oldest file of the server, ${oldest.name}, starts after GTIDs ${before}`
    return { tag: 'purged', needed, available }
  }
  while (index + 1 < files.length && (await isComplete(index + 1)) === true) index++
  return { tag: 'file', index }
}

/** The last index for which the test is true, by bisection; -1: none. Null: a test had no answer. */
async function lastComplete(
  isComplete: (index: number) => Promise<boolean | null>,
  count: number,
): Promise<number | null> {
  let [low, high] = [-1, count - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const answer = await isComplete(middle)
    if (answer === null) return null
    if (answer) low = middle
    else high = middle - 1
  }
  return low
}
