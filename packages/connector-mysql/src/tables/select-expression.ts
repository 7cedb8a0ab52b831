import type { ColumnMapping } from '../values/column-mapping.ts'

/**
 * The expression that selects a column without loss.
 *
 * A product with one makes the server print FLOAT and DOUBLE with all their digits (a sum with zero would lose the sign
 * of -0). The cast selects ENUM and SET as numbers, as in the binlog; a sum would round a SET of 64 members.
 *
 * @param column in backquotes
 */
export function selectExpression(column: string, { select }: ColumnMapping): string {
  switch (select) {
    case 'plain':
      return column
    case 'double':
      return `${column}*1e0`
    case 'integer':
      return `CAST(${column} AS UNSIGNED)`
  }
}
