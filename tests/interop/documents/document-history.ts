import type { PublishedDocument } from '../../documents/documents.ts'

/** The columns that the documents name, and one of each kind of value. */
const COLUMNS = `
  id INT PRIMARY KEY AUTO_INCREMENT,
  payload VARCHAR(60),
  c_custkey INT NOT NULL DEFAULT 7,
  email VARCHAR(60) DEFAULT 'hidden@example.com',
  street VARCHAR(40) COMMENT 'of the address',
  type ENUM('BILLING','SHIPPING') NOT NULL DEFAULT 'SHIPPING',
  price DECIMAL(10,2),
  large BIGINT UNSIGNED,
  active TINYINT(1) NOT NULL DEFAULT 1,
  ratio DOUBLE,
  born DATE,
  at DATETIME(3),
  seen TIMESTAMP(6) NULL,
  hour TIME(6),
  photo VARBINARY(8),
  tags SET('a','b'),
  more JSON`

const VALUES = '(payload, email, street, price, large, active, ratio, born, at, seen, hour, photo, tags, more)'

function row(text: string, n: number): string {
  const at = `2026-02-0${n} 03:04:05`
  return (
    `('${text}', 'user${n}@example.com', 'Höhe ${n}', ${n}234.5${n}, 1844674407370955161${n - 1}, ${n % 2}, ` +
    `${n}.25, '2026-02-0${n}', '${at}.12${n}', '${at}.12345${n}', '-0${n}:00:00.00000${n}', x'00ff0${n}', 'a,b', '[${n}]')`
  )
}

/** The text, in JSON, of the last row that the snapshot reads from each table. */
export const SNAPSHOT_TEXT = '"two"'

/** A database history for the tables of a document. */
export interface DocumentHistory {
  /** The number of tables with a row of `SNAPSHOT_TEXT`. */
  readonly tables: number
  /** What the snapshot reads. */
  readonly before: readonly string[]
  /** What the stream contains. */
  readonly after: readonly string[]
  /** A row with this text is the last change. */
  readonly last: (marker: string) => string
}

/**
 * Rows of a snapshot, then inserts, updates, a new key, deletions, a transaction over two tables, a changed table, and
 * tables that the filters of most documents leave out.
 *
 * @param captured a captured table, `database.table`; null: none is
 */
export function documentHistory({ config }: PublishedDocument, captured: string | null): DocumentHistory {
  const listed = (config['table.include.list'] ?? config['table.whitelist'] ?? '').split(',').map((each) => each.trim())
  const names = listed.filter((each) => /^[\w-]+\.\w+$/.test(each))
  const table = captured ?? names[0] ?? 'inventory.customers'
  const tables = [...new Set([table, ...names])]
  const databases = [...new Set([...tables.map(databaseOf), databaseOf(table), 'elsewhere'])]
  const [main = table, other = main] = tables.map(quoted)
  const unlisted = quoted(`${databaseOf(table)}.unlisted`)
  return {
    tables: tables.length,
    before: [
      ...databases.map((database) => `CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4`),
      ...tables.map((each) => `CREATE TABLE ${quoted(each)} (${COLUMNS})`),
      `CREATE TABLE ${unlisted} (id INT PRIMARY KEY, payload VARCHAR(60))`,
      'CREATE TABLE elsewhere.t (id INT PRIMARY KEY, payload VARCHAR(60))',
      ...tables.map((each) => `INSERT INTO ${quoted(each)} ${VALUES} VALUES ${row('one', 1)}, ${row('two', 2)}`),
      `INSERT INTO ${unlisted} VALUES (1, 'unlisted')`,
    ],
    after: [
      `INSERT INTO ${main} ${VALUES} VALUES ${row('three', 3)}, ${row('four', 4)}`,
      `INSERT INTO ${main} (id) VALUES (10)`,
      `UPDATE ${main} SET payload = 'changed', price = 0.05 WHERE id = 1`,
      `UPDATE ${main} SET id = 20 WHERE id = 2`,
      `DELETE FROM ${main} WHERE id = 3`,
      'BEGIN',
      `UPDATE ${main} SET c_custkey = c_custkey + 1`,
      `INSERT INTO ${other} (payload, email) VALUES ('together', NULL)`,
      `INSERT INTO ${unlisted} VALUES (2, 'together')`,
      'COMMIT',
      `ALTER TABLE ${main} ADD late VARCHAR(10) NOT NULL DEFAULT 'new', MODIFY payload VARCHAR(80)`,
      `INSERT INTO ${main} (payload, late) VALUES ('after the change', 'x')`,
      `UPDATE ${main} SET late = 'y' WHERE id = 1`,
      `INSERT INTO elsewhere.t VALUES (1, 'elsewhere')`,
    ],
    last: (marker) => `INSERT INTO ${main} (payload) VALUES ('${marker}')`,
  }
}

function databaseOf(table: string): string {
  return table.slice(0, table.indexOf('.'))
}

function quoted(table: string): string {
  return table
    .split('.')
    .map((name) => `\`${name}\``)
    .join('.')
}
