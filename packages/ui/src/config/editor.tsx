import type { ConfigKeyInfo } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useLoaded } from '../api/use-loaded.ts'
import { formatCount } from '../format.ts'
import { Empty, Failure, Loading } from '../parts/messages.tsx'
import { changesBetween, type Config } from './changes.ts'
import { Findings } from './findings.tsx'
import { PropertyField } from './property-field.tsx'
import { TablePicker } from './table-picker.tsx'
import { useValidation } from './use-validation.ts'

export interface ConfigEditorProps {
  readonly initial: Config
  readonly isReadOnly: boolean
  readonly actionLabel: string
  /** Whether the button needs a change. Default: true. */
  readonly needsChange?: boolean
  /** Whether the tables can be chosen from those of the database. Default: false. */
  readonly picksTables?: boolean
  readonly onSubmit: (config: Config) => void
}

type Scope = 'set' | 'important' | 'all'

/** Every property of a connector's class with its documentation, checked by the worker while it is edited. */
export function ConfigEditor({
  initial,
  isReadOnly,
  actionLabel,
  needsChange = true,
  picksTables = false,
  onSubmit,
}: ConfigEditorProps): VNode {
  const [config, setConfig] = useState<Config>(initial)
  const [words, setWords] = useState('')
  const [scope, setScope] = useState<Scope>('set')
  const className = initial['connector.class'] ?? ''
  const keys = useLoaded<readonly ConfigKeyInfo[]>(
    className === '' ? null : `/connector-plugins/${encodeURIComponent(className)}/config`,
  )
  const [isTypingSecret, setTypingSecret] = useState(false)
  // A check logs in to the database, which may lock its user after some half-typed passwords.
  const validation = useValidation(config, !isReadOnly && !isTypingSecret)
  const changes = changesBetween(initial, config)
  const definitions = useMemo(
    () => new Map([...(keys.value ?? []), ...validation.definitions].map((key) => [key.name, key])),
    [keys.value, validation.definitions],
  )
  const names = useMemo(
    () => chooseNames({ definitions, initial, config, scope, words, errors: [...validation.errors.keys()] }),
    [definitions, initial, config, scope, words, validation.errors],
  )
  if (keys.error !== null) return <NoProperties error={keys.error} onRetry={keys.reload} />
  if (keys.value === null && className !== '') return <Loading what="the properties" />
  const set = (name: string, value: string | null): void => {
    const { [name]: _, ...others } = config
    setConfig(value === null ? others : { ...others, [name]: value })
  }
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(config)
      }}
    >
      <div class="editor-bar">
        <label class="field-inline">
          <span>Show</span>
          <select value={scope} onChange={({ currentTarget }) => setScope(scopeNamed(currentTarget.value))}>
            <option value="set">what is set</option>
            <option value="important">what is important</option>
            <option value="all">everything</option>
          </select>
        </label>
        <label class="field-inline grow">
          <span>Find</span>
          <input
            type="search"
            value={words}
            placeholder="name or documentation"
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
        <span class="count" role="status">
          {formatCount(names.length)} of {formatCount(definitions.size)} properties
        </span>
        {isReadOnly ? null : (
          <button type="submit" class="primary" disabled={needsChange && changes.length === 0}>
            {actionLabel}
            {changes.length === 0 ? '' : ` (${changes.length})`}
          </button>
        )}
      </div>
      {isReadOnly ? <p class="soft">You may only read. Passwords are hidden.</p> : <Findings validation={validation} />}
      {picksTables ? <TablePicker config={config} onPicked={(lists) => setConfig(withLists(config, lists))} /> : null}
      {names.length === 0 ? (
        <Empty title="No property matches" />
      ) : (
        names.map((name) => (
          <PropertyField
            key={name}
            name={name}
            definition={definitions.get(name) ?? null}
            value={config[name] ?? null}
            initial={initial[name] ?? null}
            errors={validation.errors.get(name) ?? []}
            isReadOnly={isReadOnly || name === 'connector.class' || name === 'name'}
            onChange={(value) => set(name, value)}
            onTyping={setTypingSecret}
          />
        ))
      )}
    </form>
  )
}

function NoProperties(props: { readonly error: Error; readonly onRetry: () => void }): VNode {
  return <Failure title="The properties cannot be read" {...props} />
}

/** With the lists in place of those of the configuration; null removes one. */
function withLists(config: Config, lists: Readonly<Record<string, string | null>>): Config {
  const all = Object.entries<string | null>({ ...config, ...lists })
  return Object.fromEntries(all.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

function scopeNamed(text: string): Scope {
  return text === 'all' || text === 'important' ? text : 'set'
}

interface Choice {
  readonly definitions: ReadonlyMap<string, ConfigKeyInfo>
  readonly initial: Config
  readonly config: Config
  readonly scope: Scope
  readonly words: string
  readonly errors: readonly string[]
}

/** The properties to show: those that are set or have an error first. */
function chooseNames({ definitions, initial, config, scope, words, errors }: Choice): readonly string[] {
  const set = new Set([...Object.keys(initial), ...Object.keys(config), ...errors])
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const matches = (name: string): boolean => {
    const text = `${name} ${definitions.get(name)?.documentation ?? ''}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  }
  const others = [...definitions.values()].filter(({ name, importance, required }) => {
    if (set.has(name)) return false
    // A search looks everywhere.
    return scope === 'all' || wanted.length > 0 || (scope === 'important' && (importance === 'HIGH' || required))
  })
  return [...[...set].toSorted(), ...others.map(({ name }) => name)].filter(matches)
}
