/**
 * The path of a connector for the `Location` header, encoded as Kafka Connect does it: `/`, the characters that may stand
 * in a path, and what looks like an escape already are left as they are. A half of a surrogate pair becomes `?`.
 */
export function connectorPath(name: string): string {
  const encoded = name
    .replaceAll(/\p{Cs}/gu, '?')
    .replaceAll(/%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/%-]+/gi, encodeURIComponent)
  return `/connectors/${encoded}`
}
