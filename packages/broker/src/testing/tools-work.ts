import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runKafkaTool, temporaryFolder } from '@tributary/testkit'
import type { ClientWork } from './client-work.ts'

/** Names of the tools' classes in a version, and options that have changed. */
export interface ToolNames {
  readonly version?: string
  readonly topics: string
  readonly configs: string
  readonly producer: string
  readonly consumer: string
  readonly groups: string
  readonly offsets: string
  readonly deleteRecords: string
  readonly logDirs: string
  readonly versions: string
  readonly producerProperty: string
  readonly consumerProperty: string
}

export const CURRENT_TOOLS: ToolNames = {
  topics: 'org.apache.kafka.tools.TopicCommand',
  configs: 'kafka.admin.ConfigCommand',
  producer: 'org.apache.kafka.tools.ConsoleProducer',
  consumer: 'org.apache.kafka.tools.consumer.ConsoleConsumer',
  groups: 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
  offsets: 'org.apache.kafka.tools.GetOffsetShell',
  deleteRecords: 'org.apache.kafka.tools.DeleteRecordsCommand',
  logDirs: 'org.apache.kafka.tools.LogDirsCommand',
  versions: 'org.apache.kafka.tools.BrokerApiVersionsCommand',
  producerProperty: '--reader-property',
  consumerProperty: '--formatter-property',
}

export const OLD_TOOLS: ToolNames = {
  version: '2.8.2',
  topics: 'kafka.admin.TopicCommand',
  configs: 'kafka.admin.ConfigCommand',
  producer: 'kafka.tools.ConsoleProducer',
  consumer: 'kafka.tools.ConsoleConsumer',
  groups: 'kafka.admin.ConsumerGroupCommand',
  offsets: 'kafka.tools.GetOffsetShell',
  deleteRecords: 'kafka.admin.DeleteRecordsCommand',
  logDirs: 'kafka.admin.LogDirsCommand',
  versions: 'kafka.admin.BrokerApiVersionsCommand',
  producerProperty: '--property',
  consumerProperty: '--property',
}

interface Run {
  readonly tool: string
  readonly args: readonly string[]
  readonly input?: string
  /** The output has ids, sizes or addresses of a broker: only its exit code is compared. */
  readonly isOwn?: true
}

/** Works with a broker through Kafka's command line tools, and returns their exit codes and outputs. */
export function toolsWork(names: ToolNames): ClientWork {
  return async (server, prefix) => {
    await using folder = temporaryFolder('tools')
    const lines: string[] = []
    const { version } = names
    for (const { tool, args, input, isOwn } of runs(names, prefix, folder.path)) {
      // The oldest way to name the broker in a tool of 2.8.
      const address = tool === names.offsets && version !== undefined ? '--broker-list' : '--bootstrap-server'
      const options = { ...(version === undefined ? {} : { version }), ...(input === undefined ? {} : { input }) }
      const { code, stdout, stderr } = await runKafkaTool(tool, [address, server, ...args], options)
      const text = `${tool.split('.').at(-1)} ${args.join(' ')}`.replaceAll(folder.path, '').replaceAll(prefix, '')
      assert.doesNotMatch(stderr, /UnsupportedVersion|Unsupported version/, text)
      lines.push(`${text}: ${code}`)
      if (isOwn === undefined) lines.push(...comparable(stdout, prefix))
    }
    return lines
  }
}

/**
 * The lines in a fixed order, without names that differ, without what the testkit sets for its Kafka, and without eligible
 * leader replicas, which one node does not have.
 */
function comparable(stdout: string, prefix: string): readonly string[] {
  return stdout
    .replaceAll(prefix, '')
    .replaceAll(/TopicId: \S+/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'a UUID')
    .replaceAll(/localhost|127\.0\.0\.1(:\d+)?/g, 'here')
    .replaceAll(/Elr:.*$/gm, '')
    .replaceAll(/synonyms=\{.*\}/g, '')
    .replaceAll(/(min\.insync\.replicas|segment\.index\.bytes)=\d+,?/g, '')
    .replaceAll(/,$/gm, '')
    .replaceAll(/[ \t]+/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .toSorted()
}

function runs(names: ToolNames, prefix: string, folder: string): readonly Run[] {
  const { topics, configs, producer, consumer, groups, offsets, deleteRecords, logDirs, versions } = names
  const orders = `${prefix}orders`
  const topic = ['--topic', orders]
  const group = ['--group', `${prefix}readers`]
  const entity = ['--entity-type', 'topics', '--entity-name', orders]
  const input = Array.from({ length: 200 }, (_, i) => `key ${i}|value ${i}\n`).join('')
  const keyed = ['parse.key=true', 'key.separator=|'].flatMap((each) => [names.producerProperty, each])
  const shown = ['print.key=true', 'print.partition=true'].flatMap((each) => [names.consumerProperty, each])
  const before = join(folder, 'before.json')
  const partitions = [{ topic: orders, partition: 0, offset: 10 }]
  writeFileSync(before, JSON.stringify({ partitions, version: 1 }))
  return [
    { tool: versions, args: [], isOwn: true },
    { tool: topics, args: ['--create', ...topic, '--partitions', '2', '--config', 'retention.ms=86400000'] },
    { tool: topics, args: ['--create', ...topic] },
    { tool: topics, args: ['--create', '--if-not-exists', ...topic] },
    { tool: topics, args: ['--alter', ...topic, '--partitions', '3'] },
    { tool: topics, args: ['--list', ...topic] },
    { tool: topics, args: ['--describe', ...topic] },
    { tool: configs, args: ['--alter', ...entity, '--add-config', 'max.message.bytes=2000000'] },
    { tool: configs, args: ['--describe', ...entity] },
    { tool: configs, args: ['--alter', ...entity, '--delete-config', 'max.message.bytes'] },
    { tool: configs, args: ['--describe', ...entity, '--all'], isOwn: true },
    { tool: configs, args: ['--describe', '--entity-type', 'brokers', '--entity-name', '1', '--all'], isOwn: true },
    ...['gzip', 'zstd'].map((codec) => ({
      tool: producer,
      args: [...topic, ...keyed, '--compression-codec', codec, '--request-required-acks', 'all'],
      input,
    })),
    { tool: consumer, args: [...topic, ...group, '--from-beginning', '--max-messages', '400', ...shown] },
    { tool: groups, args: ['--describe', ...group] },
    { tool: groups, args: ['--describe', ...group, '--state'], isOwn: true },
    { tool: groups, args: ['--reset-offsets', ...group, ...topic, '--to-offset', '20', '--execute'] },
    { tool: groups, args: ['--describe', ...group] },
    { tool: groups, args: ['--delete-offsets', ...group, ...topic] },
    { tool: groups, args: ['--delete', ...group] },
    { tool: offsets, args: [...topic, '--time', '-1'] },
    { tool: offsets, args: [...topic, '--time', '-2'] },
    { tool: deleteRecords, args: ['--offset-json-file', before] },
    { tool: offsets, args: [...topic, '--time', '-2'] },
    { tool: logDirs, args: ['--describe', '--topic-list', orders], isOwn: true },
    { tool: topics, args: ['--delete', ...topic] },
  ]
}
