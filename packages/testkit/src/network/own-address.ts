import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'

/**
 * An IPv4 address of this machine that is not loopback. A connection to it looks like one to another machine, and stays
 * within this one.
 */
export function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)
  assert.ok(own, 'this test needs a network interface with an IPv4 address besides loopback')
  return own.address
}
