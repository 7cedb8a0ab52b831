/** Encodes a text as Java's String.getBytes does: an unpaired surrogate becomes a question mark. */
export function textBytes(text: string, encoding: 'utf8' | 'latin1' | 'ascii'): Buffer {
  if (encoding === 'utf8') return Buffer.from(text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, '?'))
  return Buffer.from(text.replaceAll(encoding === 'latin1' ? /[^\0-\xff]/gu : /[^\0-\x7f]/gu, '?'), 'latin1')
}
