import {
  changed,
  cutAt,
  endless,
  errorPayload,
  type Fault,
  type FakeServerOptions,
  instead,
  OK,
  packetHeader,
  packetOf,
  type ServerKeys,
} from '@tributary/testkit'
import type { FaultCase } from './fault-case.ts'

type More = Partial<Omit<FaultCase, 'server'>> & { readonly server?: Partial<FakeServerOptions> }

function isLogin(step: number): Fault['matches'] {
  return (point) => point.tag === 'login' && point.step === step
}

function login(kind: string, name: string, faults: readonly Fault[], { server = {}, ...more }: More = {}): FaultCase {
  const own = { greeting: { recorded: null }, faults, ...server }
  return { kind, name, flavor: 'mysql', entry: 'check', server: own, ...more }
}

const OK_SIZE = packetOf(OK, 2).length
const FAILED = { ends: 'failed' } as const

function* cuts(): Generator<FaultCase> {
  for (let size = 0; size < OK_SIZE; size++) {
    for (const ending of ['close', 'reset', 'stall'] as const) {
      const fault = { matches: isLogin(0), bend: cutAt(size, ending), times: 2 }
      const reads =
        ending === 'stall' ? /MYSQL_UNREACHABLE.*did not complete the login within [\d.]+ s/ : /MYSQL_UNREACHABLE/
      yield login(`login, ${ending}`, `after byte ${size}`, [fault], { ...FAILED, isSilent: ending === 'stall', reads })
    }
    const bend = instead(packetOf(OK.subarray(0, size), 2))
    yield login('login, shorter', `${size} bytes`, [{ matches: isLogin(0), bend }], { ends: 'unharmed' })
  }
}

/** Plug-ins of both servers, and names that no server has. */
const PLUGINS: readonly string[] = [
  'client_ed25519',
  'parsec',
  'dialog',
  'auth_gssapi_client',
  'mysql_clear_password',
  'mysql_old_password',
  'authentication_ldap_sasl_client',
  'authentication_webauthn_client',
  'toString',
  '__proto__',
  '',
  '\x1b[2J\nERROR forged',
  'x'.repeat(9_000),
]

function* switches(): Generator<FaultCase> {
  for (const plugin of PLUGINS) {
    const server = { login: { tag: 'switch', plugin, data: Buffer.alloc(20, 0x61) } } as const
    const reads = /MYSQL_LOGIN_UNSUPPORTED.*ALTER USER/
    yield login('login, plug-in', plugin.slice(0, 40), [], { ...FAILED, server, reads })
  }
  const old = instead(packetOf(Buffer.from([0xfe]), 2))
  const reads = /MYSQL_LOGIN_UNSUPPORTED.*mysql_old_password/
  yield login('login, plug-in', 'before 4.1', [{ matches: isLogin(0), bend: old }], { ...FAILED, reads })
  for (const plugin of ['mysql_native_password', 'caching_sha2_password', 'sha256_password']) {
    for (const size of [0, 1, 7, 20, 21, 5_000]) {
      const server = { login: { tag: 'switch', plugin, data: Buffer.alloc(size, 0x61) } } as const
      yield login('login, scramble', `${plugin}, ${size} bytes`, [], { server, ends: 'unharmed' })
    }
  }
}

function* answers(): Generator<FaultCase> {
  for (let first = 0; first < 256; first++) {
    const bend = instead(packetOf(Buffer.from([first, 1, 2, 3, 4, 5, 6]), 2), 'stall')
    const more = { ends: 'unharmed', isSilent: true } as const
    yield login('login, any answer', `byte ${first}`, [{ matches: isLogin(0), bend }], more)
  }
  for (const sequence of [0, 1, 3, 255]) {
    const bend = instead(packetOf(OK, sequence))
    const reads = /MYSQL_PROTOCOL.*it sent packet \d+ instead of 2/
    yield login('login, sequence', `${sequence}`, [{ matches: isLogin(0), bend }], { ...FAILED, reads })
  }
  for (const [errno, message, reads] of [
    [1045, "Access denied for user 'u\x1b[31m\r\n'@'h'", /MYSQL_ACCESS_DENIED.*\\u001b\[31m\\u000d\\u000a/],
    [1040, 'Too many connections', /MYSQL_BUSY/],
    [1862, 'Your password has expired', /MYSQL_ACCESS_DENIED/],
  ] as const) {
    const server = { login: { tag: 'refuse', errno, message } } as const
    yield login('login, refused', `${errno}`, [], { ...FAILED, server, reads })
  }
  const more = Buffer.concat(Array.from({ length: 256 }, (_, i) => packetOf(Buffer.from([1, 3]), 2 + i)))
  const endings = { matches: isLogin(0), bend: endless(() => Buffer.alloc(0), more) }
  yield login('without end', 'an exchange of passwords', [endings], FAILED)
  const part = Buffer.concat([packetHeader(0xff_ff_ff, 2), Buffer.alloc(0xff_ff_ff)])
  yield login(
    'without end',
    'an answer to the login',
    [{ ...endings, bend: endless(() => Buffer.alloc(0), part) }],
    FAILED,
  )
}

const SHA2 = 'caching_sha2_password'

function* publicKeys(keys: ServerKeys): Generator<FaultCase> {
  const server = {
    greeting: { recorded: null, plugin: SHA2 },
    login: { tag: 'sha2Full', password: 'dbz' },
    keys,
  } as const
  const refused = { 'driver.allowPublicKeyRetrieval': 'false' }
  const recorded = { greeting: { plugin: SHA2, recorded: null }, login: { tag: 'sha2Fast' } } as const
  yield login('login, password', 'known to the server', [], { server: recorded, ends: 'healthy' })
  yield login('login, password', 'encrypted with the key', [], { server, ends: 'healthy' })
  const switched = { ...server, login: { tag: 'switch', plugin: SHA2, data: Buffer.alloc(21, 0x61) } } as const
  yield login('login, password', 'key refused', [], { server, ...FAILED, config: refused, reads: /MYSQL_/ })
  yield login('login, password', 'plug-in changed', [], { server: switched, ends: 'healthy' })
  for (const [name, key] of [
    ['empty', Buffer.alloc(0)],
    ['no PEM', Buffer.from('a key')],
    ['cut', Buffer.from(keys.publicKey.slice(0, 200))],
    ['a certificate', Buffer.from(keys.certificate.slice(0, 300))],
  ] as const) {
    const bend = instead(packetOf(Buffer.concat([Buffer.from([1]), key]), 4))
    const faults = [{ matches: isLogin(1), bend }]
    yield login('login, public key', name, faults, { server, ...FAILED, reads: /MYSQL_PROTOCOL/ })
  }
  for (let size = 0; size < 40; size += 3) {
    for (const ending of ['close', 'stall'] as const) {
      const faults = [{ matches: isLogin(1), bend: cutAt(size, ending) }]
      yield login('login, public key', `${size} bytes, ${ending}`, faults, {
        server,
        ...FAILED,
        isSilent: ending === 'stall',
      })
    }
  }
}

const isTls: Fault['matches'] = (point) => point.tag === 'tls'
const REQUIRED = { 'database.ssl.mode': 'required' }
const PREFERRED = { 'database.ssl.mode': 'preferred' }

/** After the client has asked for TLS, which the greeting offers. */
function* tls(keys: ServerKeys): Generator<FaultCase> {
  const server = { greeting: { recorded: null, hasTls: true }, keys } as const
  yield login('TLS', 'as it should be', [], { server, config: REQUIRED, ends: 'healthy' })
  const none = { greeting: { recorded: null } } as const
  yield login('TLS', 'not offered', [], {
    server: none,
    config: REQUIRED,
    ...FAILED,
    reads: /MYSQL_TLS_FAILED.*does not offer TLS/,
  })
  yield login('TLS', 'not offered, preferred', [], { server: none, config: PREFERRED, ends: 'healthy' })
  for (const [name, bend] of [
    ['closed', instead(Buffer.alloc(0), 'close')],
    ['reset', instead(Buffer.alloc(0), 'reset')],
    ['silent', instead(Buffer.alloc(0), 'stall')],
    ['an error packet', instead(packetOf(errorPayload(1043, 'Bad handshake'), 2), 'close')],
    ['OK without TLS', instead(packetOf(OK, 2), 'stall')],
    ['an answer of HTTP', instead(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'close')],
    ['an alert', instead(Buffer.from('15030300020228', 'hex'), 'close')],
    ['a half record', instead(Buffer.from('160303ffff02', 'hex'), 'close')],
    ['a half record, silent', instead(Buffer.from('160303ffff02', 'hex'), 'stall')],
    ['zeros', instead(Buffer.alloc(2_000), 'close')],
    ['bytes of 255', instead(Buffer.alloc(2_000, 0xff), 'close')],
    [
      'records without end',
      endless(() => Buffer.alloc(0), Buffer.from(`16030340 00${'02'.repeat(0x4000)}`.replace(' ', ''), 'hex')),
    ],
  ] as const) {
    for (const config of [REQUIRED, PREFERRED]) {
      const more = {
        server,
        config,
        ...FAILED,
        isSilent: true,
        reads: /MYSQL_(TLS_FAILED|UNREACHABLE|PROTOCOL)/,
      } as const
      yield login('TLS', `${name}, ${config['database.ssl.mode']}`, [{ matches: isTls, bend, times: 9 }], more)
    }
  }
  for (const [name, bend] of [
    ['nothing', cutAt(0, 'close')],
    ['silence', cutAt(3, 'stall')],
    ['zeros', instead(Buffer.alloc(64), 'close')],
    ['text', instead(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 'close')],
    ['another number', changed((bytes) => Buffer.concat([bytes.subarray(0, 3), Buffer.from([9]), bytes.subarray(4)]))],
  ] as const) {
    const more = { server, config: REQUIRED, ...FAILED, isSilent: true } as const
    yield login('TLS, then', name, [{ matches: isLogin(0), bend, times: 9 }], more)
  }
}

/** Faults after the greeting, up to the end of the login. */
export function loginCases(keys: ServerKeys): readonly FaultCase[] {
  return [...cuts(), ...switches(), ...answers(), ...publicKeys(keys), ...tls(keys)]
}
