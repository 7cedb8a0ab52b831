import type { ExpectedRecords } from '../load/expected-records.ts'
import type { Workload } from './workload.ts'

/** What a connector does to its records: transformations, masks, filters. */
export interface Shape {
  /** Part of the name of a row: letters. */
  readonly name: string
  readonly summary: string
  readonly connector: Readonly<Record<string, string>>
  /** The name of the topic that a record is sent to, from the one before the transformations. */
  readonly topic: (name: string) => string
  /** The records of a topic, from those before the transformations. */
  readonly records: (before: ExpectedRecords) => ExpectedRecords
}

const UNWRAP = {
  'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
  // Under this name the checks of the output find the operation.
  'transforms.unwrap.add.fields': 'op',
  'transforms.unwrap.add.fields.prefix': '',
} as const

/** A delete becomes a tombstone, and the tombstone after it is dropped. */
function unwrapped(before: ExpectedRecords): ExpectedRecords {
  const { d, ...others } = withoutTombstones(before)
  return d === undefined ? others : { ...others, tombstone: d }
}

function withoutTombstones(before: ExpectedRecords): ExpectedRecords {
  const counts = Object.entries(before).filter(([what]) => what !== 'tombstone')
  return Object.fromEntries(counts)
}

const unwrap: Shape = {
  name: 'unwrap',
  summary: 'with ExtractNewRecordState',
  connector: { transforms: 'unwrap', ...UNWRAP },
  topic: (name) => name,
  records: unwrapped,
}

const route: Shape = {
  name: 'route',
  summary: 'with ExtractNewRecordState, RegexRouter and InsertField',
  connector: {
    transforms: 'unwrap,route,origin',
    ...UNWRAP,
    'transforms.route.type': 'org.apache.kafka.connect.transforms.RegexRouter',
    'transforms.route.regex': '([^.]+)\\.([^.]+)\\.([^.]+)',
    'transforms.route.replacement': '$1.routed.$3',
    'transforms.origin.type': 'org.apache.kafka.connect.transforms.InsertField$Value',
    'transforms.origin.static.field': 'origin',
    'transforms.origin.static.value': 'shop',
  },
  topic: (name) => name.replace(/\.[^.]+\./, '.routed.'),
  records: unwrapped,
}

const masks: Shape = {
  name: 'masks',
  summary: 'with a hashed and a truncated column, and a filter with a predicate',
  connector: {
    'column.mask.hash.SHA-256.with.salt.pepper': '.*\\.(c|name)',
    'column.truncate.to.20.chars': '.*\\.pad',
    predicates: 'tombstone',
    'predicates.tombstone.type': 'org.apache.kafka.connect.transforms.predicates.RecordIsTombstone',
    transforms: 'filter',
    'transforms.filter.type': 'org.apache.kafka.connect.transforms.Filter',
    'transforms.filter.predicate': 'tombstone',
  },
  topic: (name) => name,
  records: withoutTombstones,
}

export const shapes: readonly Shape[] = [unwrap, route, masks]

/** The workload, read by a connector with transformations. */
export function shaped(workload: Workload, shape: Shape): Workload {
  return {
    ...workload,
    connector: (load, prefix) => ({ ...workload.connector?.(load, prefix), ...shape.connector }),
    expected: (prefix, load) =>
      new Map(
        [...workload.expected(prefix, load)].map(([topic, before]) => [shape.topic(topic), shape.records(before)]),
      ),
  }
}
