/** Where a change is in the binlog of its server; null: it is of a snapshot, or has no place. */
export type RecordPlace = readonly [file: string, position: number] | null

/** More than a source block has before these fields. */
const SOURCE_BYTES_MAX = 1_000

/**
 * Finds the place in the bytes of a record, without parsing it. In JSON, no text contains `"source":{`, because its
 * quotes would be escaped, and the source follows the rows.
 */
export function placeOf(value: Buffer | null): RecordPlace {
  const at = value?.lastIndexOf('"source":{') ?? -1
  if (value === null || at < 0) return null
  const source = value.toString('utf8', at, at + SOURCE_BYTES_MAX)
  if (/"snapshot":(true|"(?!false"))/.test(source)) return null
  const [, file, position] = /"file":"([^"\\]*)","pos":(\d+)/.exec(source) ?? []
  return file === undefined ? null : [file, Number(position)]
}

/** Null is first. The numbers of files grow beyond their six digits. */
export function comparePlaces(a: RecordPlace, b: RecordPlace): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  const [[fileA, positionA], [fileB, positionB]] = [a, b]
  if (fileA.length !== fileB.length) return fileA.length - fileB.length
  return fileA === fileB ? positionA - positionB : fileA < fileB ? -1 : 1
}
