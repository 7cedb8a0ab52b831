/**
 * Loaded by a worker before its program (`--import`): the name of the database has an address, except while a file
 * exists. Then its answer is that of a name service that does not know it.
 */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'
import { existsSync } from 'node:fs'

type Answer = (error: Error | null, address?: string | readonly LookupAddress[], family?: number) => void
type Lookup = (host: string, options: LookupOptions, answer: Answer) => void

const { TRIBUTARY_TEST_NAME: name = '', TRIBUTARY_TEST_NAME_FAILS: file = '' } = process.env
const lookup = dns.lookup as unknown as Lookup

const withName: Lookup = (host, options, answer) => {
  if (host !== name) return lookup(host, options, answer)
  if (existsSync(file)) {
    const facts = { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname: host }
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), facts)
    return queueMicrotask(() => answer(error))
  }
  return lookup('127.0.0.1', options, answer)
}

Object.assign(dns, { lookup: withName })
