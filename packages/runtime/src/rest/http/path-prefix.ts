/** Whether a routable URL is under a prefix such as `/cdc`. */
export function hasPrefix(url: string, prefix: string): boolean {
  if (prefix === '' || !url.startsWith(prefix)) return false
  const next = url.charAt(prefix.length)
  return next === '' || next === '/' || next === '?'
}

/** The URL without the prefix, if it has it. */
export function withoutPrefix(url: string, prefix: string): string {
  if (!hasPrefix(url, prefix)) return url
  const rest = url.slice(prefix.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
