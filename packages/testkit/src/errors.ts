import { defineErrors } from '@tributary/support'
import type { ErrorRegistry } from '@tributary/support'

const definitions = {
  PROGRAM_MISSING: {
    message: 'The program {program} is not on this machine, and {purpose} needs it.',
    action: 'Install it (Debian package: {package}) and run the command again.',
  },
  PROVISIONING_FAILED: {
    message: '{what} cannot be had: `{command}` ended with code {code}. Its last lines:{lastLines}\n',
    action: '{remedy}',
  },
  SERVER_ENDED_AT_START: {
    message: '{server} ended while it was starting ({outcome}). Its last log lines:{lastLines}\n',
    action: 'Mend what the log names; settings come from the options of the start function.',
  },
  SERVER_NOT_READY: {
    message: '{server} was not ready after {timeoutMs} ms. Its last log lines:{lastLines}\n',
    action: 'Look whether the machine is short of CPU, memory or disk; then run the command again.',
  },
  SERVER_IS_DOWN: {
    message: '{server} is not running, so {operation} is not possible.',
    action: 'Call start() first.',
  },
  FACT_DID_NOT_COME: {
    message: 'Waited {timeoutMs} ms in vain for: {fact}.',
    action: '{last}',
  },
  NO_FREE_PORT: {
    message: 'No free TCP port was found on 127.0.0.1 in {attempts} tries between {first} and {last}.',
    action: 'End programs that hold ports in that range.',
  },
} as const

/** What can go wrong while real servers are fetched, started and watched. */
export const testkitErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
