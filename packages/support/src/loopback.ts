/**
 * Whether the IP address of a socket belongs to this machine alone: 127.0.0.0/8, ::1, or one of the former in the form
 * for IPv6 (::ffff:127.0.0.1). Undefined, the address of a Unix socket or a closed one: no.
 */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false
  return address === '::1' || /^(::ffff:)?127\./i.test(address)
}
