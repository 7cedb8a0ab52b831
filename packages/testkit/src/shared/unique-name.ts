import { randomBytes } from 'node:crypto'

/**
 * A name that no other test uses, for topics, databases, groups and client ids on shared servers. It consists of the
 * prefix, `_` and hexadecimal digits.
 */
export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(4).toString('hex')}`
}
