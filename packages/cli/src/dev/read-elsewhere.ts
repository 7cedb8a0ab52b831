import type { Palette } from '../terminal/palette.ts'

export interface ElsewhereOptions {
  /** How the user calls this program. */
  readonly command: string
  readonly bootstrapServers: string
  readonly restUrl: string
  /** One of the topics. */
  readonly topic: string
  /** Where everything is kept; null: it is removed at the end. */
  readonly folder: string | null
  readonly palette: Palette
}

/** How the same events are read with other programs. */
export function renderElsewhere(options: ElsewhereOptions): string {
  const { command, bootstrapServers, restUrl, topic, folder, palette } = options
  const lines = [
    `The same events are in topics of the development broker at ${bootstrapServers} (one node, no replication):`,
    palette.string(`  ${command} watch -a -k --bootstrap-server ${bootstrapServers} ${topic}`),
    palette.string(`  kcat -C -b ${bootstrapServers} -t ${topic}`),
    palette.string(
      `  kafka-console-consumer.sh --from-beginning --bootstrap-server ${bootstrapServers} --topic ${topic}`,
    ),
    `The page of the worker: ${palette.name(`${restUrl}/ui/`)}`,
    folder === null
      ? 'Ctrl-C ends everything and removes the topics; --data FOLDER keeps them.'
      : `Ctrl-C ends everything; the next start with --data ${folder} continues from there.`,
  ]
  return `${lines.join('\n')}\n`
}
