import type { FinishedComparison } from './compare/comparison.ts'

export interface NotCompared extends FinishedComparison {
  readonly skipped: number
  readonly isPollFailing: boolean
  readonly full: 'ours' | 'theirs' | null
  readonly dropped: number
  /** Pairs that were compared. */
  readonly compared: number
  /** Parts of records that are Avro. */
  readonly avro: readonly string[]
}

/** What a rehearsal has not compared, in sentences. With any of them, it has not proven that nothing differs. */
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

/** Who has not made yet what the other side waits for. */
const LAGGING = { ours: 'Kafka Connect', theirs: 'the rehearsal' } as const
