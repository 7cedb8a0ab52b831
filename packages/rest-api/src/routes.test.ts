import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { internalRouteNames, renderRestReference, routes, supportedRouteNames } from './index.ts'

test('no two operations have the same method and path', () => {
  const operations = Object.values(routes).map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual([...new Set(operations)], operations)
})

test('every operation is in exactly one of the two lists', () => {
  const names: readonly string[] = [...supportedRouteNames, ...internalRouteNames]
  assert.deepEqual(names.toSorted(), Object.keys(routes).toSorted())
})

test('the reference page is up to date with the table of routes', () => {
  const page = readFileSync(new URL('../../../docs/reference/rest.md', import.meta.url), 'utf8')
  assert.ok(page === renderRestReference(), 'docs/reference/rest.md differs from renderRestReference(): regenerate it')
})
