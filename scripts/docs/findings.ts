import { brokenReferences } from './broken-references.ts'
import { longLines } from './long-lines.ts'
import { stalePages } from './pages.ts'

/** What is wrong in the documents of a tree, each with its place. */
export function findingsIn(folder: string): readonly string[] {
  return [
    ...stalePages(folder).map((path) => `${path}: out of date; run: npm run --silent exec -- scripts/docs.ts`),
    ...brokenReferences(folder),
    ...longLines(folder),
  ]
}
