import { Schemas, type ConfigMap, type ConverterPlugin, type SchemaCompatibility } from '@tributary/connect-api'
import { defineErrors } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { TextConverter } from '../task/testing/text-converter.ts'
import { TicksConnector } from '../testing/ticks-plugin.ts'
import { previewRefusals } from './preview-refusals.ts'

const errors = defineErrors({
  UNREACHABLE: { message: 'unreachable', action: '', retriable: true },
  LOGIN: { message: 'the login is refused', action: '' },
})

class PreviewingConverter extends TextConverter {
  checkCompatibility(_schema: unknown, topic: string): Promise<SchemaCompatibility | null> {
    if (topic === 'unreachable') return Promise.reject(errors.UNREACHABLE({}))
    if (topic === 'login') return Promise.reject(errors.LOGIN({}))
    return Promise.resolve({ isAccepted: topic === 'fine', text: `the text of ${topic}` })
  }
}

const plugin: ConverterPlugin = {
  type: 'converter',
  className: 'x.Previewing',
  version: '1',
  create: () => new PreviewingConverter(),
}

test('refusals are reported by the converter’s property, the worker’s included; a failing registry refuses nothing', async () => {
  const schemas = (topic: string): object => ({ topic, keySchema: null, valueSchema: Schemas.string })
  const connector = Object.assign(new TicksConnector(), {
    capturedSchemas: async (config: ConfigMap) =>
      ['fine', 'bad', config['trouble'] ?? '', 'late'].map((topic) => schemas(topic) as never),
  })
  const context = { workerDefaults: {}, signal: new AbortController().signal }
  const workerProperties = { 'value.converter': 'x.Previewing' }
  for (const trouble of ['unreachable', 'login']) {
    const options = { plugins: new Plugins([plugin]), workerProperties, connector, config: { trouble } }
    const found = await previewRefusals(options, context)
    assert.deepEqual(
      [...found],
      [['value.converter', ['The next record for bad would fail the task. the text of bad']]],
    )
  }
})
