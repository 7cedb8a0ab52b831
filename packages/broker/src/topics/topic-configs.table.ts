/**
 * The settings of topics: name, type, default, and the name of the setting of the broker that the default comes from
 * (`-`: none), as DescribeConfigs of Apache Kafka 4.3.1 returns them. An empty default is the empty text.
 */
export const topicSettings: string = `\
cleanup.policy LIST delete log.cleanup.policy
compression.gzip.level INT -1 compression.gzip.level
compression.lz4.level INT 9 compression.lz4.level
compression.type STRING producer compression.type
compression.zstd.level INT 3 compression.zstd.level
delete.retention.ms LONG 86400000 log.cleaner.delete.retention.ms
file.delete.delay.ms LONG 60000 log.segment.delete.delay.ms
flush.messages LONG 9223372036854775807 log.flush.interval.messages
flush.ms LONG 9223372036854775807 -
follower.replication.throttled.replicas LIST  -
index.interval.bytes INT 4096 log.index.interval.bytes
leader.replication.throttled.replicas LIST  -
local.retention.bytes LONG -2 log.local.retention.bytes
local.retention.ms LONG -2 log.local.retention.ms
max.compaction.lag.ms LONG 9223372036854775807 log.cleaner.max.compaction.lag.ms
max.message.bytes INT 1048588 message.max.bytes
message.timestamp.after.max.ms LONG 3600000 log.message.timestamp.after.max.ms
message.timestamp.before.max.ms LONG 9223372036854775807 log.message.timestamp.before.max.ms
message.timestamp.type STRING CreateTime log.message.timestamp.type
min.cleanable.dirty.ratio DOUBLE 0.5 log.cleaner.min.cleanable.ratio
min.compaction.lag.ms LONG 0 log.cleaner.min.compaction.lag.ms
min.insync.replicas INT 1 min.insync.replicas
preallocate BOOLEAN false log.preallocate
remote.log.copy.disable BOOLEAN false -
remote.log.delete.on.disable BOOLEAN false -
remote.storage.enable BOOLEAN false -
retention.bytes LONG -1 log.retention.bytes
retention.ms LONG 604800000 log.retention.ms
segment.bytes INT 1073741824 log.segment.bytes
segment.index.bytes INT 10485760 log.index.size.max.bytes
segment.jitter.ms LONG 0 -
segment.ms LONG 604800000 -
unclean.leader.election.enable BOOLEAN false unclean.leader.election.enable`
