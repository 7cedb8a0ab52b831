/** A name between backquotes, as statements take it whatever is in it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
