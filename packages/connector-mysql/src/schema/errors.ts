import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  SCHEMA_UNDERIVABLE: {
    message: 'The definition of table {table} does not follow from the statement alone: {reason}.',
    action: 'The table is read again from the database.',
  },
} as const

/** Errors of deriving table definitions. */
export const schemaErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
