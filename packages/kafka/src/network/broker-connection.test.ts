import { systemClock } from '@tributary/support'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { BrokerConnection } from './broker-connection.ts'
import { usualSystemBuffer } from './request-writer.ts'

test('a connection whose socket has ended before is lost, and can be closed', async () => {
  const socket = new Socket()
  socket.destroy()
  await once(socket, 'close')
  const connection = new BrokerConnection(socket, {
    broker: 'broker:9092',
    clientId: 'c',
    requestTimeoutMs: 1_000,
    clock: systemClock,
    systemBuffer: usualSystemBuffer(),
  })
  assert.equal(connection.isOpen, false)
  await connection.close()
})
