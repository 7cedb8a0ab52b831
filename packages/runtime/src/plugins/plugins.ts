import type {
  Converter,
  ConverterPlugin,
  HeaderConverter,
  HeaderConverterPlugin,
  LazyPlugins,
  Plugin,
  PluginList,
  PredicatePlugin,
  SourcePlugin,
  TransformationPlugin,
} from '@tributary/connect-api'
import type { PluginInfo } from '@tributary/rest-api'
import { runtimeErrors } from '../errors.ts'
import type { ConverterSpec } from '../config/worker-config.ts'
import { refusedStageText, unknownConverterText } from './refused-stages.ts'
import type { StageKind } from './stage-spec.ts'

/** The classes that configurations can name. The cli passes them in; there is no class path. */
export class Plugins {
  readonly #plugins: Plugin[] = []
  /** Those that are not loaded yet. */
  readonly #lazy = new Set<LazyPlugins>()

  constructor(plugins: PluginList) {
    for (const plugin of plugins) {
      if (plugin.type === 'lazy') this.#lazy.add(plugin)
      else this.#plugins.push(plugin)
    }
  }

  /** Loads what the configuration of a connector may name. It must be called before its stages and converters are asked for. */
  async loadFor(config: Readonly<Record<string, string | null>>): Promise<void> {
    for (const group of this.#lazy) if (group.isNamedIn(config)) await this.#load(group)
  }

  /** Loads everything. */
  async loadAll(): Promise<void> {
    for (const group of this.#lazy) await this.#load(group)
  }

  async #load(group: LazyPlugins): Promise<void> {
    const loaded = await group.load()
    // Two callers may have waited for the same group.
    if (this.#lazy.delete(group)) this.#plugins.push(...loaded)
  }

  /**
   * The connector with that class name. As in Connect, the name is the full name, the simple name, or the simple name
   * without `Connector`. Null for an unknown name.
   */
  source(className: string): SourcePlugin | null {
    return this.#sources.find((plugin) => namesOf(plugin.className).includes(className)) ?? null
  }

  /** The logger names of connectors: the packages of their classes, and their common prefix `io.debezium`. */
  get loggerNames(): readonly string[] {
    const packages = this.#sources.map(({ className }) => className.slice(0, className.lastIndexOf('.')))
    return packages.flatMap((name) => [name, name.split('.', 2).join('.')])
  }

  get #sources(): readonly SourcePlugin[] {
    return this.#plugins.filter((plugin) => plugin.type === 'source')
  }

  /** Starts loading the code of connectors and tasks. Errors are ignored here: loading it later throws them again. */
  preload(): void {
    for (const plugin of this.#sources) plugin.preload?.().catch(() => undefined)
  }

  /** Connect's message about an unknown class, which describes all known classes. */
  unknownConnectorText(className: string): string {
    const known = this.#sources.map(
      ({ className: name, version }) =>
        `PluginDesc{klass=class ${name}, name='${name}', version='${version}', encodedVersion=${version}, type=source, typeName='source', location='classpath'}`,
    )
    return `Failed to find any class that implements Connector and which name matches ${className}, available connectors are: ${known.join(', ')}`
  }

  /** Checks that the converter exists. Returns Connect's error text, or null. */
  checkConverter(className: string, kind: 'converter' | 'header_converter'): string | null {
    return this.#converter(className, kind) === null ? unknownConverterText(className) : null
  }

  /** The full name of the class of a converter, of headers or not. */
  converterClass(className: string): string {
    const plugin = this.#converter(className, 'converter') ?? this.#converter(className, 'header_converter')
    return plugin?.className ?? className
  }

  converter(spec: ConverterSpec, isKey: boolean): Converter {
    const plugin = this.#converter(spec.className, 'converter')
    if (plugin?.type !== 'converter')
      throw runtimeErrors.CLASS_UNKNOWN({ className: spec.className, kind: 'converter' })
    const converter = plugin.create()
    converter.configure(spec.options, isKey)
    return converter
  }

  headerConverter(spec: ConverterSpec): HeaderConverter {
    const plugin = this.#converter(spec.className, 'header_converter')
    if (plugin?.type !== 'header_converter') {
      throw runtimeErrors.CLASS_UNKNOWN({ className: spec.className, kind: 'header converter' })
    }
    const converter = plugin.create()
    converter.configure(spec.options)
    return converter
  }

  /** The transformation or predicate with that class name; null if no plug-in has it. */
  stage(kind: 'transformation', className: string): TransformationPlugin | null
  stage(kind: 'predicate', className: string): PredicatePlugin | null
  stage(kind: StageKind, className: string): TransformationPlugin | PredicatePlugin | null
  stage(kind: StageKind, className: string): TransformationPlugin | PredicatePlugin | null {
    for (const plugin of this.#plugins) {
      if (plugin.type !== 'transformation' && plugin.type !== 'predicate') continue
      if (plugin.type === kind && isNamed(plugin, className)) return plugin
    }
    return null
  }

  /** Checks that the class exists and is of that kind. Returns Connect's error text, or null. */
  checkStage(kind: StageKind, className: string): string | null {
    if (this.stage(kind, className) !== null) return null
    const other = this.#plugins.find((plugin) => isNamed(plugin, className))
    if (other === undefined) return refusedStageText(className) ?? `Class ${className} could not be found.`
    const wanted = kind === 'transformation' ? 'Transformation' : 'Predicate'
    return `Class class ${other.className} does not implement the ${wanted} interface`
  }

  /** The class names of a kind, sorted. */
  classNames(kind: StageKind): readonly string[] {
    const names = this.#plugins.flatMap((plugin) => (plugin.type === kind ? [plugin.className] : []))
    return names.toSorted()
  }

  #converter(
    className: string,
    kind: 'converter' | 'header_converter',
  ): ConverterPlugin | HeaderConverterPlugin | null {
    for (const plugin of this.#plugins) {
      if (plugin.type !== kind) continue
      if (isNamed(plugin, className)) return plugin
    }
    return null
  }

  /** The answer to `GET /connector-plugins`, in Connect's order of kinds. */
  list(connectorsOnly: boolean): readonly PluginInfo[] {
    const order = connectorsOnly ? (['source'] as const) : KINDS
    return order.flatMap((type) =>
      this.#plugins
        .filter((plugin) => plugin.type === type)
        .map(({ className, version }) => ({ class: className, type, version })),
    )
  }
}

const KINDS = ['source', 'transformation', 'predicate', 'converter', 'header_converter'] as const

function isNamed({ className, aliases }: Plugin, name: string): boolean {
  return namesOf(className).includes(name) || aliases?.includes(name) === true
}

/** Full name, simple name, and the simple name without the suffix `Connector` or `Converter`. */
function namesOf(className: string): readonly string[] {
  const simple = className.slice(className.lastIndexOf('.') + 1)
  return [className, simple, simple.replace(/(Connector|Converter)$/, '')]
}
