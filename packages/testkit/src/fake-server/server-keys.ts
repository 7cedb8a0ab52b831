import { createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from '../process/run-program.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'
import type { ServerKeys } from './fake-login.ts'

/** A new key with a self-signed certificate for `localhost` and 127.0.0.1. */
export async function makeServerKeys(): Promise<ServerKeys> {
  await using folder = temporaryFolder('keys')
  const [keyFile, certificateFile] = [join(folder.path, 'key.pem'), join(folder.path, 'certificate.pem')]
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  await runProgram('openssl', [...kind, ...names, '-keyout', keyFile, '-out', certificateFile])
  const key = await readFile(keyFile, 'utf8')
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  return { key, certificate: await readFile(certificateFile, 'utf8'), publicKey }
}
