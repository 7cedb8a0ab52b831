import { defineErrors } from '@tributary/support'
import type { ErrorRegistry } from '@tributary/support'

const definitions = {
  PROGRAM_MISSING: {
    message: 'The program {program} is not on this machine, and {purpose} needs it.',
    action: 'Install it (Debian package: {package}) and run the command again.',
  },
  PROVISIONING_FAILED: {
    message: '{what} cannot be fetched: `{command}` ended with code {code}. Its last lines:{lastLines}\n',
    action: '{remedy}',
  },
  SERVER_ENDED_AT_START: {
    message: '{server} ended while it was starting ({outcome}). Its last log lines:{lastLines}\n',
    action: 'Fix what the log reports; the options of the start function determine the settings.',
  },
  SERVER_NOT_READY: {
    message: '{server} was not ready after {timeoutMs} ms. Its last log lines:{lastLines}\n',
    action: 'Make sure that the machine has enough CPU, memory and disk, and run the command again.',
  },
  SERVER_IS_DOWN: {
    message: '{server} is not running, so {operation} is not possible.',
    action: 'Call start() first.',
  },
  FACT_NOT_OBSERVED: {
    message: 'This did not become true within {timeoutMs} ms: {fact}.',
    action: '{last}',
  },
  NO_FREE_PORT: {
    message: 'None of {attempts} random TCP ports between {first} and {last} is free on 127.0.0.1.',
    action: 'Stop programs that use ports in that range.',
  },
} as const

/** Errors of fetching, starting and observing real servers. */
export const testkitErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
