const KEY = 'tributary.authorization'

/** The Authorization header of this tab; null without a login. It ends with the tab. */
export function storedLogin(): string | null {
  return sessionStorage.getItem(KEY)
}

export function storeLogin(header: string | null): void {
  if (header === null) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, header)
}

export function basicHeader(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

export function bearerHeader(token: string): string {
  return `Bearer ${token.trim()}`
}
