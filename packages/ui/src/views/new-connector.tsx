import type { PluginInfo } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../api/client.ts'
import { useLive } from '../api/use-live.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { withoutSecrets, type Config } from '../config/changes.ts'
import { ConfigEditor } from '../config/editor.tsx'
import { capturesAll } from '../config/include-lists.ts'
import { databaseOf } from '../format.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty, Failure, Loading } from '../parts/messages.tsx'
import { connectorHref } from '../route.ts'

/** What every connector sets. The visitor fills it in. */
const BEGINNING: Config = {
  'tasks.max': '1',
  'database.hostname': '',
  'database.port': '3306',
  'database.user': '',
  'database.password': '',
  'database.server.id': '',
  'topic.prefix': '',
  'database.include.list': '',
  'schema.history.internal.kafka.bootstrap.servers': '',
  'schema.history.internal.kafka.topic': '',
}

/** Chooses a name and a class, then the properties, then creates the connector or copies its document. */
export function NewConnectorView(): VNode {
  const { isReadOnly } = useLive()
  const plugins = useLoaded<readonly PluginInfo[]>('/connector-plugins')
  const [initial, setInitial] = useState<Config | null>(null)
  const [creating, setCreating] = useState<Config | null>(null)
  if (isReadOnly) return <Empty isView title="You may only read" />
  return (
    <>
      <div class="head">
        <h1>New connector</h1>
        {initial === null ? null : <span class="soft">{initial['name']}</span>}
      </div>
      {plugins.error !== null ? (
        <Failure title="The classes cannot be read" error={plugins.error} onRetry={plugins.reload} />
      ) : plugins.value === null ? (
        <Loading what="the classes" />
      ) : initial === null ? (
        <Beginning classes={plugins.value.filter(({ type }) => type === 'source')} onChosen={setInitial} />
      ) : (
        <ConfigEditor
          initial={initial}
          isReadOnly={false}
          needsChange={false}
          picksTables
          actionLabel="Review and create"
          onSubmit={(config) => setCreating(withoutEmpty(config))}
        />
      )}
      {creating === null ? null : <CreateDialog config={creating} onClose={() => setCreating(null)} />}
    </>
  )
}

interface BeginningProps {
  readonly classes: readonly PluginInfo[]
  readonly onChosen: (config: Config) => void
}

function Beginning({ classes, onChosen }: BeginningProps): VNode {
  const [name, setName] = useState('')
  const [className, setClassName] = useState(classes[0]?.class ?? '')
  return (
    <form
      class="narrow"
      onSubmit={(event) => {
        event.preventDefault()
        onChosen({ name, 'connector.class': className, ...BEGINNING })
      }}
    >
      <label class="field">
        <span>Name</span>
        <input required value={name} autocomplete="off" onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <label class="field">
        <span>Database</span>
        <select value={className} onChange={({ currentTarget }) => setClassName(currentTarget.value)}>
          {classes.map((each) => (
            <option key={each.class} value={each.class}>
              {databaseOf(each.class)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        Continue
      </button>
    </form>
  )
}

function withoutEmpty(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ''))
}

function CreateDialog({ config, onClose }: { readonly config: Config; readonly onClose: () => void }): VNode {
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const name = config['name'] ?? ''
  const create = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await request('POST', '/connectors', { name, config })
      location.hash = connectorHref(name)
    } catch (thrown) {
      setError(thrown as Error)
      setBusy(false)
    }
  }
  const document = JSON.stringify({ name, config }, null, 2)
  const shown = JSON.stringify({ name, config: hideSecrets(config) }, null, 2)
  const address = new URL('../connectors', location.href).href
  const curl = `curl -X POST ${address} -H 'Content-Type: application/json' -d @${name.replaceAll(/[^\w.-]/g, '_')}.json`
  return (
    <Dialog title={`Create ${name}`} onClose={onClose}>
      <p>The worker checks the configuration again, stores it, and begins with the snapshot.</p>
      {capturesAll(config) ? (
        <p class="prose warning">
          No list says what is captured: the connector captures every database. To capture some, cancel, and choose
          tables or set database.include.list.
        </p>
      ) : null}
      <div class="statement">
        <pre tabIndex={0} aria-label="Document">
          {shown}
        </pre>
        <CopyButton text={document} what="the document with its passwords" />
      </div>
      <p>The same with curl, from a file with this document:</p>
      <div class="statement">
        <code>{curl}</code>
        <CopyButton text={curl} what="the command" />
      </div>
      {error === null ? null : (
        <p class="error prose" role="alert">
          {error.message}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void create()}>
          {isBusy ? 'Creating…' : 'Create'}
        </button>
      </div>
    </Dialog>
  )
}

function hideSecrets(config: Config): Config {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, withoutSecrets(name, value)]))
}
