import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RegexList, regexListRefusal } from './regex-list.ts'

test('commas separate, blanks around them do not count, an escaped comma belongs to its pattern', () => {
  const table: readonly (readonly [list: string, name: string, isMatched: boolean])[] = [
    ['inventory,sales', 'sales', true],
    [' inventory , sales ', 'inventory', true],
    ['inventory,,sales,', 'sales', true],
    ['inventory,sales', 'inventory,sales', false],
    [String.raw`a\,b,c`, 'a,b', true],
    [String.raw`a\,b,c`, 'c', true],
    [String.raw`a\,b,c`, 'a', false],
    // An escaped backslash escapes nothing behind it.
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

test('an empty list says so', () => {
  assert.deepEqual(
    ['', ' ', ' , ', 'a'].map((list) => new RegexList(list).isEmpty),
    [true, true, true, false],
  )
})

test('a refusal names the pattern that is none', () => {
  assert.equal(regexListRefusal('a,b.*'), null)
  assert.match(
    regexListRefusal('a,b(') ?? '',
    /^A comma-separated list of valid regular expressions is expected, but .*b\(/,
  )
  assert.match(regexListRefusal('a\\') ?? '', /^A comma-separated list/)
})
