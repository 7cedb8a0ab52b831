import { defineErrors } from '@tributary/support'
import type { ErrorRegistry } from '@tributary/support'

const definitions = {
  BROKER_PORT: {
    message: 'The development broker cannot listen on {address}: {reason}.',
    action: 'Choose another port or address, or end the program that uses it.',
  },
} as const

/** Errors of the development broker. */
export const brokerErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
