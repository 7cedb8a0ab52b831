import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryText, visibleJson, visibleText, withoutControls } from './visible-text.ts'

/** By Unicode's own properties: controls, characters that change directions, and ends of lines and paragraphs. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

const everyCharacter = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code))

test('exactly the characters that Unicode calls controls, directions and line ends are escaped', () => {
  for (const character of everyCharacter) {
    const isKept = !UNSAFE.test(character)
    const escape = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    assert.equal(withoutControls(character), isKept ? character : escape)
    assert.equal(visibleText(character), isKept || character === '\n' || character === '\t' ? character : escape)
  }
})

test('a JSON document stays the same document', () => {
  const document = { [everyCharacter.join('')]: everyCharacter, nested: [{ '\u202E': '\u009B2J' }, 1, null] }
  for (const indent of [0, 2, '\t']) {
    const visible = visibleJson(JSON.stringify(document, null, indent))
    assert.deepEqual(JSON.parse(visible), document)
    assert.doesNotMatch(visible.replaceAll(/[\n\t]/g, ''), UNSAFE)
  }
})

test('no line of a text looks like the start of an entry', () => {
  const forged = 'broken\n2026-11-24 10:00:00,000 INFO   Worker stopped\r\n    at here\n\n\u2028x'
  const expected = 'broken\n  2026-11-24 10:00:00,000 INFO   Worker stopped\\u000d\n    at here\n\n  \\u2028x'
  assert.equal(entryText(forged), expected)
})
