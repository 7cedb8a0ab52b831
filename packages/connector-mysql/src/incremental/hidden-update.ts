import type { ChangesToSkip } from '@tributary/connector-kit'
import type { ChunkKey } from '../chunks/chunk-key.ts'
import type { CapturedTable } from '../tables/captured-table.ts'

/**
 * A row that an update moves from a chunk that is not read to one that was read is in no chunk: the record of the update
 * has to be in the topic. Columns of the message key make it two records, with the row before and after. Any other column
 * makes one, if it is not skipped.
 *
 * @returns the end of a sentence that begins with the table; null: updates are in the topic
 */
export function hiddenUpdate(
  { table, schema }: CapturedTable,
  { parts }: ChunkKey,
  { operations, unchangedRows }: ChangesToSkip,
): string | null {
  const { keySchema, keyIndexes, valueIndexes, mask } = schema
  for (const { name } of parts) {
    const rowIndex = table.columns.findIndex((column) => column.name === name)
    if (keySchema !== null && keyIndexes.includes(rowIndex)) continue
    const hidden = `would be copied in the order of the column ${name}, and an update that changes it is in no event`
    if (operations.has('u')) return `${hidden}: skipped.operations contains u`
    if (!unchangedRows) continue
    const inValue = valueIndexes === null ? rowIndex : valueIndexes.indexOf(rowIndex)
    if (inValue < 0 || (mask?.maskOf(inValue) ?? null) !== null)
      return `${hidden}: skip.messages.without.change is true, and events do not contain the column`
  }
  return null
}
