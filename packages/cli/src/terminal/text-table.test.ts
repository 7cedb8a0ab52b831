import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noColours, terminalColours } from './palette.ts'
import { textTable } from './text-table.ts'

test('a column is as wide as its widest cell, and no blanks follow the last one', () => {
  assert.equal(
    textTable(
      ['NAME', 'STATE', 'N'],
      [
        ['shop', 'RUNNING', '1'],
        ['a-longer-name', '', ''],
      ],
      noColours,
    ),
    ['NAME           STATE    N', 'shop           RUNNING  1', 'a-longer-name', ''].join('\n'),
  )
})

test('colours do not count for the width, and control characters of a cell are escaped', () => {
  const { bad, aside } = terminalColours
  assert.equal(
    textTable(['A', 'B'], [[['\u009Bx', bad], 'y\nz']], terminalColours),
    `${aside('A')}        ${aside('B')}\n${bad('\\u009bx')}  y z\n`,
  )
})
