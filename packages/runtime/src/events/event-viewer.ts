import type { Kafka } from '@tributary/kafka'
import type { EventsMessage } from '@tributary/rest-api'
import type { Clock } from '@tributary/support'
import type { ConverterSpec } from '../config/worker-config.ts'

/** What a reader of a topic needs. */
export interface EventViewerInput {
  readonly topic: string
  /** How many of the last records are looked through. */
  readonly scanLength: number
  readonly filter: string
  /** With the full names of their classes. */
  readonly converters: { readonly key: ConverterSpec; readonly value: ConverterSpec }
  /** `unavailable.value.placeholder`: what records have in place of values that the binlog does not have. */
  readonly unavailable: string
  readonly kafka: Kafka
  readonly onMessage: (message: EventsMessage) => void
  readonly clock: Clock
}

/** Reads the records of a topic for people. The runtime knows no converter: the cli passes it in. */
export type EventViewer = (input: EventViewerInput, signal: AbortSignal) => Promise<void>

/** Loads its code, which only a page needs. */
export type LoadEventViewer = () => Promise<EventViewer>
