import type { ConnectValue, Header, Schema, SourceRecord } from '@tributary/connect-api'

// Records are created field by field: all have one hidden class, and a spread costs ten times as much.

export function withTopic(record: SourceRecord, topic: string): SourceRecord {
  return {
    sourcePartition: record.sourcePartition,
    sourceOffset: record.sourceOffset,
    topic,
    partition: record.partition,
    keySchema: record.keySchema,
    key: record.key,
    valueSchema: record.valueSchema,
    value: record.value,
    timestamp: record.timestamp,
    headers: record.headers,
  }
}

export function withKey(record: SourceRecord, keySchema: Schema | null, key: ConnectValue): SourceRecord {
  return {
    sourcePartition: record.sourcePartition,
    sourceOffset: record.sourceOffset,
    topic: record.topic,
    partition: record.partition,
    keySchema,
    key,
    valueSchema: record.valueSchema,
    value: record.value,
    timestamp: record.timestamp,
    headers: record.headers,
  }
}

export function withValue(record: SourceRecord, valueSchema: Schema | null, value: ConnectValue): SourceRecord {
  return {
    sourcePartition: record.sourcePartition,
    sourceOffset: record.sourceOffset,
    topic: record.topic,
    partition: record.partition,
    keySchema: record.keySchema,
    key: record.key,
    valueSchema,
    value,
    timestamp: record.timestamp,
    headers: record.headers,
  }
}

export function withHeaders(record: SourceRecord, headers: readonly Header[]): SourceRecord {
  return {
    sourcePartition: record.sourcePartition,
    sourceOffset: record.sourceOffset,
    topic: record.topic,
    partition: record.partition,
    keySchema: record.keySchema,
    key: record.key,
    valueSchema: record.valueSchema,
    value: record.value,
    timestamp: record.timestamp,
    headers,
  }
}

export function withPartition(record: SourceRecord, partition: number | null): SourceRecord {
  return {
    sourcePartition: record.sourcePartition,
    sourceOffset: record.sourceOffset,
    topic: record.topic,
    partition,
    keySchema: record.keySchema,
    key: record.key,
    valueSchema: record.valueSchema,
    value: record.value,
    timestamp: record.timestamp,
    headers: record.headers,
  }
}
