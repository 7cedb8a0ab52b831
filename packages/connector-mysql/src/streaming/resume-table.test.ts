import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RESUME_TABLE } from './resume-table.ts'

/**
 * Written by hand: the next state of each input (rows) in each state (columns), with the decision where it is not
 * `handle`.
 */
const EXPECTED = `
               over   awaited                   overtaken   inside            resumed
beginSame      over   inside                    inside      inside            over
beginUnnamed   over   inside                    overtaken   over              over
beginOther     over   overtaken+handleAndWarn   overtaken   over              over
aloneSame      over   awaited                   overtaken   over              over
aloneUnnamed   over   awaited                   overtaken   over              over
aloneOther     over   overtaken+handleAndWarn   overtaken   over              over
earlyEvent     over   awaited                   overtaken   inside+skip       over
rows           over   awaited                   overtaken   resumed+skipRows  over
otherEvent     over   awaited                   overtaken   inside            over
end            over   awaited                   overtaken   over              over
`

const [head = [], ...lines] = EXPECTED.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))
const expected = lines.flatMap(([input = '', ...cells]) =>
  cells.map((cell, column) => [`${head[column]} × ${input}`, cell.includes('+') ? cell : `${cell}+handle`] as const),
)

const actual = new Map(
  Object.entries(RESUME_TABLE).flatMap(([state, inputs]) =>
    Object.entries(inputs).map(
      ([input, { next, decision }]) => [`${state} × ${input}`, `${next}+${decision}`] as const,
    ),
  ),
)

test('the table has exactly the cells that are expected: 5 states, 10 inputs', () => {
  assert.equal(expected.length, 50)
  assert.deepEqual([...actual.keys()].toSorted(), expected.map(([cell]) => cell).toSorted())
})

for (const [cell, outcome] of expected) {
  test(`${cell} → ${outcome}`, () => assert.equal(actual.get(cell), outcome))
}
