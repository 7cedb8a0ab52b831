import type { ConfigDef } from './config/config-def.ts'
import type { Converter, HeaderConverter } from './converter.ts'
import type { SourceConnector, SourceTask } from './source.ts'
import type { Predicate, Transformation } from './transformation.ts'

interface PluginBase {
  /** The class name that configurations use. */
  readonly className: string
  readonly version: string
  /** Further short names, beside those derived from the class name. */
  readonly aliases?: readonly string[]
}

export interface SourcePlugin extends PluginBase {
  readonly type: 'source'
  /** Class name of the task, which task configurations contain as `task.class`. */
  readonly taskClassName: string
  createConnector(): SourceConnector
  /** Loads its code first. */
  createTask(): Promise<SourceTask>
  /** Loads the code of checks and tasks ahead, while there is time. */
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

export interface TransformationPlugin extends PluginBase {
  readonly type: 'transformation'
  /** Definition of its options, without the prefix `transforms.ALIAS.`. */
  readonly config: ConfigDef
  create(): Transformation
}

export interface PredicatePlugin extends PluginBase {
  readonly type: 'predicate'
  /** Definition of its options, without the prefix `predicates.ALIAS.`. */
  readonly config: ConfigDef
  create(): Predicate
}

/** A class that configurations can name. The program passes its plug-ins to the runtime, which contains none. */
export type Plugin = SourcePlugin | ConverterPlugin | HeaderConverterPlugin | TransformationPlugin | PredicatePlugin

/** Plug-ins whose code is loaded only when it is needed: each thread of a worker has its own copy of all loaded code. */
export interface LazyPlugins {
  readonly type: 'lazy'
  /** Whether the configuration of a connector may name one of them. Its values may be references. */
  isNamedIn(config: Readonly<Record<string, string | null>>): boolean
  load(): Promise<readonly Plugin[]>
}

/** What a program passes to the runtime. */
export type PluginList = readonly (Plugin | LazyPlugins)[]
