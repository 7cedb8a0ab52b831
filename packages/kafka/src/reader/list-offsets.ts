import { listOffsetsV6 } from '@platformatic/kafka'
import { kafkaErrors } from '../api/errors.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { PartitionMetadata } from '../cluster/metadata.ts'
import { checkResponse } from '../cluster/response-check.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'

/** What ListOffsets takes instead of a time. */
export const EARLIEST: bigint = -2n
export const LATEST: bigint = -1n

export interface OffsetsQuery {
  readonly topic: string
  readonly partitions: readonly number[]
  /** EARLIEST or LATEST. */
  readonly timestamp: bigint
  /** LATEST is then the end of what is decided, not of what is written. */
  readonly isCommittedOnly: boolean
  /** Node that leads each partition, as far as it is known: else, and after a failure, the cluster is asked. */
  readonly leaders?: ReadonlyMap<number, number> | null
}

/** Offsets of some partitions, from their leaders. Waits while leaders are away. */
export function listOffsets(
  cluster: Cluster,
  query: OffsetsQuery,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, bigint>> {
  let known = query.leaders ?? null
  const ask = async (): Promise<ReadonlyMap<number, bigint>> => {
    const leaders = known ?? (await askForLeaders(cluster, query.topic))
    known = null
    const byLeader = groupByLeader(query, leaders)
    const answers = await Promise.all(
      Array.from(byLeader, ([leader, partitions]) => askLeader(cluster, leader, { ...query, partitions })),
    )
    return new Map(answers.flat())
  }
  return cluster.waitingOut(`offsets of topic ${query.topic}`, ask, signal)
}

async function askForLeaders(cluster: Cluster, topic: string): Promise<ReadonlyMap<number, number>> {
  const { topics } = await cluster.metadata({ topics: [topic], createsMissing: false })
  return leadersOf(topics[0]?.partitions ?? [])
}

/** Node that leads each partition; those that have none are left out. */
export function leadersOf(partitions: readonly PartitionMetadata[]): ReadonlyMap<number, number> {
  return new Map(partitions.flatMap(({ index, leader }) => (leader >= 0 ? [[index, leader] as const] : [])))
}

function groupByLeader(
  query: OffsetsQuery,
  leaders: ReadonlyMap<number, number>,
): ReadonlyMap<number, readonly number[]> {
  const byLeader = new Map<number, number[]>()
  for (const partition of query.partitions) {
    const leader = leaders.get(partition) ?? -1
    if (leader < 0) {
      throw kafkaErrors.TOPIC_NOT_READY({ topic: query.topic, error: errorName(ErrorCode.LEADER_NOT_AVAILABLE) })
    }
    const partitions = byLeader.get(leader) ?? []
    byLeader.set(leader, partitions)
    partitions.push(partition)
  }
  return byLeader
}

async function askLeader(
  cluster: Cluster,
  leader: number,
  query: OffsetsQuery,
): Promise<readonly (readonly [number, bigint])[]> {
  const { topic, timestamp, isCommittedOnly } = query
  const partitions = query.partitions.map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: -1, timestamp }))
  const isolation = isCommittedOnly ? 1 : 0
  const response = await cluster.request(leader, listOffsetsV6.api, -1, isolation, [{ name: topic, partitions }])
  return response.topics.flatMap((each) =>
    each.partitions.map(({ partitionIndex, errorCode, offset }) => {
      checkResponse({ request: 'ListOffsets', subject: `${topic}-${partitionIndex}`, errorCode })
      return [partitionIndex, offset] as const
    }),
  )
}
