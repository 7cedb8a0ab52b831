import { quoted } from '../tables/quoted-name.ts'
import type { ChunkKey } from './chunk-key.ts'

/**
 * What the order of the rows depends on, from a text of SHOW CREATE TABLE: the definitions of the columns of the key,
 * and the collation that they may inherit from the table. After a change of it, rows that were after the last one may
 * be before it.
 */
export function keySignature(createSql: string, { parts }: ChunkKey): string {
  const lines = createSql.split('\n')
  const columns = parts.map(({ name }) => lines.find((line) => line.trimStart().startsWith(`${quoted(name)} `)) ?? name)
  // Partitions follow the options.
  const ends = lines.filter((line) => line.startsWith(')'))
  const options = ends.flatMap((line) => line.match(/\b(?:CHARSET|COLLATE)=\S+/g) ?? [])
  return [...columns.map((line) => line.trim().replace(/,$/, '')), ...options].join(' ')
}
