import assert from 'node:assert/strict'
import type { Database } from '@tributary/testkit'
import { join } from 'node:path'
import type { Row, RowImage, StatementChanges } from './row-image.ts'
import { isVersioned, MARKER_TABLE } from './table-names.ts'

/** The change of a row as the server's own binlog printer shows it. */
export interface PrintedImage {
  readonly verb: string
  readonly table: string
  /** Values of the row before and after the change by column number; an INSERT has only one part. */
  readonly parts: readonly ReadonlyMap<number, string>[]
}

/** Prints the binlog of a run, in parts if files of it are purged in between. */
export class BinlogPrinter {
  readonly #database: Database
  readonly #schema: string
  readonly #images: PrintedImage[] = []
  #from: string

  constructor(database: Database, schema: string, firstFile: string) {
    this.#database = database
    this.#schema = schema
    this.#from = firstFile
  }

  /** Prints all files before that one, which may then be removed. */
  async passTo(file: string): Promise<void> {
    const names = await binlogFiles(this.#database)
    await this.#print(names.slice(names.indexOf(this.#from), names.indexOf(file)))
    this.#from = file
  }

  /** The row changes of the schema up to now. */
  async finish(): Promise<readonly PrintedImage[]> {
    const names = await binlogFiles(this.#database)
    await this.#print(names.slice(names.indexOf(this.#from)))
    return this.#images
  }

  async #print(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const paths = names.map((name) => join(this.#database.dataFolder, name))
    const args = ['-vv', '--base64-output=DECODE-ROWS', ...paths]
    const { stdout, stderr, code } = await this.#database.mysqlbinlog(args)
    assert.equal(code, 0, stderr)
    for (const image of parseImages(stdout, this.#schema)) this.#images.push(image)
  }
}

/** Names of the binlog files that the server has. */
export async function binlogFiles(database: Database): Promise<readonly string[]> {
  const logs = await database.query('SHOW BINARY LOGS')
  return logs.map((log) => String(log['Log_name']))
}

function parseImages(text: string, schema: string): readonly PrintedImage[] {
  const images: { verb: string; table: string; parts: Map<number, string>[]; isOwn: boolean }[] = []
  for (const line of text.split('\n')) {
    const [, verb, where, table] = /^### (INSERT INTO|UPDATE|DELETE FROM) `([^`]+)`\.`([^`]+)`/.exec(line) ?? []
    if (verb !== undefined && table !== undefined) {
      const isOwn = where === schema && table !== MARKER_TABLE && !isVersioned(table)
      images.push({ verb: verb.split(' ')[0] ?? '', table, parts: [], isOwn })
      continue
    }
    const last = images.at(-1)
    if (last === undefined || !line.startsWith('### ')) continue
    if (/^### (SET|WHERE)/.test(line)) last.parts.push(new Map())
    else {
      const [, column, value = ''] = /^### {3}@(\d+)=(.*)$/.exec(line) ?? []
      if (column !== undefined) last.parts.at(-1)?.set(Number(column), value)
    }
  }
  return images.filter(({ isOwn, parts: [before, after] }) => isOwn && !isSameImages(before, after))
}

/** An update to the same values is no change. */
function isSameImages(before: PrintedPart | undefined, after: PrintedPart | undefined): boolean {
  if (before === undefined || after === undefined || before.size !== after.size) return false
  return [...before].every(([column, text]) => after.get(column) === text)
}

type PrintedPart = ReadonlyMap<number, string>

/**
 * Compares the recorded changes with those in the binlog, and puts the changes of each statement into the order of the
 * binlog. Returns how they differ; null: in nothing.
 *
 * The server logs the replacement of a row as an update, or as its deletion and its insertion.
 *
 * @param statements in the order of the binlog
 */
export function reconcile(statements: readonly StatementChanges[], printed: readonly PrintedImage[]): string | null {
  let next = 0
  for (const statement of statements) {
    const left = statement.images.filter(({ table }) => !isVersioned(table))
    // Their printed changes contain former versions of rows.
    const ordered: RowImage[] = statement.images.filter(({ table }) => isVersioned(table))
    while (left.length > 0) {
      const other = printed[next]
      if (other === undefined) return `change ${next} is not in the binlog: ${JSON.stringify(left[0])}`
      const image = takeMatching(left, other)
      if (image === null)
        return `change ${next} is one of ${JSON.stringify(left)}, in the binlog ${JSON.stringify(other, replaceMaps)}`
      ordered.push(image)
      next += 1
    }
    statement.images = ordered
  }
  return next === printed.length ? null : `${printed.length} changes in the binlog, not ${next}`
}

function replaceMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as ReadonlyMap<number, string>) : value
}

/** Removes the image that was printed from the list; null: it has none. */
function takeMatching(left: RowImage[], printed: PrintedImage): RowImage | null {
  const at = left.findIndex((image) => isSameImage(image, printed))
  const [image] = at === -1 ? [] : left.splice(at, 1)
  if (image !== undefined) return image
  return takeReplaced(left, printed) ?? takeUpdated(left, printed)
}

/** An update that was logged as the deletion of the row and its insertion. */
function takeReplaced(left: RowImage[], printed: PrintedImage): RowImage | null {
  const at = left.findIndex(
    (each) => each.verb === 'UPDATE' && isSameImage({ ...each, verb: 'DELETE', after: null }, printed),
  )
  const [update] = at === -1 ? [] : left.splice(at, 1)
  if (update === undefined) return null
  left.push({ ...update, verb: 'INSERT', before: null })
  return { ...update, verb: 'DELETE', after: null }
}

/** A deletion and an insertion that were logged as an update. */
function takeUpdated(left: RowImage[], printed: PrintedImage): RowImage | null {
  const updates = left
    .filter(({ verb }) => verb === 'DELETE')
    .flatMap((deleted) =>
      left
        .filter(({ verb, table }) => verb === 'INSERT' && table === deleted.table)
        .map((inserted) => ({
          deleted,
          inserted,
          update: { ...inserted, verb: 'UPDATE', before: deleted.before } as const,
        })),
    )
  const found = updates.find(({ update }) => isSameImage(update, printed))
  if (found === undefined) return null
  left.splice(left.indexOf(found.deleted), 1)
  left.splice(left.indexOf(found.inserted), 1)
  return found.update
}

function isSameImage(image: RowImage, printed: PrintedImage): boolean {
  if (printed.verb !== image.verb || printed.table !== image.table) return false
  const parts = [image.before, image.after].filter((part) => part !== null)
  return (
    printed.parts.length === parts.length && parts.every((row, k) => isSamePart(row, image, printed.parts[k] ?? NONE))
  )
}

const NONE: ReadonlyMap<number, string> = new Map()

function isSamePart(row: Row, { isPartial }: RowImage, printed: ReadonlyMap<number, string>): boolean {
  const values = Object.values(row)
  if (isPartial ? printed.size > values.length : printed.size !== values.length) return false
  return [...printed].every(([column, text]) => isSameValue(values[column - 1] ?? '', text))
}

// Printed as 5 /* INT meta=0 nullable=1 is_null=0 */, -1 (4294967295) /* …, 'text' /* …; of an ENUM the number.
function isSameValue(value: string, printed: string): boolean {
  const [, text = '', type = ''] = /^(.*?) \/\* (.*) \*\/$/.exec(printed) ?? []
  if (text === 'NULL') return value === 'null'
  // Text is printed as the bytes of its charset.
  if (type.startsWith('ENUM') || /[^ -~]/.test(value)) return true
  const [, signed = text, unsigned] = /^(-?\d+) \((\d+)\)$/.exec(text) ?? []
  return value === signed || value === unsigned || `'${value}'` === text
}
