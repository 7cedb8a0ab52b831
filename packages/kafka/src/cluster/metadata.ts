import { metadataV9 } from '@platformatic/kafka'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { request } from '../network/codec.ts'
import type { Endpoint } from '../network/socket.ts'
import { ErrorCode } from '../protocol/broker-error.ts'

export interface PartitionMetadata {
  readonly index: number
  /** Node id; -1 while there is none. */
  readonly leader: number
  readonly replicas: readonly number[]
}

export interface TopicMetadata {
  readonly name: string
  /** LEADER_NOT_AVAILABLE also when only a partition has none; 0 when all is well. */
  readonly errorCode: number
  /** In ascending order, without gaps. */
  readonly partitions: readonly PartitionMetadata[]
}

export interface ClusterMetadata {
  readonly clusterId: string
  readonly controllerId: number
  readonly brokers: ReadonlyMap<number, Endpoint>
  readonly topics: readonly TopicMetadata[]
}

export interface MetadataQuery {
  /** Null: all topics. */
  readonly topics: readonly string[] | null
  /** Lets the broker create those that are missing, when it may (auto.create.topics.enable). */
  readonly createsMissing: boolean
}

/** Asks one broker what it knows of the cluster. */
export async function requestMetadata(connection: BrokerConnection, query: MetadataQuery): Promise<ClusterMetadata> {
  const names = query.topics === null ? null : [...query.topics]
  const response = await request(connection, metadataV9.api, names, query.createsMissing, false, false)
  return {
    clusterId: response.clusterId ?? '',
    controllerId: response.controllerId,
    brokers: new Map(response.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }])),
    topics: response.topics.map((topic) => ({
      name: topic.name ?? '',
      errorCode:
        topic.errorCode || (topic.partitions.some(hasNoLeader) ? ErrorCode.LEADER_NOT_AVAILABLE : ErrorCode.NONE),
      partitions: topic.partitions
        .map(({ partitionIndex, leaderId, replicaNodes }) => ({
          index: partitionIndex,
          leader: leaderId,
          replicas: replicaNodes,
        }))
        .toSorted((a, b) => a.index - b.index),
    })),
  }
}

/** Its error code does not tell: it may also speak of a replica that is away, which hinders nobody. */
function hasNoLeader(partition: { readonly leaderId: number }): boolean {
  return partition.leaderId < 0
}
