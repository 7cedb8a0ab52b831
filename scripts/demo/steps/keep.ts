import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Demo } from '../stage/demo.ts'
import { topicOf } from '../stage/names.ts'

/** Prints commands to try while everything keeps running. */
export async function showHowToGoOn(demo: Demo, folder: string): Promise<void> {
  const { presenter, names, service, stage } = demo
  presenter.line('Everything keeps running until you press Ctrl-C. In another terminal, in this folder, you can run:')
  presenter.line('\nWatch the events of a table, from the first one on:')
  const topic = topicOf(names, 'customers')
  presenter.command(`npm run --silent tributary -- watch -a -k --bootstrap-server ${stage.kafka} ${topic}`)
  presenter.line('\nChange a row as the database administrator:')
  presenter.command(await clientCommand(demo, folder))
  presenter.line('\nUse the REST interface (docs/reference/rest.md); TRIBUTARY_URL is for the commands of tributary:')
  presenter.command(`export TRIBUTARY_URL=${service.url}`)
  presenter.command(`curl ${service.url}/connectors/${names.connector}/status`)
  presenter.command(`curl -X DELETE ${service.url}/connectors/${names.connector}`)
  presenter.line('\nFollow the log of Tributary:')
  presenter.command(`tail -f ${service.logFile}`)
  presenter.line('\nSee what it does, in a browser:')
  presenter.line(`  ${service.url}/ui/\n`)
}

async function clientCommand({ stage, names }: Demo, folder: string): Promise<string> {
  const { client, admin } = stage.database
  if (client === null) return `mysql -h ${admin.host} -P ${admin.port} -u ${admin.user} -p ${names.database}`
  // The server's client program needs a loader of its own, and so a command that is too long to type.
  const script = join(folder, 'sql')
  const quoted = client.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
  await writeFile(script, `#!/bin/sh\nexec ${quoted} ${names.database} "$@"\n`)
  await chmod(script, 0o700)
  return `${script} -e "UPDATE customers SET email = 'ines@new.example' WHERE id = 1001"`
}
