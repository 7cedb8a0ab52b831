import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RegexList, regexListRefusal } from './regex-list.ts'

test('commas separate patterns, blanks around them are ignored, an escaped comma belongs to its pattern', () => {
  const table: readonly (readonly [list: string, name: string, isMatched: boolean])[] = [
    ['inventory,sales', 'sales', true],
    [' inventory , sales ', 'inventory', true],
    ['inventory,,sales,', 'sales', true],
    ['inventory,sales', 'inventory,sales', false],
    [String.raw`a\,b,c`, 'a,b', true],
    [String.raw`a\,b,c`, 'c', true],
    [String.raw`a\,b,c`, 'a', false],
    // An escaped backslash does not escape the character after it.
    [String.raw`a\\,b`, String.raw`a\ `.trim(), true],
    [String.raw`a\\,b`, 'b', true],
    ['inventory', 'inventory2', false],
    ['inventory', 'my_inventory', false],
    ['a|b', 'ax', false],
    ['Inventory', 'iNVENTORY', true],
  ]
  for (const [list, name, isMatched] of table) {
    assert.equal(new RegexList(list).matches(name), isMatched, `${list} and ${name}`)
  }
})

test('isEmpty is true of a list without patterns', () => {
  assert.deepEqual(
    ['', ' ', ' , ', 'a'].map((list) => new RegexList(list).isEmpty),
    [true, true, true, false],
  )
})

test('a refusal names the pattern that is not a regular expression', () => {
  assert.equal(regexListRefusal('a,b.*'), null)
  assert.match(
    regexListRefusal('a,b(') ?? '',
    /^A comma-separated list of valid regular expressions is expected, but .*b\(/,
  )
  assert.match(regexListRefusal('a\\') ?? '', /^A comma-separated list/)
})
