import { defineErrors } from '@tributary/support'
import type { ErrorRegistry } from '@tributary/support'

const definitions = {
  REST_ADDRESS_IN_USE: {
    message: 'The REST interface cannot listen on {address}: another program already listens there.',
    action: 'Stop that program, or set REST_PORT (rest.port, listeners) to a free port.',
  },
  REST_ADDRESS_NOT_AVAILABLE: {
    message: 'The REST interface cannot listen on {address}: {host} is not an address of this machine.',
    action: 'Set REST_HOST_NAME (rest.host.name, listeners) to one of its addresses, or to 0.0.0.0 for all of them.',
  },
  REST_HOST_UNKNOWN: {
    message: 'The REST interface cannot listen on {address}: the name {host} cannot be resolved.',
    action: 'Set REST_HOST_NAME (rest.host.name, listeners) to a known name, or to 0.0.0.0 for all addresses.',
  },
  REST_PORT_FORBIDDEN: {
    message: 'The REST interface cannot listen on {address}: this user may not open port {port}.',
    action: 'Set REST_PORT (rest.port, listeners) to a port above 1023.',
  },
  REST_LISTEN_FAILED: {
    message: 'The REST interface cannot listen on {address}: {reason}.',
    action: 'Set REST_HOST_NAME and REST_PORT (listeners) to an address on which it can listen.',
  },
} as const

/** Errors that prevent the REST interface from listening. */
export const restErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
