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
}

/** Offsets of some partitions, from their leaders. Waits while leaders are away. */
export function listOffsets(
  cluster: Cluster,
  query: OffsetsQuery,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, bigint>> {
  const ask = async (): Promise<ReadonlyMap<number, bigint>> => {
    const { topics } = await cluster.metadata({ topics: [query.topic], createsMissing: false })
    const byLeader = groupByLeader(query, topics[0]?.partitions ?? [])
    const answers = await Promise.all(
      Array.from(byLeader, ([leader, partitions]) => askLeader(cluster, leader, { ...query, partitions })),
    )
    return new Map(answers.flat())
  }
  return cluster.waitingOut(`offsets of topic ${query.topic}`, ask, signal)
}

function groupByLeader(
  query: OffsetsQuery,
  known: readonly PartitionMetadata[],
): ReadonlyMap<number, readonly number[]> {
  const byLeader = new Map<number, number[]>()
  for (const partition of query.partitions) {
    const leader = known[partition]?.leader ?? -1
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
