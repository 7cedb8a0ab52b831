import type { FinishedComparison } from './compare/comparison.ts'

export interface NotCompared extends FinishedComparison {
  readonly skipped: number
  readonly isPollFailing: boolean
  readonly full: 'ours' | 'theirs' | null
  readonly dropped: number
  /** The number of compared pairs. */
  readonly compared: number
  /** The number of keys and values in Avro. */
  readonly avro: readonly string[]
}

/** Sentences about records that the rehearsal has not compared. With any of them, it proves nothing. */
export function notComparedNotes(found: NotCompared): readonly string[] {
  const { late, unplaced, unreached, skipped, isPollFailing, full, dropped, compared, avro } = found
  return [
    ...(late > 0 ? [`${late} records that Kafka Connect had not sent yet`] : []),
    ...(unplaced > 0
      ? [`${unplaced} records of topics without a known source position, which the rehearsal may have had to make`]
      : []),
    ...(unreached > 0
      ? [`${unreached} records that Kafka Connect wrote meanwhile, after the last one that the rehearsal made`]
      : []),
    ...(isPollFailing ? ['what was changed at the end: the source could not be read (see the warnings)'] : []),
    ...(full === null ? [] : [`what followed after more records waited than memory holds: ${LAGGING[full]} lags`]),
    ...(skipped > 0 ? [`${skipped} records that failed and were skipped (errors.tolerance=all)`] : []),
    ...(dropped > 0 ? [`${dropped} differences of further kinds, which are not listed`] : []),
    ...(compared === 0 ? ['anything: no record was written meanwhile'] : []),
    ...(avro.length > 0
      ? [`the schemas of ${avro.join(' and ')} in the registry, and the partitions of Avro keys`]
      : []),
  ]
}

/** The side that has not made yet the records for which the other side waits. */
const LAGGING = { ours: 'Kafka Connect', theirs: 'the rehearsal' } as const
