import { quoted } from '../tables/quoted-name.ts'

/**
 * What CURRENT_USER() gives, as statements take it: `u@%` → `` `u`@`%` ``. The part behind the last @ is the host; a user’s name
 * may have one itself.
 */
export function accountName(currentUser: string): string {
  const at = currentUser.lastIndexOf('@')
  return `${quoted(currentUser.slice(0, at))}@${quoted(currentUser.slice(at + 1))}`
}
