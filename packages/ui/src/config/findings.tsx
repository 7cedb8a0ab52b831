import type { ConfigWarning } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { CopyButton } from '../parts/copy-button.tsx'
import { formatCount } from '../format.ts'
import type { Validation } from './use-validation.ts'

/** What the worker found in a configuration and on the database. */
export function Findings({ validation }: { readonly validation: Validation }): VNode {
  const { isRunning, errors, warnings, failure, of } = validation
  return (
    <section aria-label="Findings" class="findings">
      <p role="status" class={`verdict ${isRunning ? 'running' : ''}`}>
        {verdictOf(validation)}
      </p>
      {failure === null ? null : <p class="error prose">{failure.message}</p>}
      {of === null
        ? null
        : [...errors].map(([property, texts]) => (
            <Finding key={`error ${property}`} kind="bad" property={property} texts={texts} />
          ))}
      {grouped(warnings).map(([property, texts]) => (
        <Finding key={`warning ${property}`} kind="wait" property={property} texts={texts} />
      ))}
    </section>
  )
}

function verdictOf({ isRunning, errors, warnings, failure, of }: Validation): string {
  if (isRunning) return 'The worker checks the configuration and the database…'
  if (failure !== null) return 'The configuration could not be checked.'
  if (of === null) return 'The worker checks the configuration in a moment.'
  if (errors.size > 0)
    return `${formatCount(errors.size)} ${errors.size === 1 ? 'property has' : 'properties have'} errors.`
  if (warnings.length > 0)
    return `Valid, with ${formatCount(warnings.length)} ${warnings.length === 1 ? 'warning' : 'warnings'}.`
  return 'Valid. The database accepts the login and has what the connector needs.'
}

function grouped(warnings: readonly ConfigWarning[]): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>()
  for (const { property, message } of warnings) groups.set(property, [...(groups.get(property) ?? []), message])
  return [...groups]
}

interface FindingProps {
  readonly kind: 'bad' | 'wait'
  readonly property: string
  readonly texts: readonly string[]
}

function Finding({ kind, property, texts }: FindingProps): VNode {
  return (
    <div class={`notice ${kind}`}>
      <p class="notice-title">
        <code>{property}</code>
      </p>
      {texts.map((text) => (
        <div key={text}>
          <p class="prose">{text}</p>
          {statementsIn(text).map((statement) => (
            <div class="statement" key={statement}>
              <code>{statement}</code>
              <CopyButton text={statement} what="the statement" />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

/** Statements for the database in the text of a finding. */
export function statementsIn(text: string): readonly string[] {
  return [
    ...text.matchAll(
      /\b(?:GRANT|SET (?:GLOBAL|PERSIST)|CREATE USER|ALTER (?:TABLE|USER)) [^;.\n]+(?:\.[^;.\s][^;.\n]*)*;?/g,
    ),
  ].map(([statement]) => statement.trim())
}
