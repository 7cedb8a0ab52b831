/**
 * The path of a connector for the `Location` header. As in Kafka Connect, it is percent-encoded except `/`, the
 * characters that a path may contain, and percent signs followed by two hexadecimal digits. One half of a surrogate
 * pair becomes `?`.
 */
export function connectorPath(name: string): string {
  const encoded = name
    .replaceAll(/\p{Cs}/gu, '?')
    .replaceAll(/%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/%-]+/gi, encodeURIComponent)
  return `/connectors/${encoded}`
}
