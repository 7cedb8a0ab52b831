import { listOffsetsV6 } from '@platformatic/kafka'
import { kafkaErrors } from '../api/errors.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { PartitionMetadata } from '../cluster/metadata.ts'
import { checkResponse } from '../cluster/response-check.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'

/** Special timestamps of ListOffsets. */
export const EARLIEST: bigint = -2n
export const LATEST: bigint = -1n

export interface OffsetsQuery {
  readonly topic: string
  readonly partitions: readonly number[]
  /** EARLIEST or LATEST. */
  readonly timestamp: bigint
  /** LATEST is then the last stable offset instead of the high watermark. */
  readonly isCommittedOnly: boolean
  /** The known leaders (node ids). Without them, and after a failure, the leaders are looked up. */
  readonly leaders?: ReadonlyMap<number, number> | null
}

/** Offsets of some partitions, from their leaders, with retries while brokers are unreachable. */
export function listOffsets(
  cluster: Cluster,
  query: OffsetsQuery,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, bigint>> {
  let known = query.leaders ?? null
  const list = async (): Promise<ReadonlyMap<number, bigint>> => {
    const leaders = known ?? (await lookUpLeaders(cluster, query.topic))
    known = null
    const byLeader = groupByLeader(query, leaders)
    const responses = await Promise.all(
      Array.from(byLeader, ([leader, partitions]) => listFromLeader(cluster, leader, { ...query, partitions })),
    )
    return new Map(responses.flat())
  }
  return cluster.retrying(`listing offsets of topic ${query.topic}`, list, signal)
}

async function lookUpLeaders(cluster: Cluster, topic: string): Promise<ReadonlyMap<number, number>> {
  const { topics } = await cluster.metadata({ topics: [topic], createsMissing: false })
  return leadersOf(topics[0]?.partitions ?? [])
}

/** The leader (node id) of each partition that has one. */
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

async function listFromLeader(
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
