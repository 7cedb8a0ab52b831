import { ANY, type DeliberateDifference } from '../../conformance/difference-rules.ts'

/** A document that Tributary runs and that this test does not run on Kafka Connect. */
export interface NotOnConnect {
  readonly reason: string
  /** Whether Kafka Connect refuses it. */
  readonly isRefused: boolean
}

export const notOnConnect: Readonly<Record<string, NotOnConnect>> = {
  '023': { reason: "the plug-ins of Debezium's connectors contain no scripting language", isRefused: true },
  '095': { reason: 'Debezium 3.6 has no snapshot.mode=never', isRefused: true },
}

/** Where Tributary differs on purpose, by the numbers of the documents. */
export const documentDifferences: readonly DeliberateDifference[] = [
  {
    defect: 63,
    reason: 'one row of a snapshot is marked as the first, even when the first table is empty',
    recordings: /^111$/,
    rules: [
      {
        kind: 'payload',
        topic: ANY,
        path: /^value\.source\.snapshot$/,
        texts: ['"first_in_data_collection"', '"first"'],
      },
    ],
  },
  {
    reason:
      'a snapshot fixes its position; Debezium reads statements from the start of the binlog, for the filter removes all GTIDs',
    recordings: /^017$/,
    rules: [{ kind: 'payload', topic: /order_db$/, path: /^count$/, texts: [/^30: /, /^21: /] }],
  },
  {
    reason:
      'drop.tombstones=false keeps the tombstone as it is; Debezium 3.6 has no option for that, and writes a null with the schema of the row',
    recordings: /^(019|051)$/,
    rules: [{ kind: 'schema', topic: ANY, path: /^value(\.\w+)*$/, texts: [ANY, '(absent)'] }],
  },
  {
    reason: 'a comment is part of a schema under include.schema.comments only; the connector for MariaDB ignores that',
    recordings: /^(045|057|061|111)$/,
    rules: [
      { kind: 'payload', topic: ANY, path: /\.columns\[street\]\.comment$/, texts: ['"of the address"', 'null'] },
      { kind: 'schema', topic: ANY, path: /^value\.(before|after)\.street$/, texts: [/^doc=/, /^optional=/] },
    ],
  },
  {
    reason:
      'the history has the databases under store.only.captured.tables.ddl, too: later tables have their default charset',
    recordings: /^097$/,
    rules: [{ kind: 'payload', topic: /^schema-history/, path: /^count$/, texts: [/^8: /, /^11: /] }],
  },
  {
    reason: 'the whole structure is stored before its first record can fail; Kafka Connect stops in the middle',
    recordings: /^021$/,
    dependsOnTiming: true,
    rules: [{ kind: 'payload', topic: /^schema-changes/, path: /^count$/, texts: [/^[1-7]: /, /^8: /] }],
  },
]
