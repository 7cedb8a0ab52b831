import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  derive,
  type Field,
  type Int64,
  ownField,
  type Schema,
  type SourceRecord,
  type StageContext,
  Struct,
  StructDerivation,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { type Clock, type Logger, systemClock } from '@tributary/support'
import { transformErrors } from '../../errors.ts'
import { withValue } from '../../stage/changed-record.ts'
import { SchemaMemo } from '../../stage/schema-memo.ts'
import { textOf } from '../../stage/text-of.ts'
import { TRANSFORMS_VERSION } from '../../version.ts'
import { envelopeOf } from '../envelope.ts'
import { isRequired, valueValidator } from '../value-validator.ts'
import { type EventChoice, type FieldChoice, TimezoneRules } from './timezone-rules.ts'
import { timeIn, timestampIn } from './zoned-text.ts'
import { type ZoneOffsets, zoneOffsets } from './zone-offsets.ts'

const RULES =
  'a list of `source:TABLE`, `source:TABLE:FIELD`, `topic:TOPIC`, `topic:TOPIC:FIELD` or `NAME:FIELD`, where the name is that of a topic or table.'

const config = new ConfigDef([
  {
    name: 'converted.timezone',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Time zone of the converted values: `Europe/Berlin` or `+08:00`.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Converted Timezone',
    validators: [valueValidator('converted.timezone', isRequired)],
  },
  {
    name: 'include.list',
    type: 'LIST',
    defaultValue: null,
    documentation: `What is converted: ${RULES} Default: all dates with times.`,
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Include List',
  },
  {
    name: 'exclude.list',
    type: 'LIST',
    defaultValue: null,
    documentation: `What is not converted: ${RULES}`,
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Exclude List',
  },
])

type Conversion = (value: ConnectValue) => ConnectValue

interface StructPlan {
  readonly derivation: StructDerivation
  readonly fields: readonly { readonly field: Field; readonly convert: Conversion }[]
}

/** What happens to the events of one table, by struct of the event. */
type EventPlan = readonly { readonly name: StructName; readonly plans: SchemaMemo<StructPlan> }[]
type StructName = 'before' | 'after' | 'source'

/** Debezium's TimezoneConverter: converts dates with times to a time zone. */
class TimezoneConverter implements Transformation {
  readonly #clock: Clock
  #zone: ZoneOffsets = { at: () => 0, ofLocal: () => 0 }
  #rules = new TimezoneRules(null, [])
  #logger: Logger | null = null
  #plans = new Map<string, EventPlan>()
  /** Three own values: one for each struct of the event. */
  readonly #events = new SchemaMemo(eventDerivation)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  configure(options: ConfigMap, { logger }: StageContext): void {
    const values = config.parse(options)
    const [included, excluded] = [values.list('include.list'), values.list('exclude.list')]
    const kind = included.length > 0 ? 'include' : excluded.length > 0 ? 'exclude' : null
    this.#rules = new TimezoneRules(kind, kind === 'include' ? included : excluded)
    const zone = zoneOffsets(values.string('converted.timezone'))
    if (zone === null) throw transformErrors.ZONE_UNKNOWN({ zone: values.string('converted.timezone') })
    if (included.length > 0 && excluded.length > 0) throw transformErrors.ZONE_LISTS({})
    this.#zone = zone
    this.#logger = logger
  }

  apply(record: SourceRecord): SourceRecord {
    const event = envelopeOf(record)
    if (event === null) return record
    const derivation = this.#events.of(event.schema)
    const own = STRUCTS.map((name) => structOf(event, name))
    let isChanged = false
    for (const { name, plans } of this.#planFor(record.topic, event)) {
      const at = STRUCTS.indexOf(name)
      const struct = own[at]
      if (!(struct instanceof Struct)) continue
      const { derivation: changed, fields } = plans.of(struct.schema)
      if (fields.length === 0) continue
      own[at] = derive(
        changed,
        struct,
        fields.map(({ field, convert }) => converted(struct, field, convert)),
      )
      isChanged = true
    }
    return isChanged ? withValue(record, record.valueSchema, derive(derivation, event, own)) : record
  }

  #planFor(topic: string, event: Struct): EventPlan {
    const source = structOf(event, 'source')
    const field = source instanceof Struct ? source.schema.field('table') : null
    const table = source instanceof Struct && field !== null ? textOf(source.at(field.index)) : null
    const key = `${topic}\n${table ?? ''}`
    let plan = this.#plans.get(key)
    if (plan === undefined) {
      plan = this.#eventPlan(this.#rules.choiceFor(topic, table))
      if (this.#plans.size >= TABLES_MAX) this.#plans = new Map()
      this.#plans.set(key, plan)
    }
    return plan
  }

  #eventPlan(choice: EventChoice | null): EventPlan {
    if (choice === null) return []
    return STRUCTS.flatMap((name) => {
      const chosen = choice[name]
      if (chosen === null) return []
      return [{ name, plans: new SchemaMemo((schema) => this.#structPlan(schema, chosen, name === 'source')) }]
    })
  }

  #structPlan(schema: Schema, isChosen: FieldChoice, isSource: boolean): StructPlan {
    const fields = schema.fields.flatMap((field) => {
      if (!isChosen(field.name)) return []
      const convert = this.#conversionOf(field, isSource)
      return convert === null ? [] : [{ field, convert }]
    })
    const sources = schema.fields.map(({ index }) => {
      const number = fields.findIndex(({ field }) => field.index === index)
      return number < 0 ? index : ownField(number)
    })
    return { derivation: new StructDerivation(schema, sources), fields }
  }

  #conversionOf({ name, schema }: Field, isSource: boolean): Conversion | null {
    const perSecond = UNITS.get(schema.name ?? '')
    if (perSecond !== undefined) return (value) => this.#moved(value, perSecond)
    if (schema.name === 'io.debezium.time.ZonedTimestamp')
      return (value) => timestampIn(this.#zone, textOf(value) ?? '')
    if (schema.name === 'io.debezium.time.ZonedTime') {
      return (value) => timeIn(this.#zone.at(this.#clock.now()), textOf(value) ?? '')
    }
    if (UNSUPPORTED.has(schema.name ?? '')) {
      this.#logger?.warn('a column has a type that is not converted', { column: name, type: schema.name })
    }
    const epoch = isSource && schema.name === null ? EPOCHS.get(name) : undefined
    return epoch === undefined ? null : (value) => this.#shifted(value, epoch)
  }

  /** A local time that was taken for UTC becomes the instant at which the zone's clock shows it. */
  #moved(value: ConnectValue, perSecond: bigint): ConnectValue {
    const local = BigInt(value as Int64)
    return int64(local - BigInt(this.#zone.ofLocal(millis(local, perSecond))) * perSecond)
  }

  /** Debezium adds the offset to the times of the source. */
  #shifted(value: ConnectValue, perSecond: bigint): ConnectValue {
    const instant = BigInt(value as Int64)
    return int64(instant + BigInt(this.#zone.at(millis(instant, perSecond))) * perSecond)
  }
}

const STRUCTS = ['before', 'after', 'source'] as const

/** As many tables as large connectors capture. */
const TABLES_MAX = 10_000

/** Of a second. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['io.debezium.time.Timestamp', 1_000n],
  ['org.apache.kafka.connect.data.Timestamp', 1_000n],
  ['io.debezium.time.MicroTimestamp', 1_000_000n],
  ['io.debezium.time.NanoTimestamp', 1_000_000_000n],
])

const EPOCHS: ReadonlyMap<string, bigint> = new Map([
  ['ts_ms', 1_000n],
  ['ts_us', 1_000_000n],
  ['ts_ns', 1_000_000_000n],
])

const UNSUPPORTED: ReadonlySet<string> = new Set([
  'io.debezium.time.Date',
  'io.debezium.time.MicroTime',
  'io.debezium.time.NanoTime',
  'io.debezium.time.Time',
  'org.apache.kafka.connect.data.Date',
  'org.apache.kafka.connect.data.Time',
])

function structOf(event: Struct, name: StructName): ConnectValue {
  const field = event.schema.field(name)
  return field === null ? null : event.at(field.index)
}

function eventDerivation(schema: Schema): StructDerivation {
  const sources = schema.fields.map(({ name, index }) => {
    const number = STRUCTS.findIndex((struct) => struct === name)
    return number < 0 ? index : ownField(number)
  })
  return new StructDerivation(schema, sources, STRUCTS.length)
}

function converted(struct: Struct, { index, schema }: Field, convert: Conversion): ConnectValue {
  const value = struct.at(index) ?? schema.defaultValue
  return value === null ? null : convert(value)
}

function millis(value: bigint, perSecond: bigint): number {
  const perMilli = perSecond / 1000n
  const quotient = value / perMilli
  return Number(value < 0n && value % perMilli !== 0n ? quotient - 1n : quotient)
}

function int64(value: bigint): Int64 {
  return BigInt.asIntN(54, value) === value ? Number(value) : value
}

export const timezoneConverterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.TimezoneConverter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new TimezoneConverter(systemClock),
}
