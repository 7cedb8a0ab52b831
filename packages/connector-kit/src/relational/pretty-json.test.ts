import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { prettyJson } from './pretty-json.ts'

const JACKSON = readFileSync(new URL('../../fixtures/history/jackson.json', import.meta.url), 'utf8')

test('a document is printed as Jackson prints it, to the byte', () => {
  const controls = Array.from({ length: 0x30 }, (_, code) => String.fromCharCode(code)).join('')

  assert.equal(
    prettyJson({
      controls: `${controls}\\/\u007f\u0080\u2028\u2029é漢😀`,
      'quo"te\n': 'x',
      empty: { inner: { innermost: { n: -5 } } },
      none: [],
      texts: ['a', 'b'],
      nested: [{ a: 1, b: [{}] }],
      big: 9_007_199_254_740_993n,
      yes: true,
      left: undefined,
      nothing: null,
    }),
    JACKSON,
  )
})

test('a lone surrogate and an escape that is only text are kept', () => {
  assert.equal(prettyJson('a\ud800b \\u001f'), '"a\ud800b \\\\u001f"')
})
