/** Properties that have a meaning elsewhere, and none in a connector of this kind. */
export interface ForeignProperties {
  readonly matches: RegExp
  /** The end of a sentence that begins with a property and ends without a full stop. */
  readonly reason: string
}

/** A pattern for whole names; a name that ends with `.*` is a prefix. */
function named(...names: readonly string[]): RegExp {
  const patterns = names.map((name) => name.replaceAll('.', '\\.').replace(/\\\.\*$/, '\\..+'))
  return new RegExp(`^(${patterns.join('|')})$`)
}

/** The first entry that fits counts. */
export const foreignProperties: readonly ForeignProperties[] = [
  {
    matches: /^([_#]|\/\/|comment\b|.*\b_?comment:?$)/i,
    reason: 'is taken for a comment and has no effect',
  },
  {
    matches: /^(producer|consumer|admin)\.(?!override\.)/,
    reason:
      'has no effect in a connector: it is a setting of a worker. A connector sets its producer with producer.override.…',
  },
  {
    matches: named(
      'offset.storage',
      'offset.storage.*',
      'offset.flush.interval.ms',
      'offset.flush.timeout.ms',
      'offset.commit.policy',
      'config.storage.*',
      'status.storage.*',
      'config.providers',
      'config.providers.*',
      'internal.key.converter',
      'internal.key.converter.*',
      'internal.value.converter',
      'internal.value.converter.*',
      'exactly.once.source.support',
      'plugin.path',
      'group.id',
      'bootstrap.servers',
      'connector.client.config.override.policy',
      'topic.creation.enable',
      'rest.*',
      'listeners',
    ),
    reason: 'has no effect in a connector: it is a setting of the worker',
  },
  {
    matches: named('errors.deadletterqueue.*'),
    reason: 'has no effect: Kafka Connect has dead letter queues for sink connectors only',
  },
  {
    matches: named(
      'topics',
      'topics.regex',
      'insert.mode',
      'pk.mode',
      'pk.fields',
      'primary.key.mode',
      'primary.key.fields',
      'auto.create',
      'auto.evolve',
      'auto.create.tables',
      'delete.enabled',
      'schema.evolution',
      'batch.size',
      'table.name.format',
      'fields.whitelist',
      'connection.url',
      'connection.user',
      'connection.username',
      'connection.password',
      'clickhouse.*',
      'replacingmergetree.*',
      'enable.snapshot.ddl',
      'persist.raw.bytes',
      'restart.event.loop',
      'restart.event.loop.*',
    ),
    reason: 'has no effect: it is a property of a sink connector',
  },
  {
    matches: named(
      'database.dbname',
      'database.name',
      'database.names',
      'database.instance',
      'database.pdb.name',
      'database.schema',
      'database.encrypt',
      'database.connection.adapter',
      'database.out.server.name',
      'plugin.name',
      'slot.*',
      'publication.*',
      'schema.include.list',
      'schema.exclude.list',
      'schema.whitelist',
      'schema.blacklist',
      'schema.refresh.mode',
      'hstore.handling.mode',
      'interval.handling.mode',
      'toasted.value.placeholder',
      'flush.lsn.source',
      'snapshot.isolation.mode',
      'data.query.mode',
      'log.mining.*',
      'lob.enabled',
      'rac.nodes',
      'mongodb.*',
      'collection.include.list',
      'collection.exclude.list',
      'capture.mode',
    ),
    reason:
      'has no effect: it is a property of the connectors for other databases. database.include.list and table.include.list choose what is captured',
  },
  {
    matches: named('debezium.*', 'quarkus.*'),
    reason: 'has no effect: it is a property of Debezium Server or of the embedded engine',
  },
  {
    matches:
      /^((database|driver)\.[a-z0-9]+[A-Z]\w*|database\.(connection\.url|connectionProperties|jdbc\.driver|protocol|url))$/,
    reason:
      'has no effect: it is a setting of the JDBC driver, which Tributary does not use. database.ssl.mode decides about encryption, database.initial.statements about the session',
  },
  {
    matches: named(
      'connect.keep.alive',
      'connection.validation.timeout.ms',
      'database.query.timeout.ms',
      'database.server.id.offset',
      'binlog.net.read.timeout',
      'binlog.net.write.timeout',
      'executor.shutdown.timeout.ms',
      'internal.implementation',
      'legacy.snapshot.max.threads',
      'max.queue.size.in.bytes',
      'min.row.count.to.stream.results',
      'poll.dispatch.interval.ms',
      'query.fetch.size',
      'queue.provider.type',
      'snapshot.max.threads.multiplier',
      'snapshot.max.threads.multiplier.*',
      'statistics.metrics.enabled',
      'topic.cache.size',
      'use.nongraceful.disconnect',
    ),
    reason: 'has no effect: it only tunes the implementation of Debezium',
  },
  {
    matches: named('gtid.new.channel.position'),
    reason: 'has no effect: Debezium has removed it',
  },
]

/** Why a property has no effect here; null: it is not known elsewhere either. */
export function foreignReason(property: string): string | null {
  return foreignProperties.find(({ matches }) => matches.test(property))?.reason ?? null
}
