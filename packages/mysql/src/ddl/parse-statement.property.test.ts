import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DdlSyntaxError } from './errors.ts'
import type { DdlOptions } from './options.ts'
import { parseDdl } from './parse-statement.ts'

const WORDS =
  `CREATE ALTER DROP RENAME TRUNCATE TABLE TABLES DATABASE INDEX KEY UNIQUE PRIMARY FOREIGN REFERENCES CONSTRAINT
  CHECK ADD COLUMN MODIFY CHANGE CONVERT TO CHARACTER SET CHARSET COLLATE COMMENT DEFAULT NULL NOT AUTO_INCREMENT GENERATED
  ALWAYS AS ROW START END PERIOD FOR SYSTEM VERSIONING WITH WITHOUT OVERLAPS FIRST AFTER IF EXISTS LIKE SELECT TEMPORARY OR
  REPLACE PARTITION BY USING WAIT NOWAIT ON UPDATE CURRENT_TIMESTAMP INT VARCHAR ENUM DECIMAL DOUBLE PRECISION NATIONAL LONG
  UNSIGNED ZEROFILL BINARY CASE NEXT VALUE SET STATEMENT NAMES XA LOAD INTO`.split(/\s+/)
const PIECES = [
  '(',
  ')',
  ',',
  '.',
  ';',
  '=',
  '@',
  '-',
  '+',
  '`a`',
  "'b'",
  '"c"',
  '0x1F',
  "b'1'",
  "x'",
  '1.5',
  '/*!50000',
  '*/',
  '/*',
  '--',
  '#',
  '\\',
  '\n',
  't',
  '5',
]

const statements = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...WORDS, ...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(' ')),
  fc
    .array(fc.constantFrom(...WORDS, ...PIECES), { maxLength: 60 })
    .map((pieces) => `CREATE TABLE t (a INT ${pieces.join(' ')}`),
  fc.array(fc.constantFrom(...WORDS, ...PIECES), { maxLength: 60 }).map((pieces) => `ALTER TABLE t ${pieces.join('')}`),
)

const options = fc.record<DdlOptions>({
  flavor: fc.constantFrom('mysql', 'mariadb'),
  serverVersion: fc.constantFrom(50_700, 90_704, 101_119),
  ansiQuotes: fc.boolean(),
  noBackslashEscapes: fc.boolean(),
  realAsFloat: fc.boolean(),
})

test('any text yields a statement or a DdlSyntaxError with an offset within the text', () => {
  fc.assert(
    fc.property(statements, options, (sql, how) => {
      try {
        assert.ok(sql.includes(parseDdl(sql, how).text))
      } catch (error) {
        if (!(error instanceof DdlSyntaxError)) throw error
        assert.ok(error.offset >= 0 && error.offset <= sql.length)
      }
    }),
    { numRuns: 3000 },
  )
})
