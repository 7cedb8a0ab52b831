import { RegexList, TableId } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from './table-filter.ts'

test('databases of the server itself are captured only with table.ignore.builtin=false, and computed ones never', () => {
  const none = new RegexList('')
  const lists = { databaseInclude: none, databaseExclude: none, tableInclude: none, tableExclude: none }
  const captured = (filter: TableFilter): readonly string[] =>
    ['shop', 'mysql', 'SYS', 'information_schema', 'performance_schema'].filter((database) =>
      filter.includesTable(TableId.of(database, 't')),
    )
  assert.deepEqual(captured(new TableFilter(lists)), ['shop'])
  assert.deepEqual(captured(new TableFilter({ ...lists, ignoresBuiltIn: false })), ['shop', 'mysql', 'SYS'])
})
