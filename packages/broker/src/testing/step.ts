import type { ComparedBroker } from './compared-broker.ts'

/** A step of a sequence: what it does, for messages, and how to do it on one of the brokers. */
export interface Step {
  readonly text: string
  run(broker: ComparedBroker): Promise<unknown>
}
