import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, useMariaDb, useMySql } from '@tributary/testkit'
import { charsetNamed } from './charset.ts'

/** Text of each byte of a one-byte charset, as the server converts it. */
async function serverText(server: Database, charset: string, bytes: readonly number[]): Promise<string[]> {
  const columns = bytes.map(
    (byte) => `HEX(CONVERT(_${charset} X'${byte.toString(16).padStart(2, '0')}' USING utf8mb4)) AS c${byte}`,
  )
  const [row] = await server.query(`SELECT ${columns.join(', ')}`)
  return bytes.map((byte) => Buffer.from(String(row?.[`c${byte}`]), 'hex').toString())
}

const ALL = Array.from({ length: 256 }, (_, byte) => byte)

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`latin1 is decoded as ${name} decodes it, each byte`, async () => {
    const latin1 = charsetNamed('latin1')
    const expected = await serverText(await use(), 'latin1', ALL)

    assert.deepEqual(
      ALL.map((byte) => latin1?.decode(Buffer.from([byte]), 0, 1)),
      expected,
    )
    // All in one text, which takes the slower of the two ways to decode.
    assert.equal(latin1?.decode(Buffer.from(ALL), 0, 256), expected.join(''))
  })

  test(`ascii is decoded as ${name} decodes it`, async () => {
    const ascii = ALL.slice(0, 128)

    assert.equal(
      charsetNamed('ascii')?.decode(Buffer.from(ascii), 0, 128),
      (await serverText(await use(), 'ascii', ascii)).join(''),
    )
  })

  test(`both UTF-8 charsets are decoded as ${name} decodes them`, async () => {
    const server = await use()
    for (const [charset, text] of [
      ['utf8mb4', 'aé漢😀'],
      ['utf8mb3', 'aé漢'],
    ] as const) {
      const bytes = Buffer.from(text)
      const [row] = await server.query(
        `SELECT HEX(CONVERT(CONVERT(_${charset} X'${bytes.toString('hex')}' USING utf16le) USING utf16le)) AS h`,
      )
      const expected = Buffer.from(String(row?.['h']), 'hex').toString('utf16le')
      assert.equal(charsetNamed(charset)?.decode(bytes, 0, bytes.length), expected)
    }
  })
}
