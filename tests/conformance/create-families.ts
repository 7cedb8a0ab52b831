import { type Database, seededRandom } from '@tributary/testkit'
import type { TypeFamily } from './type-family.ts'

/** Rows with random values, in addition to those with edge values and one with NULLs. */
const DRAWN_ROWS = 40

/**
 * Creates a database with a table for each family, with the columns `id`, `changed` and `c0`, `c1` … Returns the number of
 * rows of each, whose ids begin at 1.
 */
export async function createFamilies(
  database: Database,
  schema: string,
  families: readonly TypeFamily[],
): Promise<ReadonlyMap<TypeFamily, number>> {
  const random = seededRandom(20_261_121)
  const rowCounts = new Map<TypeFamily, number>()
  // The values include invalid dates; digits that exceed a column's scale are rounded.
  await database.query(`CREATE DATABASE ${schema} CHARACTER SET utf8mb4; USE ${schema};
    SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'`)
  for (const family of families) {
    const columns = family.types.map(({ type }, i) => `c${i} ${type}`)
    await database.query(`CREATE TABLE ${family.name} (id INT PRIMARY KEY, changed INT, ${columns.join(', ')})`)
    const edges = Math.max(...family.types.map(({ values }) => values.length))
    const rows = [
      family.types.map(() => 'NULL'),
      ...Array.from({ length: edges }, (_, i) => family.types.map(({ values }) => values[i % values.length] ?? 'NULL')),
      ...Array.from({ length: DRAWN_ROWS }, () => family.types.map(({ draw }) => draw(random))),
    ]
    const tuples = rows.map((values, i) => `(${i + 1}, 0, ${values.join(', ')})`)
    await database.query(`INSERT INTO ${family.name} VALUES ${tuples.join(',\n')}`)
    rowCounts.set(family, rows.length)
  }
  return rowCounts
}
