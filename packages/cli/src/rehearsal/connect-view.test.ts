import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoppedError, systemClock } from '@tributary/support'
import { RestClient, type RestClientOptions } from '../connectors/rest-client.ts'
import { fakeService, page } from '../testing/fake-service.ts'
import { RestView } from './connect-view.ts'

const signal = new AbortController().signal

function viewOf(url: string, options: Partial<RestClientOptions> = {}): RestView {
  return new RestView(new RestClient({ url, clock: systemClock, onNote: () => undefined, ...options }), null)
}

const requests: Readonly<Record<string, (view: RestView) => Promise<unknown>>> = {
  'the configuration of a connector': (view) => view.config('shop'),
  'the status of a connector': (view) => view.checkRunning('shop'),
  'a list of offsets': (view) => view.offset('shop', { server: 'shop' }, signal),
  'a list of topics': (view) => view.topics('shop'),
}

for (const [what, ask] of Object.entries(requests)) {
  test(`an answer that is not ${what} is an error with the address, whatever it is`, async () => {
    const bodies = [
      'null',
      '[]',
      '"x"',
      '7',
      '{"a":1}',
      '{"offsets":{}}',
      '{"offsets":[{"partition":null,"offset":1}]}',
    ]
    const others = ['{"connector":{"state":7},"tasks":[]}', '{"connector":{"state":"RUNNING"},"tasks":[null]}']
    for (const body of [...bodies, ...others, '{"shop":{"topics":[1]}}']) {
      // A connector without offsets has an empty list; null is the answer for an unknown connector.
      if (what === 'a list of offsets' && /^\{(?!"offsets")/.test(body)) continue
      if (what === 'a list of topics' && body === 'null') continue
      if (what === 'the configuration of a connector' && body === 'null') continue
      await using server = await fakeService(page(200, body))
      await assert.rejects(ask(viewOf(server.url)), { code: 'SERVICE_FOREIGN', message: new RegExp(server.url) }, body)
    }
  })
}

test('an answer without an end is refused', async () => {
  await using server = await fakeService((_request, response) => {
    const more = (): void => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', more)
    }
    more()
  })
  const asked = viewOf(server.url, { answerBytesMax: 2 ** 20 }).config('shop')
  await assert.rejects(asked, { code: 'SERVICE_FOREIGN', message: /its answer has more than 1 MiB/ })
})

test('an aborted signal ends the wait for a worker that does not answer, and for one that starts', async () => {
  for (const isSilent of [true, false]) {
    const ending = new AbortController()
    await using server = await fakeService((request, response) => {
      ending.abort()
      if (!isSilent) page(503, '{"error_code":503,"message":"Worker is still starting up."}')(request, response)
    })
    await assert.rejects(viewOf(server.url, { signal: ending.signal }).config('shop'), StoppedError)
  }
})

test('an address with more than a path is refused; a login and slashes at the end are not in it', () => {
  assert.throws(() => viewOf('http://connect:8083/?a=b'), { code: 'SERVICE_URL_INVALID' })
  const client = new RestClient({
    url: 'http://ada:hunter2@connect:8083//',
    clock: systemClock,
    onNote: () => undefined,
  })
  assert.deepEqual([client.url, client.hasLogin], ['http://connect:8083', true])
})
