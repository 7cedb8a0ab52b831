import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  DEMO_USAGE: {
    message: '{reason}.',
    action: 'Run npm run demo -- --help to see the options.',
  },
  DEMO_NO_KAFKA: {
    message: 'no Kafka broker answered at {address} within {timeoutMs} ms.',
    action: 'Check the address, and that the listener requires neither login nor TLS.',
  },
  DEMO_REGISTRATION_REFUSED: {
    message: 'Tributary refused to register the connector with status {status}: {reason}',
    action: '',
  },
  DEMO_NOT_RUNNING: {
    message: 'the connector was not running {timeoutMs} ms after its registration.',
    action: 'See the log of Tributary: {log}',
  },
  DEMO_TASK_FAILED: {
    message: 'the connector’s task failed: {reason}',
    action: '',
  },
  DEMO_EVENT_MISSING: {
    message:
      'after {timeoutMs} ms, {topic} has {found} of {count} expected events. The last lines of Tributary’s log:{lastLines}\n',
    action: '',
  },
  DEMO_RECORD_UNREADABLE: {
    message: 'record {offset} of {topic} is not a change event: {reason}',
    action: '',
  },
} as const

/** Errors of the demo itself. Servers and service report their own. */
export const demoErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
