import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { eachAddressText } from './each-address.ts'

const messageOf = ({ message }: Error): string => message

test('the error of a host name with several addresses has the reason of each', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const { port } = address
  server.close()
  await once(server, 'close')
  const refused = connect({
    host: 'two.example',
    port,
    autoSelectFamily: true,
    lookup: (_host, _options, done) =>
      done(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]),
  })
  const error = await new Promise<Error>((resolve) => {
    refused.on('error', resolve)
    refused.on('connect', () => resolve(new Error('another program listens there')))
  })
  const text = eachAddressText(error, messageOf)
  assert.equal(text, `connect ECONNREFUSED 127.0.0.1:${port}, connect ECONNREFUSED 127.0.0.2:${port}`)
  assert.equal(eachAddressText(new Error('refused'), messageOf), 'refused')
})
