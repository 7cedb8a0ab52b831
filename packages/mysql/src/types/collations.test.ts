import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalCharset, charsetOfCollation, collationById } from './collations.ts'

test('utf8 is an alias of utf8mb3, as a charset and in the name of a collation', () => {
  assert.equal(canonicalCharset('UTF8'), 'utf8mb3')
  assert.equal(charsetOfCollation('utf8_general_ci'), 'utf8mb3')
})

test('a collation that the table does not have is recognised by the charset in its name', () => {
  assert.equal(charsetOfCollation('utf8mb4_2040_ai_ci'), 'utf8mb4')
  assert.equal(charsetOfCollation('klingon_ai_ci'), null)
})

test('an unknown id is undefined', () => {
  assert.equal(collationById(65_000), undefined)
})
