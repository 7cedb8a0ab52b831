import {
  binlogFilters,
  binlogFormat,
  binlogOn,
  compression,
  partialJson,
  rowImage,
  rowMetadata,
} from './binlog-checks.ts'
import type { Check } from './check.ts'
import { replicationClient, replicationSlave, select, showDatabases, snapshotLock } from './privilege-checks.ts'
import { encryption, gtids, queries, replicaSource, retention, serverIds, timeZone } from './server-checks.ts'
import { spool } from './spool-checks.ts'
import { includes, keys, columns } from './table-checks.ts'

/** Every check, in the order in which findings are reported. */
export const allChecks: readonly Check[] = [
  encryption,
  binlogOn,
  binlogFormat,
  rowImage,
  rowMetadata,
  partialJson,
  compression,
  binlogFilters,
  replicationSlave,
  replicationClient,
  showDatabases,
  select,
  snapshotLock,
  serverIds,
  replicaSource,
  gtids,
  retention,
  timeZone,
  queries,
  spool,
  includes,
  keys,
  columns,
]
