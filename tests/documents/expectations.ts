/** What becomes of a published document, and why. Reviewed by hand: the reason is the reviewer's. */
export type Expectation =
  | {
      readonly tag: 'runs'
      readonly reason: string
      /** The properties with a warning. Those about tables that do not exist are not listed. */
      readonly warned: readonly string[]
      /** A captured table as `database.table`, and the topic of its changes. */
      readonly change: { readonly table: string; readonly topic: string }
    }
  /** Accepted, but no change arrives. */
  | {
      readonly tag: 'yields nothing'
      readonly reason: string
      readonly warned: readonly string[]
      /** The outcome of its task, with a part of the trace; null: the test has not what it needs. */
      readonly task: { readonly state: 'RUNNING' | 'FAILED'; readonly trace: string } | null
    }
  | {
      readonly tag: 'refused'
      readonly reason: string
      readonly properties: readonly string[]
      /** A part of the errors; for a refusal that the operator can lift, the remedy. */
      readonly remedy?: string
    }

const HISTORY = ['database.history.kafka.bootstrap.servers', 'database.history.kafka.topic']
const HISTORY_REQUIRED = ['schema.history.internal.kafka.topic', 'schema.history.internal.kafka.bootstrap.servers']
const MSK_LOGIN = {
  reason: 'The brokers of the schema history are Amazon MSK, with a login through IAM, for which AWS has a package.',
  properties: ['schema.history.internal.producer.security.protocol'],
  remedy: 'npm install --global aws-msk-iam-sasl-signer-js',
} as const
const UNWRAP = ['transforms.unwrap.drop.tombstones', 'transforms.unwrap.delete.handling.mode']

export const expectations: Readonly<Record<string, Expectation>> = {
  '001': {
    tag: 'refused',
    reason: 'It names no user and no topic for the schema history, under no name of any release; and both GTID lists.',
    properties: ['database.user', 'gtid.source.excludes', ...HISTORY_REQUIRED],
  },
  '003': {
    tag: 'runs',
    reason: 'Names of 1.x, and an account from a file.',
    warned: ['database.server.name', 'database.whitelist', ...HISTORY],
    change: { table: 'inventory.customers', topic: 'dbserver1.inventory.customers' },
  },
  '005': {
    tag: 'runs',
    reason: 'All databases, to one topic, with the statements.',
    warned: ['database.allowPublicKeyRetrieval', 'database.server.name', 'include.query', 'snapshot.mode', ...HISTORY],
    change: { table: 'shop.records', topic: 'debezium_binlog' },
  },
  '007': {
    tag: 'runs',
    reason: 'The expression demo.* matches demo.accounts; RegexRouter appends a suffix.',
    warned: ['database.allowPublicKeyRetrieval', 'database.server.name', 'table.whitelist', ...HISTORY],
    change: { table: 'demo.accounts', topic: 'gaming.demo.accounts-cdc' },
  },
  '009': {
    tag: 'runs',
    reason: 'ByLogicalTableRouter writes all tables to one topic.',
    warned: ['database.server.name', 'database.whitelist', ...HISTORY],
    change: { table: 'test.records', topic: 'data_check_test_all' },
  },
  '011': {
    tag: 'runs',
    reason: 'The JDBC address has no effect: host and port are set, too.',
    warned: [
      'database.server.name',
      'database.history.skip.unreachable.databases',
      'database.connection.url',
      ...HISTORY,
    ],
    change: { table: 'testdb.user', topic: 'mysql_testdb_server.testdb.user' },
  },
  '013': {
    tag: 'refused',
    reason: 'Debezium 1.x chose a number at random; 3.6 requires one.',
    properties: ['database.server.id'],
  },
  '015': {
    tag: 'runs',
    reason: 'The key is another column than the primary key.',
    warned: ['database.server.name', 'database.whitelist', ...HISTORY],
    change: { table: 'inventory.customers', topic: 'dbserver2.inventory.customers' },
  },
  '017': {
    tag: 'yields nothing',
    reason: 'The names in gtid.source.includes are UUIDs of no server: the filter removes all changes, as in Debezium.',
    warned: ['database.server.name', 'snapshot.mode', ...HISTORY],
    task: { state: 'RUNNING', trace: '' },
  },
  '019': {
    tag: 'runs',
    reason: 'Bare settings of the JDBC driver. Old options of the transformation.',
    warned: [
      'database.connectionTimeZone',
      'database.serverTimezone',
      'database.server.name',
      'database.history.skip.unparseable.ddl',
      'database.allowPublicKeyRetrieval',
      'database.useSSL',
      'database.useLegacyDatetimeCode',
      'database.connectionProperties',
      ...HISTORY,
      ...UNWRAP,
    ],
    change: { table: 'kafka_db.customers', topic: 'dbserver1.kafka_db.customers' },
  },
  '021': {
    tag: 'yields nothing',
    reason:
      'ExtractField takes the field id of keys. The keys of schema changes, which the document does not turn off, have none: the task fails, as in Kafka Connect.',
    warned: ['database.server.name', ...HISTORY, 'transforms.unwrap.drop.tombstones'],
    task: { state: 'FAILED', trace: 'Unknown field: id' },
  },
  '023': {
    tag: 'runs',
    reason: 'The condition compares the source, a structure, with a text: it is always true, as in Groovy.',
    warned: ['database.server.name', ...HISTORY],
    change: { table: 'revamp_db.revamp_users', topic: 'revamp.revamp_db.revamp_users' },
  },
  '025': {
    tag: 'refused',
    reason: 'It has no password, and the server refuses the login.',
    properties: ['database.hostname'],
  },
  '027': {
    tag: 'runs',
    reason: 'The misspelt filter has no effect: all tables of the database are captured.',
    warned: ['database.server.name', 'table.inclue.list', ...HISTORY],
    change: { table: 'test.employee', topic: 'localhost.test.employee' },
  },
  '029': {
    tag: 'runs',
    reason: 'Avro values, keys as texts.',
    warned: ['database.server.name', 'table.whitelist', ...HISTORY],
    change: { table: 'demo.customers', topic: 'asgard.demo.customers' },
  },
  '031': {
    tag: 'runs',
    reason: 'UnwrapFromEnvelope, the name before 1.0, and fields with topic and a constant.',
    warned: ['database.server.name', 'table.whitelist', ...HISTORY],
    change: { table: 'demo.accounts', topic: 'asgard.demo.accounts' },
  },
  '033': {
    tag: 'refused',
    reason: 'No server id, and doubled dollar signs, which Docker Compose would have halved.',
    properties: ['transforms.addTopicPrefix.type', 'database.server.id'],
  },
  '035': {
    tag: 'refused',
    reason: 'The interface of Apicurio Registry 1.',
    properties: ['key.converter', 'value.converter'],
  },
  '037': {
    tag: 'runs',
    reason: 'The brokers of the schema history require a login.',
    warned: [
      'database.server.name',
      'database.history.consumer.security.protocol',
      'database.history.consumer.sasl.mechanism',
      'database.history.consumer.sasl.jaas.config',
      'database.history.producer.security.protocol',
      'database.history.producer.sasl.mechanism',
      'database.history.producer.sasl.jaas.config',
      ...HISTORY,
    ],
    change: { table: 'mydb.records', topic: 'mysqldbserver1_mydbrecords' },
  },
  '039': {
    tag: 'runs',
    reason: 'Avro, and an account from a file.',
    warned: ['database.server.name', 'database.whitelist', ...HISTORY],
    change: { table: 'inventory.customers', topic: 'cloudbed.inventory.customers' },
  },
  '041': {
    tag: 'runs',
    reason: 'A misspelt old name beside the filter itself.',
    warned: ['database.server.name', 'table.whitelis', ...HISTORY],
    change: { table: 'test.tasks', topic: 'mysql.test.tasks' },
  },
  '043': {
    tag: 'runs',
    reason: 'A topic per database; the JDBC address has no effect.',
    warned: [
      'database.server.name',
      'database.history.producer.bootstrap.servers',
      'database.history.consumer.bootstrap.servers',
      'database.connection.url',
      ...HISTORY,
    ],
    change: { table: 'congtiendb.records', topic: 'congtien' },
  },
  '045': {
    tag: 'runs',
    reason: 'The TLS mode of the MySQL connector, in capitals, at the MariaDB connector.',
    warned: ['database.allowPublicKeyRetrieval', 'database.ssl.mode'],
    change: { table: 'connect_test_db.records', topic: 'mariadb_server.connect_test_db.records' },
  },
  '047': {
    tag: 'refused',
    reason: 'A transformation of a third party.',
    properties: ['transforms.PartitionRouting.type'],
  },
  '049': {
    tag: 'runs',
    reason: 'topic.prefix and database.server.name disagree: the former counts.',
    warned: ['database.server.name', 'binlog.buffer.size', ...HISTORY],
    change: { table: 'appdb.records', topic: 'cdc.appdb.appdb.records' },
  },
  '051': {
    tag: 'runs',
    reason: 'An old option of the transformation.',
    warned: ['transforms.unwrap.drop.tombstones'],
    change: { table: 'dev.test', topic: 'debezium.dev.test' },
  },
  '053': {
    tag: 'runs',
    reason: 'Metadata of transactions, beside the transformation.',
    warned: [
      'binlog.buffer.size',
      'database.allowPublicKeyRetrieval',
      'producer.override.acks',
      'source.timestamp.mode',
      ...UNWRAP,
    ],
    change: { table: 'erpdb.tabCustomer', topic: 'erpnext.erpdb.tabCustomer' },
  },
  '055': { tag: 'refused', reason: 'The reference names a file, and no key in it.', properties: ['database.password'] },
  '057': {
    tag: 'runs',
    reason: 'The TLS mode of the MySQL connector at the MariaDB connector.',
    warned: ['database.ssl.mode'],
    change: {
      table: 'puesto_hamburguesas.ingredientes',
      topic: 'puesto_hamburguesas.puesto_hamburguesas.ingredientes',
    },
  },
  '059': {
    tag: 'refused',
    reason: 'topic.creation.default.partitions is missing, which Kafka Connect requires, too.',
    properties: ['topic.creation.default.partitions'],
  },
  '061': {
    tag: 'runs',
    reason: 'Nothing unusual.',
    warned: [],
    change: { table: 'testdb.records', topic: 'cdc.mariadb.testdb.records' },
  },
  '063': {
    tag: 'runs',
    reason: 'A mask, and a topic per table name.',
    warned: ['database.connectionTimeZone'],
    change: { table: 'cdc_test.customers', topic: 'customers' },
  },
  '065': {
    tag: 'runs',
    reason: 'Masks and hashes, and a signal table.',
    warned: [],
    change: { table: 'inventory.customers', topic: 'dbserver1.inventory.customers' },
  },
  '067': {
    tag: 'runs',
    reason: 'A converter under the package name of Debezium before 2.5.',
    warned: ['snapshot.mode'],
    change: { table: 'trading.orders', topic: 'xchange_trading.trading.orders' },
  },
  '069': {
    tag: 'refused',
    reason: 'A document of the embedded engine: offsets and schema history in ClickHouse.',
    properties: ['offset.storage', 'schema.history.internal', ...HISTORY_REQUIRED],
  },
  '071': {
    tag: 'refused',
    reason: 'A document of the embedded engine: offsets and schema history in ClickHouse.',
    properties: ['database.server.id', 'offset.storage', 'schema.history.internal', ...HISTORY_REQUIRED],
  },
  '073': {
    tag: 'runs',
    reason: 'Both names of the prefix, with the same value.',
    warned: [
      'transforms.unwrap.add.fields',
      'database.server.name',
      'heartbeat.topics.prefix',
      'binlog.buffer.size',
      ...UNWRAP,
    ],
    change: { table: 'revamp_db.revamp_users', topic: 'revamp.revamp_db.revamp_users' },
  },
  '075': {
    tag: 'runs',
    reason: 'Old and new names side by side, and a signal topic.',
    warned: ['database.allowPublicKeyRetrieval', 'table.whitelist', ...HISTORY],
    change: { table: 'inventory.customers', topic: 'customers' },
  },
  '077': {
    tag: 'refused',
    reason: 'References to a config provider for AWS, which the worker does not have.',
    properties: ['database.hostname', 'database.password', 'database.port', 'database.user'],
  },
  '079': { tag: 'refused', ...MSK_LOGIN },
  '081': {
    tag: 'refused',
    reason: 'The interface of Apicurio Registry 2.',
    properties: ['key.converter', 'value.converter'],
  },
  '083': {
    tag: 'refused',
    reason: 'A document of Debezium Server: offsets and schema history in Redis.',
    properties: ['offset.storage', 'schema.history.internal', ...HISTORY_REQUIRED],
  },
  '085': {
    tag: 'runs',
    reason: 'Old options of the transformation.',
    warned: ['connect.keep.alive', 'connect.max.retries', 'connect.retry.delay.ms', ...UNWRAP],
    change: { table: 'socialmedia.users', topic: 'dbserver1.socialmedia.users' },
  },
  '087': {
    tag: 'refused',
    reason: 'The interface of Apicurio Registry 2.',
    properties: ['key.converter', 'value.converter'],
  },
  '089': {
    tag: 'runs',
    reason: 'Old and new names side by side, and settings of the worker.',
    warned: [
      'database.connectionTimeZone',
      'internal.key.converter',
      'internal.key.converter.schemas.enable',
      'internal.value.converter',
      'internal.value.converter.schemas.enable',
      ...HISTORY,
    ],
    change: { table: 'test.user', topic: 'debezium_cdc_topic.test.user' },
  },
  '091': {
    tag: 'refused',
    reason: 'A template of Debezium Server that nobody filled in.',
    properties: [
      'database.server.id',
      'offset.storage',
      'schema.history.internal',
      'topic.prefix',
      ...HISTORY_REQUIRED,
    ],
  },
  '093': {
    tag: 'runs',
    reason: 'A property that no release has.',
    warned: ['binlog.buffer.size', 'snapshot.query.timeout.ms'],
    change: { table: 'analytics.user_events', topic: 'aurora-mysql-analytics.analytics.user_events' },
  },
  '095': {
    tag: 'runs',
    reason: 'snapshot.mode=never.',
    warned: ['database.history.skip.unparseable.ddl'],
    change: { table: 'inventory.customers', topic: 'aurora-mysql.inventory.customers' },
  },
  '097': {
    tag: 'runs',
    reason: 'The old name of the prefix of heartbeat topics.',
    warned: ['heartbeat.topics.prefix'],
    change: { table: 'inventory.customers', topic: 'aurora-mysql.inventory.customers' },
  },
  '099': {
    tag: 'runs',
    reason: 'A filter of GTIDs that lets all of them pass, and a signal topic.',
    warned: [],
    change: { table: 'inventory.customers', topic: 'aurora-mysql.inventory.customers' },
  },
  '101': {
    tag: 'runs',
    reason: 'Topics with three partitions; a misspelt filter.',
    warned: ['drop.tombstones', 'snapshot.mode', 'table.incluse.list', ...UNWRAP],
    change: { table: 'product.users', topic: 'prd.product.users' },
  },
  '103': {
    tag: 'runs',
    reason: 'A name with a zero-width space.',
    warned: ['heartbeat.interval\u200b.ms'],
    change: { table: 'inventory.customers', topic: 'dbserver1.inventory.customers' },
  },
  '105': {
    tag: 'refused',
    reason: 'Variables of a shell, which nothing replaced.',
    properties: ['database.include.list', 'schema.history.internal.kafka.topic', 'topic.prefix'],
  },
  '107': {
    tag: 'runs',
    reason: 'Signals, and old options of the transformation.',
    warned: ['transforms.unwrap.add.fields', ...UNWRAP],
    change: { table: 'inventory.customers', topic: 'dbserver1.inventory.customers' },
  },
  '109': {
    tag: 'runs',
    reason: 'References to the environment, and a setting of the worker.',
    warned: ['database.server.name', 'exactly.once.source.support', ...UNWRAP],
    change: { table: 'cdc-sdb.customers', topic: 'mysqlserver1.cdc-sdb.customers' },
  },
  '111': {
    tag: 'runs',
    reason: 'Comments, a property for SQL Server, both names of everything.',
    warned: [
      '_comment',
      '_comment:',
      '_transforms',
      '_transforms.unwrap.type',
      'database.names',
      'database.server.name',
      ...HISTORY,
    ],
    change: { table: 'mydb.records', topic: 'server1_mydb_records' },
  },
  '113': {
    tag: 'runs',
    reason: 'topic.prefix and database.server.name disagree: the former counts.',
    warned: ['transforms.unwrap.add.fields', 'database.history.kafka.recovery.attempt', 'database.server.name'],
    change: { table: 'employees.departments', topic: 'test.employees.departments' },
  },
  '115': { tag: 'refused', ...MSK_LOGIN },
  '117': {
    tag: 'runs',
    reason: 'topic.prefix counts, so the pattern of the router, which has the old prefix, matches no topic.',
    warned: ['database.server.name', ...HISTORY],
    change: { table: 'main_service_db.notification_outbox', topic: 'dbz.outbox.main_service_db.notification_outbox' },
  },
  '119': {
    tag: 'yields nothing',
    reason: 'The filter lacks the name of the database, so it matches no table.',
    warned: [
      'table.whitelist',
      'database.name',
      'offset.flush.interval.ms',
      'debezium.source.name',
      'debezium.embedded.engine.history.store.type',
    ],
    task: { state: 'RUNNING', trace: '' },
  },
}
