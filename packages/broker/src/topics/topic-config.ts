import { present } from '@tributary/support'
import { topicSettings } from './topic-configs.table.ts'

export type SettingType = 'BOOLEAN' | 'STRING' | 'INT' | 'LONG' | 'DOUBLE' | 'LIST'

export interface TopicSetting {
  readonly name: string
  readonly type: SettingType
  readonly standard: string
  /** The setting of the broker that it comes from. */
  readonly brokerName: string | null
}

/** All settings of topics by name, sorted. */
export const settings: ReadonlyMap<string, TopicSetting> = new Map(
  topicSettings.split('\n').map((line) => {
    const [name = '', type = '', standard = '', brokerName = ''] = line.split(' ')
    // The table has only these types.
    const setting = { name, type: type as SettingType, standard, brokerName: brokerName === '-' ? null : brokerName }
    return [name, setting]
  }),
)

/** The number of a setting in DescribeConfigs. */
export const TYPE_NUMBERS: Readonly<Record<SettingType, number>> = {
  BOOLEAN: 1,
  STRING: 2,
  INT: 3,
  LONG: 5,
  DOUBLE: 6,
  LIST: 7,
}

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'cleanup.policy': ['compact', 'delete'],
  'compression.type': ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'],
  'message.timestamp.type': ['CreateTime', 'LogAppendTime'],
}

/** Lowest values. Others may be any number of their type. */
const LOWEST: Readonly<Record<string, bigint>> = {
  'delete.retention.ms': 0n,
  'file.delete.delay.ms': 0n,
  'flush.messages': 1n,
  'flush.ms': 0n,
  'index.interval.bytes': 0n,
  'max.compaction.lag.ms': 1n,
  'max.message.bytes': 0n,
  'message.timestamp.after.max.ms': 0n,
  'message.timestamp.before.max.ms': 0n,
  'min.compaction.lag.ms': 0n,
  'min.insync.replicas': 1n,
  'retention.ms': -1n,
  'segment.bytes': 1_048_576n,
  'segment.index.bytes': 4n,
  'segment.jitter.ms': 0n,
  'segment.ms': 1n,
}

const INT_MAX = 2n ** 31n - 1n
const LONG_MAX = 2n ** 63n - 1n

/** Why a topic cannot have the setting; null: it can. */
export function problemOfSetting(name: string, value: string): string | null {
  const setting = settings.get(name)
  if (setting === undefined) return `Unknown topic config name: ${name}`
  const choices = CHOICES[name]
  const values = setting.type === 'LIST' ? splitList(value) : [value]
  if (choices !== undefined && !values.every((each) => choices.includes(each))) {
    return `Invalid value ${value} for configuration ${name}: it must be one of ${choices.join(', ')}`
  }
  const type = setting.type
  if (type === 'BOOLEAN' && !/^(true|false)$/i.test(value.trim())) {
    return `Invalid value ${value} for configuration ${name}: Expected value to be either true or false`
  }
  if (type === 'DOUBLE' && !(Number(value) >= 0 && Number(value) <= 1)) {
    return `Invalid value ${value} for configuration ${name}: Value must be between 0 and 1`
  }
  if (type === 'INT' || type === 'LONG') return problemOfNumber(name, value, type === 'INT' ? INT_MAX : LONG_MAX)
  return null
}

function problemOfNumber(name: string, value: string, max: bigint): string | null {
  if (!/^[+-]?\d+$/.test(value.trim()) || BigInt(value) > max || BigInt(value) < -max - 1n) {
    return `Invalid value ${value} for configuration ${name}: Not a number of type ${max === INT_MAX ? 'INT' : 'LONG'}`
  }
  const lowest = LOWEST[name]
  if (lowest === undefined || BigInt(value) >= lowest) return null
  return `Invalid value ${value} for configuration ${name}: Value must be at least ${lowest}`
}

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

/** The settings of one topic. Unset ones have the broker's defaults. */
export class TopicConfig {
  readonly #set: Map<string, string>

  constructor(set: Readonly<Record<string, string>>) {
    this.#set = new Map(Object.entries(set))
  }

  /** What was set for the topic. */
  get overrides(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#set)
  }

  isSet(name: string): boolean {
    return this.#set.has(name)
  }

  value(name: string): string {
    return this.#set.get(name) ?? present(settings.get(name), name).standard
  }

  /** Long.MAX and negative values, which mean "no limit", become Infinity. */
  limit(name: string): number {
    const value = Number(this.value(name))
    return value < 0 || value >= Number.MAX_SAFE_INTEGER ? Infinity : value
  }

  list(name: string): readonly string[] {
    return splitList(this.value(name))
  }

  get isCompacted(): boolean {
    return this.list('cleanup.policy').includes('compact')
  }

  get isDeleted(): boolean {
    return this.list('cleanup.policy').includes('delete')
  }
}
