/**
 * Every character of every charset of both servers, compared with the server's own conversion. The servers decide which
 * bytes are characters.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOfTier, type Database, type DatabaseConnection, useMariaDb, useMySql } from '@tributary/testkit'
import { charsetNamed } from './charset.ts'

interface CharsetRow {
  readonly name: string
  readonly bytesMax: number
}

/** Bytes of one charset, and the server's text of them. */
interface Converted {
  readonly bytes: Buffer
  readonly text: string
}

for (const [server, use] of casesOfTier('charset', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(`every character of every charset is decoded as ${server} converts it`, async (t) => {
    await using session = await openSession(await use())
    const charsets = await session.rows<CharsetRow>(
      `SELECT character_set_name AS name, maxlen AS bytesMax FROM information_schema.character_sets
       WHERE character_set_name <> 'binary' ORDER BY 1`,
    )
    const different: string[] = []
    let compared = 0
    for (const { name, bytesMax } of charsets) {
      const texts = await textsOf(session, name, bytesMax)
      const count = texts.reduce((sum, { text }) => sum + codePointCount(text), 0)
      assert.ok(count > 127, name)
      compared += count
      different.push(...texts.flatMap((text) => differenceOf(name, text)))
    }
    t.diagnostic(`${charsets.length} charsets, ${compared} characters compared, ${different.length} different`)
    assert.deepEqual(different.slice(0, 20), [])
  })
}

function differenceOf(charset: string, { bytes, text }: Converted): string[] {
  const found = decoded(charset, bytes)
  if (found === text) return []
  const at = Array.from({ length: text.length }, (_, i) => i).find((i) => found[i] !== text[i]) ?? text.length
  const shown = bytes.length > 8 ? `unit ${at}` : bytes.toString('hex')
  return [`${charset} ${shown}: '${found.slice(at, at + 8)}' instead of '${text.slice(at, at + 8)}'`]
}

function decoded(name: string, bytes: Buffer): string {
  const charset = charsetNamed(name)
  assert.ok(charset !== undefined, name)
  // With bytes on both sides, which do not belong to the text.
  const around = Buffer.concat([Buffer.from([0xb0, 0xa1]), bytes, Buffer.from([0xa1, 0x30, 0x81])])
  return charset.decode(around, 2, 2 + bytes.length)
}

function codePointCount(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) count++
  return count
}

/**
 * All texts of one and two bytes that the server accepts, one by one, and the longer characters. Then all of these in
 * one text, in which a wrong length of one character shifts the others.
 */
async function textsOf(session: Session, name: string, bytesMax: number): Promise<readonly Converted[]> {
  const codePoints = CODE_POINTS[name]
  if (codePoints !== undefined) return converted(session, name, codePoints())
  const ones = await accepted(session, name, '')
  if (bytesMax === 1) {
    const pairs = ones.flatMap(({ bytes: [first = 0] }) => ones.map(({ bytes: [second = 0] }) => [first, second]))
    return [...ones, ...(await converted(session, name, Buffer.from(pairs.flat())))]
  }
  // A byte below 0x80 is always a character: such pairs are in the text of all.
  const short = [...ones, ...ones, ...(await accepted(session, name, 'byte.b, '))]
  if (bytesMax === 3) short.push(...(await accepted(session, name, "X'8F', byte.b, ")))
  // MySQL converts single bytes of eucjpms that it does not accept in a text.
  const characters = short.filter(({ bytes, text }) => text !== '?' || bytes.length > 1 || bytes[0] === 0x3f)
  const all = Buffer.concat([...characters.map(({ bytes }) => bytes), ...(bytesMax === 4 ? [fourBytes()] : [])])
  return [...short, ...(await converted(session, name, all))]
}

/** Charsets that write code points as numbers: all of them. */
const CODE_POINTS: Readonly<Record<string, () => Buffer>> = {
  utf8mb4: () => Buffer.from(allText(0x10ffff)),
  utf8mb3: () => Buffer.from(allText(0xffff)),
  utf16le: () => Buffer.from(allText(0x10ffff), 'utf16le'),
  utf16: () => Buffer.from(allText(0x10ffff), 'utf16le').swap16(),
  ucs2: () => Buffer.from(allText(0xffff), 'utf16le').swap16(),
  utf32: () => {
    const points = codePoints(0x10ffff)
    const bytes = Buffer.alloc(points.length * 4)
    for (const [i, point] of points.entries()) bytes.writeUInt32BE(point, i * 4)
    return bytes
  },
}

function allText(last: number): string {
  return codePoints(last)
    .map((point) => String.fromCodePoint(point))
    .join('')
}

/** Without surrogates, which are no characters. */
function codePoints(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, point) => point).filter((point) => point < 0xd800 || point > 0xdfff)
}

/** All characters of four bytes of gb18030. */
function fourBytes(): Buffer {
  const bytes = Buffer.alloc(126 * 10 * 126 * 10 * 4)
  let at = 0
  for (let first = 0x81; first <= 0xfe; first++) {
    for (let second = 0x30; second <= 0x39; second++) {
      for (let third = 0x81; third <= 0xfe; third++) {
        for (let fourth = 0x30; fourth <= 0x39; fourth++)
          at = bytes.writeUInt32BE(word(first, second, third, fourth), at)
      }
    }
  }
  return bytes
}

function word(first: number, second: number, third: number, fourth: number): number {
  return ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0
}

/** A text that the server accepts, in parts of whole characters: MariaDB accepts statements of 16 MB. */
async function converted(session: Session, charset: string, bytes: Buffer): Promise<readonly Converted[]> {
  const parts: Converted[] = []
  for (let from = 0; from < bytes.length;) {
    const to = from + PART_BYTES < bytes.length ? startOfCharacter(charset, bytes, from + PART_BYTES) : bytes.length
    const part = bytes.subarray(from, to)
    const [row] = await session.rows<{ text: string }>(
      `SELECT CONVERT(_${charset} X'${part.toString('hex')}' USING utf8mb4) AS text`,
    )
    parts.push({ bytes: part, text: row?.text ?? '' })
    from = to
  }
  return parts
}

/** A multiple of all sizes of characters. */
const PART_BYTES = 4_000_000

/** Where a character begins, at the place or shortly before it, in a text that is longer than a part. */
function startOfCharacter(charset: string, bytes: Buffer, place: number): number {
  let at = place
  if (charset === 'utf8mb4') while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  // The second half of a pair; the text has characters above U+FFFF at that place.
  if (charset === 'utf16' && ((bytes[at] ?? 0) & 0xfc) === 0xdc) at -= 2
  if (charset === 'utf16le' && ((bytes[at + 1] ?? 0) & 0xfc) === 0xdc) at -= 2
  // The characters of four bytes are at the end.
  if (charset === 'gb18030') at = bytes.length - Math.floor((bytes.length - at) / 4) * 4
  return at
}

/** The texts of the bytes and one more byte that the server accepts. */
async function accepted(session: Session, charset: string, before: string): Promise<readonly Converted[]> {
  const bytes = `CONCAT(${before}trail.b)`
  const text = `CONVERT(${bytes} USING ${charset})`
  // Bytes that are no text: MySQL returns NULL in a strict mode, MariaDB changes them.
  const answer = `CONCAT(HEX(${bytes}), ' ', IF(HEX(${text}) <=> HEX(${bytes}), HEX(CONVERT(${text} USING utf8mb4)), ''))`
  const [from, groups] = before === '' ? ['trail', ''] : ['byte, trail', 'WHERE byte.n >= 0x80 GROUP BY byte.n']
  const rows = await session.rows<{ answers: string }>(
    `SELECT GROUP_CONCAT(${answer} ORDER BY trail.n) AS answers FROM ${from} ${groups}`,
  )
  return rows.flatMap(({ answers }) =>
    answers.split(',').flatMap((each) => {
      const [hex = '', ofText = ''] = each.split(' ')
      const isAccepted = ofText !== ''
      return isAccepted ? [{ bytes: Buffer.from(hex, 'hex'), text: Buffer.from(ofText, 'hex').toString() }] : []
    }),
  )
}

/** A session with the tables `byte` and `trail` of all bytes. */
interface Session extends AsyncDisposable {
  rows<T>(sql: string): Promise<T[]>
}

async function openSession(database: Database): Promise<Session> {
  const connection: DatabaseConnection = await database.connect('root', { multipleStatements: true })
  const values = Array.from({ length: 256 }, (_, n) => `(${n}, X'${n.toString(16).padStart(2, '0')}')`).join(', ')
  await connection.query(`SET SESSION sql_mode = 'STRICT_ALL_TABLES', group_concat_max_len = 1000000;
    CREATE DATABASE IF NOT EXISTS charset_test; USE charset_test;
    CREATE TEMPORARY TABLE byte (n INT PRIMARY KEY, b BINARY(1)); INSERT INTO byte VALUES ${values};
    CREATE TEMPORARY TABLE trail SELECT * FROM byte`)
  return {
    rows: async <T>(sql: string) => {
      const [rows] = await connection.query(sql)
      return rows as T[]
    },
    [Symbol.asyncDispose]: () => connection.end(),
  }
}
