import {
  ConfigDef,
  type ConfigMap,
  type OffsetDocument,
  type SourceConnector,
  type SourcePlugin,
} from '@tributary/connect-api'

export const TICKS_CLASS = 'org.example.TicksSourceConnector'

/** A connector that does nothing, with as many tasks as tasks.max allows. */
export class TicksConnector implements SourceConnector {
  /** The answer of the outside world about a configuration. */
  check: (config: ConfigMap) => Promise<Readonly<Record<string, readonly string[]>>> = () => Promise.resolve({})

  config(): ConfigDef {
    return new ConfigDef([
      { name: 'interval.ms', type: 'INT', documentation: 'Time between two ticks.' },
      { name: 'ticks.password', type: 'PASSWORD', defaultValue: null, documentation: 'Unused.' },
    ])
  }

  validate(_values: unknown, config: ConfigMap): Promise<Readonly<Record<string, readonly string[]>>> {
    return this.check(config)
  }

  refuseOffset(offset: OffsetDocument): string | null {
    return offset['ticks'] === 'abc' ? 'abc is no number of ticks' : null
  }

  /** Warns when two connectors have the same `ticks.door`. */
  conflicts(config: ConfigMap, others: ReadonlyMap<string, ConfigMap>): Readonly<Record<string, readonly string[]>> {
    const door = config['ticks.door']
    const names = [...others].flatMap(([name, other]) =>
      door !== undefined && other['ticks.door'] === door ? [name] : [],
    )
    return names.length === 0 ? {} : { 'ticks.door': [`ticks.door=${door} is also that of ${names.join(', ')}`] }
  }

  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[] {
    return Array.from({ length: tasksMax }, (_, task) => ({ ...config, 'ticks.task': String(task) }))
  }
}

export function ticksPlugin(connector: SourceConnector = new TicksConnector()): SourcePlugin {
  return {
    type: 'source',
    className: TICKS_CLASS,
    version: '1.2.3',
    taskClassName: 'org.example.TicksSourceTask',
    createConnector: () => connector,
    createTask: () => {
      throw new Error('this connector has no real tasks')
    },
  }
}

/** A valid configuration. */
export function ticksConfig(name: string, changes: ConfigMap = {}): ConfigMap {
  return { 'connector.class': TICKS_CLASS, 'interval.ms': '1000', name, ...changes }
}
