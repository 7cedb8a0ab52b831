import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderCommandReference } from '@tributary/cli'
import { renderRestReference } from '@tributary/rest-api'
import { renderConnectorReference } from './connector-reference.ts'
import { renderErrorReference } from './error-reference.ts'
import { renderMetricsReference } from './metrics-reference.ts'
import { renderOldNamesReference } from './old-names-reference.ts'
import { renderPreFlightReference } from './pre-flight-reference.ts'
import { renderStatesReference } from './states-reference.ts'
import { renderTransformationReference } from './transformation-reference.ts'
import { renderWorkerReference } from './worker-reference.ts'
import { wrapMarkdown } from './wrap.ts'

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Generates the reference pages from the code's own tables. */
export function generatedPages(): readonly Page[] {
  return [
    { path: 'docs/reference/rest.md', text: renderRestReference() },
    { path: 'docs/reference/command-line.md', text: renderCommandReference() },
    { path: 'docs/reference/errors.md', text: wrapMarkdown(renderErrorReference()) },
    { path: 'docs/reference/pre-flight.md', text: wrapMarkdown(renderPreFlightReference()) },
    { path: 'docs/reference/connector-properties.md', text: wrapMarkdown(renderConnectorReference()) },
    { path: 'docs/reference/metrics.md', text: wrapMarkdown(renderMetricsReference()) },
    { path: 'docs/reference/old-names.md', text: wrapMarkdown(renderOldNamesReference()) },
    { path: 'docs/reference/connector-states.md', text: wrapMarkdown(renderStatesReference()) },
    { path: 'docs/reference/transformations.md', text: wrapMarkdown(renderTransformationReference()) },
    { path: 'docs/reference/worker-properties.md', text: wrapMarkdown(renderWorkerReference()) },
  ]
}

/** Returns the paths of pages that a tree lacks or has with other contents. */
export function stalePages(root: string): readonly string[] {
  return generatedPages()
    .filter(({ path, text }) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(({ path }) => path)
}
