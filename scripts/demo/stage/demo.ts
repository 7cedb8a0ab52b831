import type { EventLog } from './event-log.ts'
import type { ExpectedEvent } from './expectation.ts'
import type { Names } from './names.ts'
import type { Presenter } from './presenter.ts'
import type { RegistrationParts } from './connector.ts'
import type { SampleDatabase } from './sample-database.ts'
import type { Service } from './service.ts'
import type { Stage } from './stage.ts'

/** The parts of the demo that its steps use. */
export interface Demo {
  readonly presenter: Presenter
  readonly names: Names
  readonly stage: Stage
  readonly sample: SampleDatabase
  readonly service: Service
  readonly registration: RegistrationParts
  readonly events: EventLog
  /** All events expected so far, in order. The last step compares the topics with them. */
  readonly expected: ExpectedEvent[]
  readonly signal: AbortSignal
}
