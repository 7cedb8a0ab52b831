import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, toError } from '@tributary/support'
import { brokerErrors } from '../errors.ts'
import type { BrokerStorage, PartitionStorage } from './broker-storage.ts'
import { FileCache } from './file-cache.ts'
import { FolderLock } from './folder-lock.ts'
import type { JournalEntry } from './journal-entry.ts'
import { JournalFile } from './journal-file.ts'
import { PartitionFolder } from './partition-folder.ts'

const FORMAT_FILE = 'format'
const FORMAT = 'tributary development broker 1\n'

/**
 * Keeps the data of a broker in a folder:
 *
 *     format                                 what the folder is
 *     lock                                   the process that uses it
 *     journal                                topics, committed offsets, transactions
 *     topics/<topic id>/<partition>/*      batches
 *
 * Writes reach the operating system before they are acknowledged, so they survive the end of the process in whatever
 * way. Like Kafka, the broker does not wait for the disk: a crash of the machine may lose the last seconds.
 *
 * @throws BROKER_FOLDER, BROKER_FOLDER_LOCKED, BROKER_FOLDER_FORMAT
 */
export class FolderStorage implements BrokerStorage {
  readonly #folder: string
  readonly #lock: FolderLock
  readonly #journal: JournalFile
  readonly #files = new FileCache()
  readonly #partitions = new Map<string, PartitionFolder>()

  constructor(folder: string) {
    this.#folder = folder
    this.#journal = new JournalFile(join(folder, 'journal'))
    this.#lock = inFolder(folder, () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      checkFormat(folder)
      return new FolderLock(folder)
    })
  }

  get isJournalLong(): boolean {
    return this.#journal.isLong
  }

  recoverJournal(): readonly JournalEntry[] {
    return inFolder(this.#folder, () => this.#journal.recover())
  }

  append(entry: JournalEntry): void {
    this.#journal.append(entry)
  }

  rewriteJournal(entries: readonly JournalEntry[]): void {
    inFolder(this.#folder, () => this.#journal.rewrite(entries))
  }

  partition(topicId: string, index: number): PartitionStorage {
    const key = join(topicId, String(index))
    const partition = new PartitionFolder(join(this.#folder, 'topics', key), this.#files)
    this.#partitions.set(key, partition)
    return partition
  }

  deleteTopic(topicId: string): void {
    for (const [key, partition] of this.#partitions) {
      if (!key.startsWith(join(topicId, '/'))) continue
      partition.closeFiles()
      this.#partitions.delete(key)
    }
    rmSync(join(this.#folder, 'topics', topicId), { recursive: true, force: true })
  }

  close(): void {
    this.#files.closeAll()
    this.#journal.close()
    this.#lock.release()
  }
}

/** Refuses a folder that is not empty and has no format file: it belongs to another program. */
function checkFormat(folder: string): void {
  const file = join(folder, FORMAT_FILE)
  const names = readdirSync(folder)
  if (names.length === 0) {
    writeFileSync(file, FORMAT)
    return
  }
  const format = names.includes(FORMAT_FILE) ? readFileSync(file, 'utf8') : null
  if (format === FORMAT) return
  const reason =
    format === null ? 'it is missing, and the folder is not empty' : `it contains "${format.slice(0, 40).trim()}"`
  throw brokerErrors.BROKER_FOLDER_FORMAT({ file, reason })
}

function inFolder<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CodedError) throw error
    const cause = toError(error)
    throw brokerErrors.BROKER_FOLDER({ folder, reason: cause.message }, cause)
  }
}
