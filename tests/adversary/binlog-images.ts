import assert from 'node:assert/strict'
import type { Database } from '@tributary/testkit'
import { join } from 'node:path'
import type { RowImage } from './row-image.ts'

/** The change of a row as the server's own binlog printer shows it: values by position. */
export interface PrintedImage {
  readonly verb: string
  readonly table: string
  /** Values of the row before and after the change, as printed; an INSERT has only one part. */
  readonly parts: readonly (readonly string[])[]
}

/** The row changes of the schema since the begin of that binlog file. */
export async function printedImages(
  database: Database,
  firstFile: string,
  schema: string,
): Promise<readonly PrintedImage[]> {
  const logs = await database.query('SHOW BINARY LOGS')
  const names = logs.map((log) => String(log['Log_name']))
  const paths = names.slice(names.indexOf(firstFile)).map((name) => join(database.dataFolder, name))
  const { stdout, stderr, code } = await database.mysqlbinlog(['-vv', '--base64-output=DECODE-ROWS', ...paths])
  assert.equal(code, 0, stderr)
  const images: { verb: string; table: string; parts: string[][] }[] = []
  for (const line of stdout.split('\n')) {
    const [, verb, where, table] = /^### (INSERT INTO|UPDATE|DELETE FROM) `([^`]+)`\.`([^`]+)`/.exec(line) ?? []
    if (verb !== undefined && table !== undefined) {
      images.push({ verb: (verb.split(' ')[0] ?? '') + (where === schema ? '' : ' elsewhere'), table, parts: [] })
      continue
    }
    const last = images.at(-1)
    if (last === undefined || !line.startsWith('### ')) continue
    if (/^### (SET|WHERE)/.test(line)) last.parts.push([])
    else last.parts.at(-1)?.push(/^### {3}@\d+=(.*)$/.exec(line)?.[1] ?? line)
  }
  return images.filter(({ verb }) => !verb.endsWith(' elsewhere'))
}

/** How the truth that the test recorded differs from the binlog; null: in nothing. */
export function differenceOf(images: readonly RowImage[], printed: readonly PrintedImage[]): string | null {
  for (const [i, image] of images.entries()) {
    const other = printed[i]
    if (other === undefined) return `${printed.length} changes in the binlog, not ${images.length}`
    const parts = [image.before, image.after].filter((part) => part !== null).map((row) => Object.values(row))
    const isEqual =
      other.verb === image.verb &&
      other.table === image.table &&
      other.parts.length === parts.length &&
      parts.every((values, k) => isSamePart(values, other.parts[k] ?? []))
    if (!isEqual) return `change ${i} is ${JSON.stringify(image)}, in the binlog ${JSON.stringify(other)}`
  }
  return images.length === printed.length ? null : `${printed.length} changes in the binlog, not ${images.length}`
}

function isSamePart(values: readonly string[], printed: readonly string[]): boolean {
  return values.length === printed.length && values.every((value, i) => isSameValue(value, printed[i] ?? ''))
}

// Printed as 5 /* INT meta=0 nullable=1 is_null=0 */, -1 (4294967295) /* …, 'text' /* …; of an ENUM the number.
function isSameValue(value: string, printed: string): boolean {
  const [, text = '', type = ''] = /^(.*?) \/\* (.*) \*\/$/.exec(printed) ?? []
  if (text === 'NULL') return value === 'null'
  if (type.startsWith('ENUM')) return true
  const [, signed = text, unsigned] = /^(-?\d+) \((\d+)\)$/.exec(text) ?? []
  return value === signed || value === unsigned || `'${value}'` === text
}
