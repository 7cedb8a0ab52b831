import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Programs that a machine with nothing but Node and its system lacks. */
const HIDDEN = /^(java|javac|mvn|docker|podman|kcat|kafka-.*)$/

/** A folder with links to all programs of the PATH but those; Node itself is the first. */
export function barePath(folder: string, node: string): string {
  mkdirSync(folder)
  for (const each of [dirname(node), ...(process.env['PATH'] ?? '').split(delimiter)]) {
    if (!existsSync(each)) continue
    for (const name of readdirSync(each)) {
      if (!HIDDEN.test(name) && !existsSync(join(folder, name))) symlinkSync(join(each, name), join(folder, name))
    }
  }
  return folder
}
