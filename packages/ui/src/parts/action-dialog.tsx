import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { request, type Method } from '../api/client.ts'
import { Dialog } from './dialog.tsx'

/** Something that a visitor can do to a connector. */
export interface Action {
  readonly label: string
  readonly method: Method
  readonly path: string
  /** What it will do, before it is done. */
  readonly effect: readonly string[]
  readonly isDangerous?: boolean
  /** A text that the visitor must type. */
  readonly confirmation?: string
}

export interface ActionDialogProps {
  readonly action: Action
  readonly onDone: () => void
  readonly onClose: () => void
}

/** States what an action will do, and does it when the visitor agrees. */
export function ActionDialog({ action, onDone, onClose }: ActionDialogProps): VNode {
  const { label, method, path, effect, isDangerous = false, confirmation } = action
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const isConfirmed = confirmation === undefined || typed === confirmation
  const run = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await request(method, path)
      onDone()
    } catch (thrown) {
      setError(thrown as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog title={label} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isConfirmed && !isBusy) void run()
        }}
      >
        {effect.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {confirmation === undefined ? null : (
          <label class="field">
            <span>
              Type <code>{confirmation}</code> to confirm
            </span>
            <input value={typed} autocomplete="off" onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
          </label>
        )}
        {error === null ? null : (
          <p class="error" role="alert">
            {error.message}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={!isConfirmed || isBusy}>
            {isBusy ? 'Working…' : label}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
