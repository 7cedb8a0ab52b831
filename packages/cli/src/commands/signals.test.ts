import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { runCli } from '../testing/cli-process.ts'

test('a signal that is sent again after 503 has the id of the first request', async (t) => {
  const ids: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id } = JSON.parse(body) as { readonly id: unknown }
      ids.push(id)
      const isLate = ids.length % 2 === 1
      response.writeHead(isLate ? 503 : 202, { 'Content-Type': 'application/json' })
      response.end(
        JSON.stringify(isLate ? { error_code: 503, message: 'not stored in time' } : { id, is_repeated: true }),
      )
    })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const environment = { TRIBUTARY_URL: `http://127.0.0.1:${address.port}` }
  for (const args of [
    ['signal', 'shop', 'pause-snapshot'],
    ['snapshot', 'shop', 'shop.pets'],
  ]) {
    ids.length = 0
    const { code, stderr } = await runCli(['connectors', ...args], environment)
    assert.equal(code, 0, stderr)
    assert.equal(ids.length, 2)
    assert.match(String(ids[0]), /^[0-9a-f-]{36}$/)
    assert.equal(ids[1], ids[0])
  }
})

test('a SELECT for several tables is refused', async () => {
  const { code, stderr } = await runCli(
    ['connectors', 'snapshot', 'shop', 'shop.a', 'shop.b', '--blocking', '--where', 'SELECT * FROM shop.a'],
    { TRIBUTARY_URL: 'http://127.0.0.1:1' },
  )
  assert.equal(code, 2)
  assert.match(stderr, /SELECT of one table, and there are several: shop\.a, shop\.b/)
})
