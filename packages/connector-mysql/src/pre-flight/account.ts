import { quoted } from '../tables/quoted-name.ts'

/**
 * The result of CURRENT_USER(), quoted for statements: `u@%` → `` `u`@`%` ``. The host follows the last @, since the
 * name of a user may contain one.
 */
export function accountName(currentUser: string): string {
  const at = currentUser.lastIndexOf('@')
  return `${quoted(currentUser.slice(0, at))}@${quoted(currentUser.slice(at + 1))}`
}
