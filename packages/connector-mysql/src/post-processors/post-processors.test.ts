import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postProcessorProperties, postProcessorRefusals, postProcessors } from './post-processors.ts'

const CLASS = 'io.debezium.processors.reselect.ReselectColumnsPostProcessor'

test('both forms of the property names have the same options; those of Debezium 3 take precedence', () => {
  const now = {
    'post.processors': 'r',
    'post.processors.r.type': CLASS,
    'post.processors.r.reselect.null.values': 'false',
  }
  const before = { 'post.processors': ' r ', 'r.type': CLASS, 'r.reselect.null.values': 'FALSE' }
  for (const config of [now, before, { ...now, 'r.type': 'com.example.Other' }]) {
    assert.deepEqual(postProcessorRefusals(config), {})
    const [options, ...others] = postProcessors(config)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [options?.nullValues, options?.unavailableValues, options?.usesEventKey, options?.onError],
      [false, true, false, 'warn'],
    )
  }
  assert.ok(postProcessorProperties(now).includes('post.processors.r.reselect.use.event.key'))
  assert.ok(postProcessorProperties(before).includes('r.reselect.use.event.key'))
})

test('other classes, missing ones, wrong lists and modes are refused by the name of their property', () => {
  const r = { 'post.processors': 'r' }
  assert.deepEqual(Object.keys(postProcessorRefusals(r)), ['r.type'])
  const other = postProcessorRefusals({ ...r, 'post.processors.r.type': 'com.example.Other' })
  assert.match(
    other['post.processors.r.type']?.[0] ?? '',
    /com\.example\.Other is a Java class .*ReselectColumnsPostProcessor/,
  )
  const known = { ...r, 'r.type': CLASS }
  for (const [option, value] of [
    ['reselect.columns.include.list', 'a('],
    ['reselect.columns.exclude.list', '['],
    ['reselect.error.handling.mode', 'failed'],
  ] as const) {
    assert.deepEqual(Object.keys(postProcessorRefusals({ ...known, [`r.${option}`]: value })), [`r.${option}`])
  }
  assert.deepEqual(postProcessorRefusals({ ...known, 'r.reselect.error.handling.mode': ' FAIL ' }), {})
})
