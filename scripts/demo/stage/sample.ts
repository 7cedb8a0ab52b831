import { readFileSync } from 'node:fs'

/** A table of the sample, and the values that its rows have in events. */
export interface SampleTable {
  readonly name: string
  readonly keyColumn: string
  /**
   * Column → SQL expression for its value in events. The server evaluates it, so that expectations do not depend on
   * Tributary.
   */
  readonly columns: Readonly<Record<string, string>>
}

export const sampleTables: readonly SampleTable[] = [
  table('products', 'id', ['name', 'description', 'weight_grams']),
  table('customers', 'id', ['first_name', 'last_name', 'email']),
  table('addresses', 'id', ['customer_id', 'street', 'city', 'kind']),
  table('orders', 'order_number', ['ordered_on', 'customer_id', 'product_id', 'quantity'], {
    // Events contain a DATE as days since 1970.
    ordered_on: "DATEDIFF(ordered_on, '1970-01-01')",
  }),
]

function table(
  name: string,
  keyColumn: string,
  others: readonly string[],
  expressions: Readonly<Record<string, string>> = {},
): SampleTable {
  const columns = [keyColumn, ...others].map((column) => [column, expressions[column] ?? column] as const)
  return { name, keyColumn, columns: Object.fromEntries(columns) }
}

/** Returns the statements of inventory.sql, in order. */
export function sampleStatements(): readonly string[] {
  return readFileSync(new URL('./inventory.sql', import.meta.url), 'utf8')
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
