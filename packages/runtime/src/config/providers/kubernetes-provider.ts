import { statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type ConfigProvider, LookupError, type ProviderParams } from './config-provider.ts'
import { readSecretFile } from './read-secret-file.ts'

/**
 * `${secrets:namespace/name:key}` or `${secrets:name:key}`: a key of a Secret or ConfigMap of Kubernetes. Strimzi's
 * providers ask the API server; this one reads the files that Kubernetes mounts:
 *
 *     <mount.path>/<name>/<key>                  without a namespace, and for that of `namespace`
 *     <mount.path>/<namespace>/<name>/<key>      for any other namespace
 *
 * Names are checked before they become parts of a path, so that no reference leads out of the folder. The links that
 * Kubernetes makes within it are followed.
 */
export class KubernetesProvider implements ConfigProvider {
  readonly #kind: string
  readonly #mountPath: string
  readonly #namespace: string | null

  /**
   * @param kind of the resource, for messages
   * @throws RangeError without a folder that exists
   */
  constructor(kind: 'Secret' | 'ConfigMap', { 'mount.path': mountPath = '', namespace }: ProviderParams) {
    if (!isAbsolute(mountPath) || !isFolder(mountPath)) {
      const what = mountPath === '' ? 'mount.path is not set' : `mount.path (${mountPath}) is not an absolute folder`
      throw new RangeError(
        `${what}; mount each ${kind} as a volume at <mount.path>/<name of the ${kind}>, because Tributary does not ask the API server`,
      )
    }
    this.#kind = kind
    this.#mountPath = mountPath
    this.#namespace = namespace ?? null
  }

  get(path: string, key: string): string {
    const names = path.split('/')
    if (names.length > 2 || !names.every((name) => isResourceName(name))) {
      throw new LookupError(`${path} is not <namespace>/<name> or <name> of a ${this.#kind}`)
    }
    if (!KEY.test(key) || key.startsWith('..') || key === '.') {
      throw new LookupError(`${key} is not a key of a ${this.#kind}`)
    }
    const isOwn = names.length === 2 && names[0] === this.#namespace
    const folder = join(this.#mountPath, ...(isOwn ? names.slice(1) : names))
    if (!isFolder(folder)) throw new LookupError(`the ${this.#kind} ${path} is not mounted at ${folder}`)
    return readSecretFile(join(folder, key))
  }
}

/** Names of namespaces, Secrets and ConfigMaps, as Strimzi's providers accept them, without `.` and `..`. */
function isResourceName(name: string): boolean {
  return /^[a-z0-9.-]+$/.test(name) && !/^\.+$/.test(name)
}

/** Keys of Secrets and ConfigMaps. Names that begin with two dots are those of Kubernetes in mounted volumes. */
const KEY = /^[-._a-zA-Z0-9]+$/

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
