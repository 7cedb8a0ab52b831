import type { VNode } from 'preact'
import { Empty } from '../parts/messages.tsx'
import { withoutSecrets, type Change } from './changes.ts'

/** Changed properties, before and after. Secrets are not shown. */
export function Changes({ changes }: { readonly changes: readonly Change[] }): VNode {
  if (changes.length === 0) return <Empty title="Nothing is changed" />
  return (
    <ul class="plain diff">
      {changes.map(({ name, before, after }) => (
        <li key={name}>
          <code>{name}</code>
          {before === null ? null : (
            <del>
              <span class="hidden">before: </span>
              {shown(name, before)}
            </del>
          )}
          {after === null ? null : (
            <ins>
              <span class="hidden">after: </span>
              {shown(name, after)}
            </ins>
          )}
        </li>
      ))}
    </ul>
  )
}

function shown(name: string, value: string): string {
  if (value === '') return '(empty)'
  return withoutSecrets(name, value)
}
