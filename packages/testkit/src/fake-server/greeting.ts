/** How a server that follows the protocol greets. */
export interface Greeting {
  readonly version: string
  /** The plug-in by which the user logs in. */
  readonly plugin: string
  /** Offers TLS. */
  readonly hasTls: boolean
  readonly protocol: number
  /** The payload of a real server’s greeting, of which only the offer of TLS is changed; null: made of the others. */
  readonly recorded: Buffer | null
}

export const GREETING: Greeting = {
  version: '8.4.0',
  plugin: 'mysql_native_password',
  hasTls: false,
  protocol: 10,
  recorded: null,
}

/** 20 bytes without zeros, as servers generate them. */
export const SCRAMBLE: Buffer = Buffer.from('abcdefghijklmnopqrst', 'latin1')

/**
 * HandshakeV10: int<1> protocol · string<NUL> version · int<4> thread · 8 bytes of the scramble · 0 · low flags ·
 * collation · status · high flags · length of the scramble · 10 reserved bytes · its other 12 bytes · 0 · plug-in · 0.
 */
export function greetingPayload(options: Partial<Greeting> = {}): Buffer {
  const { version, plugin, hasTls, protocol, recorded } = { ...GREETING, ...options }
  if (recorded !== null) return withTls(recorded, hasTls)
  const flags = CAPABILITIES | (hasTls ? CLIENT_SSL : 0)
  const middle = Buffer.alloc(18)
  middle.writeUInt16LE(flags & 0xff_ff, 0)
  middle[2] = 45
  middle.writeUInt16LE(2, 3)
  middle.writeUInt16LE(flags >>> 16, 5)
  middle[7] = SCRAMBLE.length + 1
  return Buffer.concat([
    Buffer.from([protocol]),
    Buffer.from(`${version}\0`, 'latin1'),
    Buffer.from([9, 0, 0, 0]),
    SCRAMBLE.subarray(0, 8),
    ZERO,
    middle,
    SCRAMBLE.subarray(8),
    ZERO,
    Buffer.from(`${plugin}\0`, 'latin1'),
  ])
}

/** The low flags follow the version, the thread and the first part of the scramble. */
function withTls(recorded: Buffer, hasTls: boolean): Buffer {
  const greeting = Buffer.from(recorded)
  const at = greeting.indexOf(0, 1) + 14
  const others = greeting.readUInt16LE(at) & ~CLIENT_SSL
  greeting.writeUInt16LE(others | (hasTls ? CLIENT_SSL : 0), at)
  return greeting
}

const ZERO = Buffer.alloc(1)
const CLIENT_SSL = 0x08_00
/** LONG_PASSWORD, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, MULTI_STATEMENTS, MULTI_RESULTS, PLUGIN_AUTH. */
const CAPABILITIES = 0x01 | 0x02_00 | 0x20_00 | 0x80_00 | 0x1_00_00 | 0x2_00_00 | 0x8_00_00
