import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseProperties } from './properties-file.ts'

/** Recorded from java.util.Properties of Java 17: a text, and the properties, or the message of the exception. */
type Vector = readonly [text: string, expected: Record<string, string> | string]

const vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/java-properties.json', import.meta.url), 'utf8'),
) as readonly Vector[]

test('the properties are those of java.util.Properties', () => {
  for (const [text, expected] of vectors) {
    if (typeof expected === 'string') continue
    assert.deepEqual(parseProperties(text), expected, JSON.stringify(text))
  }
})

test('a text that java.util.Properties refuses is an error', () => {
  const refused = vectors.filter(([, expected]) => typeof expected === 'string')

  assert.ok(refused.length > 0)
  for (const [text] of refused) assert.throws(() => parseProperties(text), SyntaxError, JSON.stringify(text))
})

test('the error names the line', () => {
  assert.throws(
    () => parseProperties('# workers\na=1\nb=x\\\n  \\u12\n'),
    /^SyntaxError: line 3: \\u is not followed by four hexadecimal digits$/,
  )
})
