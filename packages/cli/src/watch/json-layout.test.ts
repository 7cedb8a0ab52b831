import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { visibleText } from '@tributary/support'
import { layOutJson } from './json-layout.ts'
import { noColours, terminalColours } from '../terminal/palette.ts'

test('the layout is that of JSON.stringify with an indent of two, whatever the indent of the text', () => {
  const spacing = fc.constantFrom(0, 1, 7, '\t')
  fc.assert(
    fc.property(fc.jsonValue(), spacing, (value, space) => {
      const laidOut = layOutJson(JSON.stringify(value, null, space), noColours)
      // Only the layout escapes control characters that JSON allows unescaped.
      assert.equal(laidOut.replaceAll(/\\u00[789][\da-f]/g, ''), stringify(value))
      assert.deepEqual(JSON.parse(laidOut), JSON.parse(JSON.stringify(value)))
    }),
  )
})

function stringify(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[\u007F-\u009F]/g, '')
}

test('numbers and escapes are unchanged', () => {
  const text = String.raw`{"n":1795272878708654001,"d":1.50e-7,"s":"a\"b\\","u":"\u00e9\/"}`
  const expected = String.raw`{
  "n": 1795272878708654001,
  "d": 1.50e-7,
  "s": "a\"b\\",
  "u": "\u00e9\/"
}`
  assert.equal(layOutJson(text, noColours), expected)
})

test('names, strings, numbers and words have different colours', () => {
  const painted = layOutJson('{"a":["x",-1,null]}', terminalColours)
  assert.equal(
    painted,
    [
      '{\n  \u001B[36m"a"\u001B[39m: [',
      '    \u001B[32m"x"\u001B[39m,',
      '    \u001B[33m-1\u001B[39m,',
      '    \u001B[35mnull\u001B[39m',
      '  ]\n}',
    ].join('\n'),
  )
})

test('a string of many megabytes with escapes is laid out', () => {
  const text = JSON.stringify({ long: 'a"\\'.repeat(1_000_000) })
  assert.deepEqual(JSON.parse(layOutJson(text, noColours)), JSON.parse(text))
})

test('control characters are escaped', () => {
  assert.equal(layOutJson('"\u009B2J\u007F"', noColours), '"\\u009b2J\\u007f"')
  assert.equal(visibleText('a\tb\n\u001B[2Jc\r'), 'a\tb\n\\u001b[2Jc\\u000d')
})
