import { readFileSync } from 'node:fs'

/** An expression of a panel. */
export interface BoardExpression {
  readonly panel: string
  readonly expression: string
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/** The expressions of a Grafana board, with its variables replaced as Grafana replaces them for “All”. */
export function boardExpressions(file: string): readonly BoardExpression[] {
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { readonly panels: readonly Panel[] }
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expression: expr.replaceAll('$connector', '.*').replaceAll('$__rate_interval', '30s'),
    })),
  )
}
