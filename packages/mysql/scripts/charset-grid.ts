import type { Connection, RowDataPacket } from 'mysql2/promise'

/**
 * What a server makes of every byte sequence of a charset: UTF-16 units, 0 where the bytes are no character. `?` is also
 * what the server returns for a character without a counterpart in Unicode.
 */
export interface CharsetGrid {
  /** Of the 256 single bytes. The unit of the byte 0 is 0, too. */
  readonly ones: Uint16Array
  /** By first byte × 256 + second byte, of characters of two bytes. */
  readonly twos: Uint16Array | null
  /** Of three bytes, the first being 0x8F: by second byte × 256 + third byte. */
  readonly threes: Uint16Array | null
  /** Of four bytes, in their order from 0x81308130 to 0x8431A439. */
  readonly fours: Uint16Array | null
}

/** Charsets that are computed: no table has their characters. */
export const COMPUTED: ReadonlySet<string> = new Set('binary utf8mb3 utf8mb4 ucs2 utf16 utf16le utf32'.split(' '))

/** Prepares the session: the table `byte` has all single bytes. */
export async function prepareGrids(connection: Connection): Promise<void> {
  // With a strict mode MySQL returns NULL for bytes that are no characters; MariaDB returns them changed.
  await connection.query("SET SESSION sql_mode = 'STRICT_ALL_TABLES', group_concat_max_len = 100000000")
  await connection.query('CREATE DATABASE IF NOT EXISTS charset_grids')
  await connection.query('USE charset_grids')
  await connection.query('CREATE TEMPORARY TABLE byte (n INT PRIMARY KEY, b BINARY(1) NOT NULL)')
  await connection.query('CREATE TEMPORARY TABLE trail SELECT * FROM byte')
  const values = Array.from({ length: 256 }, (_, n) => `(${n}, X'${n.toString(16).padStart(2, '0')}')`).join(', ')
  await connection.query(`INSERT INTO byte VALUES ${values}`)
  await connection.query(`INSERT INTO trail SELECT * FROM byte`)
}

export async function readGrid(connection: Connection, charset: string, bytesMax: number): Promise<CharsetGrid> {
  const read = async (prefix: string, suffix = ''): Promise<Uint16Array> => {
    const bytes = `CONCAT(${prefix}byte.b, trail.b${suffix})`
    const answers = await answersOf(
      connection,
      `SELECT GROUP_CONCAT(${unitOf(charset, bytes)} ORDER BY trail.n) AS list FROM byte, trail GROUP BY byte.n ORDER BY byte.n`,
    )
    return unitsOf(answers)
  }
  const ones = unitsOf(
    await answersOf(connection, `SELECT GROUP_CONCAT(${unitOf(charset, 'byte.b')} ORDER BY byte.n) AS list FROM byte`),
  )
  return {
    ones,
    twos: bytesMax > 1 ? withoutPairs(await read(''), ones) : null,
    threes: bytesMax === 3 ? await read("X'8F', ") : null,
    fours: bytesMax === 4 ? await readFours(connection, charset) : null,
  }
}

/** Hexadecimal digits of the UTF-16 units; empty where the server does not accept the bytes. */
function unitOf(charset: string, bytes: string): string {
  const text = `CONVERT(${bytes} USING ${charset})`
  return `IF(HEX(${text}) <=> HEX(${bytes}), HEX(CONVERT(${text} USING utf16)), '')`
}

async function answersOf(connection: Connection, sql: string): Promise<string[]> {
  const [rows] = await connection.query<RowDataPacket[]>(sql)
  return (rows as { list: string }[]).flatMap(({ list }) => list.split(','))
}

/** A text of two characters has 8 digits: the bytes are no character of their own. */
function unitsOf(answers: readonly string[]): Uint16Array {
  return Uint16Array.from(answers, (hex) => (hex.length === 4 ? Number.parseInt(hex, 16) : 0))
}

/** A pair of bytes is a character only if its first byte is none. */
function withoutPairs(twos: Uint16Array, ones: Uint16Array): Uint16Array {
  return twos.map((unit, i) => ((ones[i >> 8] ?? 0) === 0 && i >> 8 !== 0 ? unit : 0))
}

const FOURS = 39_420

async function readFours(connection: Connection, charset: string): Promise<Uint16Array> {
  const bytes = Buffer.alloc(FOURS * 4)
  for (let i = 0; i < FOURS; i++) {
    const [first, second, third, fourth] = [i / 12_600, (i / 1260) % 10, (i / 10) % 126, i % 10].map(Math.floor) as [
      number,
      number,
      number,
      number,
    ]
    bytes.set([0x81 + first, 0x30 + second, 0x81 + third, 0x30 + fourth], i * 4)
  }
  const [hex = ''] = await answersOf(
    connection,
    `SELECT HEX(CONVERT(_${charset} X'${bytes.toString('hex')}' USING utf16)) AS list`,
  )
  if (hex.length !== FOURS * 4) throw new Error(`${charset}: ${hex.length} digits for ${FOURS} characters`)
  return Uint16Array.from({ length: FOURS }, (_, i) => Number.parseInt(hex.slice(i * 4, i * 4 + 4), 16))
}
