import { metadataV9 } from '@platformatic/kafka'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { request } from '../network/codec.ts'
import type { Endpoint } from '../network/socket.ts'
import { ErrorCode } from '../protocol/broker-error.ts'

export interface PartitionMetadata {
  readonly index: number
  /** Node id; -1 while the partition has no leader. */
  readonly leader: number
  readonly replicas: readonly number[]
}

export interface TopicMetadata {
  readonly name: string
  /** 0, or an error; LEADER_NOT_AVAILABLE also when a single partition has no leader. */
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
  /** Lets the brokers create missing topics if they may (auto.create.topics.enable). */
  readonly createsMissing: boolean
}

/** Requests the metadata of the cluster from one broker. */
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

/** Does not use the error code of the partition: it is also set when a replica is down, which does not matter here. */
function hasNoLeader(partition: { readonly leaderId: number }): boolean {
  return partition.leaderId < 0
}
