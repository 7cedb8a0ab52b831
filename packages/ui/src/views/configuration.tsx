import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { connectorPath, request } from '../api/client.ts'
import { useLive } from '../api/use-live.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { changesBetween, type Config } from '../config/changes.ts'
import { Changes } from '../config/change-list.tsx'
import { ConfigEditor } from '../config/editor.tsx'
import { ConnectorHead } from '../parts/connector-head.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty, Failure, Loading } from '../parts/messages.tsx'

/** The configuration of a connector: read, change, check, compare, save. */
export function ConfigurationView({ name }: { readonly name: string }): VNode {
  const { isReadOnly, update } = useLive()
  const { value, error, reload } = useLoaded<Config>(`${connectorPath(name)}/config`)
  const [saving, setSaving] = useState<Config | null>(null)
  const isGone = update !== null && update.connectors.every((each) => each.name !== name)
  return (
    <>
      <ConnectorHead name={name} current="configuration" />
      {error !== null ? (
        isGone ? (
          <Empty title={`There is no connector ${name}`}>
            <a href="#/">All connectors</a>
          </Empty>
        ) : (
          <Failure title="The configuration cannot be read" error={error} onRetry={reload} />
        )
      ) : value === null ? (
        <Loading what="the configuration" />
      ) : (
        <ConfigEditor
          key={JSON.stringify(value)}
          initial={value}
          isReadOnly={isReadOnly}
          actionLabel="Compare and save"
          onSubmit={setSaving}
        />
      )}
      {saving === null || value === null ? null : (
        <SaveDialog
          name={name}
          before={value}
          after={saving}
          onClose={() => setSaving(null)}
          onSaved={() => {
            setSaving(null)
            reload()
          }}
        />
      )}
    </>
  )
}

interface SaveDialogProps {
  readonly name: string
  readonly before: Config
  readonly after: Config
  readonly onClose: () => void
  readonly onSaved: () => void
}

function SaveDialog({ name, before, after, onClose, onSaved }: SaveDialogProps): VNode {
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await request('PUT', `${connectorPath(name)}/config`, after)
      onSaved()
    } catch (thrown) {
      setError(thrown as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Save the configuration of ${name}`} onClose={onClose}>
      <Changes changes={changesBetween(before, after)} />
      <p>The worker checks it again and then restarts the task, which continues from its stored position.</p>
      {error === null ? null : (
        <p class="error prose" role="alert">
          {error.message}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void save()}>
          {isBusy ? 'Saving…' : 'Save'}
        </button>
      </div>
    </Dialog>
  )
}
