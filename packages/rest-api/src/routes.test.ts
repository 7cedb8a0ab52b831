import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isSupported, renderRestReference, routeNames, routes, unsupportedRouteNames } from './index.ts'

test('no two operations have the same method and path', () => {
  const operations = routeNames.map((name) => `${routes[name].method} ${routes[name].path}`)
  assert.deepEqual([...new Set(operations)], operations)
})

test('every operation is supported or listed as unsupported, once', () => {
  const listed: readonly string[] = [...routeNames.filter(isSupported), ...unsupportedRouteNames]
  assert.deepEqual(listed.toSorted(), routeNames.toSorted())
})

test('the reference page is the one that the table of routes gives', () => {
  const page = readFileSync(new URL('../../../docs/reference/rest.md', import.meta.url), 'utf8')
  assert.equal(page, renderRestReference())
})
