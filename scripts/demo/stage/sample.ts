import { readFileSync } from 'node:fs'

/** A table of the sample and how its rows look in events. */
export interface SampleTable {
  readonly name: string
  readonly keyColumn: string
  /** Column → SQL for the value that an event has for it: the server says what is expected of Tributary. */
  readonly columns: Readonly<Record<string, string>>
}

export const sampleTables: readonly SampleTable[] = [
  table('products', 'id', ['name', 'description', 'weight_grams']),
  table('customers', 'id', ['first_name', 'last_name', 'email']),
  table('addresses', 'id', ['customer_id', 'street', 'city', 'kind']),
  table('orders', 'order_number', ['ordered_on', 'customer_id', 'product_id', 'quantity'], {
    // A DATE is told as days since 1970.
    ordered_on: "DATEDIFF(ordered_on, '1970-01-01')",
  }),
]

function table(
  name: string,
  keyColumn: string,
  others: readonly string[],
  expressions: Readonly<Record<string, string>> = {},
): SampleTable {
  const columns = [keyColumn, ...others].map((column) => [column, expressions[column] ?? column])
  return { name, keyColumn, columns: Object.fromEntries(columns) as Record<string, string> }
}

/** The statements of inventory.sql, in order. */
export function sampleStatements(): readonly string[] {
  return readFileSync(new URL('./inventory.sql', import.meta.url), 'utf8')
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
