import type { OffsetStore } from '../groups/offset-store.ts'
import type { BrokerStorage } from '../storage/broker-storage.ts'
import type { JournalEntry } from '../storage/journal-entry.ts'
import type { TopicRegistry } from '../topics/topic-registry.ts'
import type { TransactionCoordinator } from '../transactions/transaction-coordinator.ts'

export interface RecoveryTarget {
  readonly topics: TopicRegistry
  readonly offsets: OffsetStore
  readonly transactions: TransactionCoordinator
  readonly storage: BrokerStorage
  readonly nowMs: number
}

type TopicEntry = Extract<JournalEntry, { readonly tag: 'topic' }>
type StartEntry = Extract<JournalEntry, { readonly tag: 'log start' }>
type CompactedEntry = Extract<JournalEntry, { readonly tag: 'compacted' }>

/**
 * Builds the state of earlier runs from the journal, and opens the logs of the topics that exist. Members of groups are
 * not stored: they join again, as after a move of the coordinator.
 */
export function recover(target: RecoveryTarget): { readonly clusterId: string | null } {
  const { topics, offsets, transactions, storage, nowMs } = target
  let clusterId: string | null = null
  const alive = new Map<string, TopicEntry>()
  const starts: StartEntry[] = []
  const compactions: CompactedEntry[] = []
  for (const entry of storage.recoverJournal()) {
    switch (entry.tag) {
      case 'cluster':
        clusterId = entry.clusterId
        break
      case 'topic':
        alive.set(entry.id, entry)
        break
      case 'topic deleted':
        alive.delete(entry.id)
        // The files may have survived the process that deleted them.
        storage.deleteTopic(entry.id)
        break
      case 'log start':
        starts.push(entry)
        break
      case 'compacted':
        compactions.push(entry)
        break
      case 'producer ids':
        transactions.restoreProducerIds(BigInt(entry.next))
        break
      case 'offsets':
        offsets.restore(entry.group, entry.offsets)
        break
      case 'offset deleted':
        offsets.restoreDeletion(entry.group, entry.topic, entry.partition)
        break
      case 'group deleted':
        offsets.forgetGroup(entry.group)
        break
      case 'transaction':
        transactions.restore(entry.transaction, nowMs)
        break
      case 'transactional id forgotten':
        transactions.restoreForgotten(entry.transactionalId)
        break
    }
  }
  for (const entry of alive.values()) topics.restore(entry, entry.partitions, nowMs)
  for (const { id, partition, offset } of starts) topics.byId(id)?.partitions[partition]?.deleteBefore(offset)
  for (const { id, partition, upTo, atMs } of compactions) {
    topics.byId(id)?.partitions[partition]?.compactions.add({ upTo, atMs })
  }
  return { clusterId }
}
