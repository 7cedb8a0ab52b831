import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LINE_MAX } from './wrap.ts'

/** The lines of all Markdown files of a tree that are longer than LINE_MAX, as `file:line: what`. */
export function longLines(root: string): readonly string[] {
  const pages = globSync('**/*.md', { cwd: root, exclude: (path) => path.includes('node_modules') }).toSorted()
  return pages.flatMap((page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n')
    return lines.flatMap((line, index) => {
      const count = Array.from(line).length
      return count > LINE_MAX ? [`${page}:${index + 1}: ${count} characters; the limit is ${LINE_MAX}`] : []
    })
  })
}
