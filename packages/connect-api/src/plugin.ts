import type { Converter, HeaderConverter } from './converter.ts'
import type { SourceConnector, SourceTask } from './source.ts'

interface PluginBase {
  /** The class name by which configurations know it. */
  readonly className: string
  readonly version: string
  /** Short names of its own, beside those that its class name gives. */
  readonly aliases?: readonly string[]
}

export interface SourcePlugin extends PluginBase {
  readonly type: 'source'
  /** Class name of the task, as task configurations carry it in `task.class`. */
  readonly taskClassName: string
  createConnector(): SourceConnector
  createTask(): SourceTask
  /** Loads the code that a check or a task needs when it begins: there may be time for it before. */
  preload?(): Promise<void>
}

export interface ConverterPlugin extends PluginBase {
  readonly type: 'converter'
  create(): Converter
}

export interface HeaderConverterPlugin extends PluginBase {
  readonly type: 'header_converter'
  create(): HeaderConverter
}

/** What a composition root hands to the runtime: the runtime itself knows no connector and no converter. */
export type Plugin = SourcePlugin | ConverterPlugin | HeaderConverterPlugin
