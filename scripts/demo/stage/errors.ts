import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  DEMO_USAGE: {
    message: '{reason}.',
    action: 'Run npm run demo -- --help for what it takes.',
  },
  DEMO_NO_KAFKA: {
    message: 'no Kafka broker answers at {address} within {timeoutMs} ms.',
    action: 'Check the address, and that the listener needs neither login nor TLS.',
  },
  DEMO_REGISTRATION_REFUSED: {
    message: 'the connector was refused with status {status}: {reason}',
    action: '',
  },
  DEMO_NOT_RUNNING: {
    message: 'the connector does not run {timeoutMs} ms after its registration.',
    action: 'Look at the log of Tributary: {log}',
  },
  DEMO_TASK_FAILED: {
    message: 'the connector’s task has failed: {reason}',
    action: '',
  },
  DEMO_EVENT_MISSING: {
    message:
      '{topic} has {found} of {count} expected events after {timeoutMs} ms. The last lines of the log of Tributary:{lastLines}\n',
    action: '',
  },
  DEMO_RECORD_UNREADABLE: {
    message: 'record {offset} of {topic} is not a change event: {reason}',
    action: '',
  },
} as const

/** What can go wrong in the demo besides what servers and service say themselves. */
export const demoErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
