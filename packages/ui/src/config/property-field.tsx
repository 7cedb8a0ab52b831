import type { ConfigKeyInfo } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { isSecret } from './changes.ts'

export interface PropertyFieldProps {
  readonly name: string
  /** Null for a property that the class does not define: options of converters and transformations. */
  readonly definition: ConfigKeyInfo | null
  /** Null: it is not set. */
  readonly value: string | null
  readonly initial: string | null
  readonly errors: readonly string[]
  readonly isReadOnly: boolean
  /** Null removes the property. */
  readonly onChange: (value: string | null) => void
  /** Whether a secret is being typed: its value is not complete until the field loses the focus. */
  readonly onTyping: (isTyping: boolean) => void
}

/** A property with its documentation, its default and its errors. */
export function PropertyField({
  name,
  definition,
  value,
  initial,
  errors,
  isReadOnly,
  onChange,
  onTyping,
}: PropertyFieldProps): VNode {
  const id = useId()
  const byDefault = definition?.type === 'PASSWORD' ? null : (definition?.default_value ?? null)
  return (
    <div class={`property ${value === initial ? '' : 'changed'} ${errors.length === 0 ? '' : 'invalid'}`}>
      <div class="property-name">
        <label for={id}>
          <code>{name}</code>
        </label>
        {definition?.required === true ? <span class="tag">required</span> : null}
        {value === initial ? null : <span class="tag">changed</span>}
      </div>
      <div class="property-input">
        <ValueInput {...{ id, name, definition, value, errors, isReadOnly, onChange, onTyping }} />
        {isReadOnly || value === null ? null : (
          <button type="button" class="quiet" onClick={() => onChange(null)}>
            Remove<span class="hidden"> {name}</span>
          </button>
        )}
        {isReadOnly || value === initial ? null : (
          <button type="button" class="quiet" onClick={() => onChange(initial)}>
            Undo<span class="hidden"> {name}</span>
          </button>
        )}
      </div>
      {errors.map((error) => (
        <p class="error prose" key={error} id={`${id}-error`}>
          {error}
        </p>
      ))}
      <p class="soft prose" id={`${id}-text`}>
        {definition?.documentation ?? 'This class does not define it; a part of the connector may read it.'}
        {byDefault === null || byDefault === '' ? '' : ` Default: ${byDefault}.`}
      </p>
    </div>
  )
}

type ValueInputProps = Omit<PropertyFieldProps, 'initial'> & { readonly id: string }

function ValueInput({ id, name, definition, value, errors, isReadOnly, onChange, onTyping }: ValueInputProps): VNode {
  const shared = {
    id,
    disabled: isReadOnly,
    'aria-describedby': errors.length === 0 ? `${id}-text` : `${id}-error ${id}-text`,
    'aria-invalid': errors.length > 0,
  }
  if (definition?.type === 'BOOLEAN' && (value === null || value === 'true' || value === 'false')) {
    return (
      <select
        {...shared}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
      >
        <option value="">not set</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    )
  }
  const isHidden = definition?.type === 'PASSWORD' || isSecret(name, value ?? '')
  const field = {
    ...shared,
    autocomplete: isHidden ? 'new-password' : 'off',
    spellcheck: false,
    value: value ?? '',
    placeholder: isHidden ? '' : (definition?.default_value ?? ''),
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      if (isHidden) onTyping(true)
      onChange(currentTarget.value === '' && value === null ? null : currentTarget.value)
    },
    onBlur: () => onTyping(false),
  }
  return isHidden ? <input {...field} type="password" /> : <input {...field} type="text" />
}
