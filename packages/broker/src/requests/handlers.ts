import type { ApiName } from '../protocol/message-types.ts'
import type { Handler } from './call.ts'
import { offsetCommit, offsetDelete, offsetFetch, txnOffsetCommit } from './committed-offsets.ts'
import { alterConfigs, describeConfigs, incrementalAlterConfigs } from './configs.ts'
import { fetch } from './fetch.ts'
import * as groups from './groups.ts'
import { describeCluster, metadata } from './metadata.ts'
import { deleteRecords, listOffsets, offsetForLeaderEpoch } from './offsets-of-logs.ts'
import { produce } from './produce.ts'
import * as rest from './rest.ts'
import { createPartitions, createTopics, deleteTopics } from './topics.ts'
import * as transactions from './transactions.ts'

/** The handler of each request. */
export const handlers: { readonly [Name in ApiName]: Handler<Name> } = {
  Produce: produce,
  Fetch: fetch,
  ListOffsets: listOffsets,
  Metadata: metadata,
  OffsetCommit: offsetCommit,
  OffsetFetch: offsetFetch,
  FindCoordinator: rest.findCoordinator,
  JoinGroup: groups.joinGroup,
  Heartbeat: groups.heartbeat,
  LeaveGroup: groups.leaveGroup,
  SyncGroup: groups.syncGroup,
  DescribeGroups: groups.describeGroups,
  ListGroups: groups.listGroups,
  SaslHandshake: rest.saslHandshake,
  SaslAuthenticate: rest.saslAuthenticate,
  ApiVersions: rest.apiVersions,
  CreateTopics: createTopics,
  DeleteTopics: deleteTopics,
  DeleteRecords: deleteRecords,
  InitProducerId: transactions.initProducerId,
  OffsetForLeaderEpoch: offsetForLeaderEpoch,
  AddPartitionsToTxn: transactions.addPartitionsToTxn,
  AddOffsetsToTxn: transactions.addOffsetsToTxn,
  EndTxn: transactions.endTxn,
  WriteTxnMarkers: transactions.writeTxnMarkers,
  TxnOffsetCommit: txnOffsetCommit,
  DescribeAcls: rest.describeAcls,
  CreateAcls: rest.createAcls,
  DeleteAcls: rest.deleteAcls,
  DescribeConfigs: describeConfigs,
  AlterConfigs: alterConfigs,
  DescribeLogDirs: rest.describeLogDirs,
  CreatePartitions: createPartitions,
  DeleteGroups: groups.deleteGroups,
  IncrementalAlterConfigs: incrementalAlterConfigs,
  OffsetDelete: offsetDelete,
  DescribeCluster: describeCluster,
  DescribeProducers: transactions.describeProducers,
  DescribeTransactions: transactions.describeTransactions,
  ListTransactions: transactions.listTransactions,
}
