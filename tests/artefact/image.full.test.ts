/**
 * deploy/docker/Dockerfile, carried out without a container engine: the file system from packages of Debian, started in
 * namespaces with a read-only root as a user without privileges, on real servers. What this cannot show: the image
 * `node:24-bookworm-slim`, the stage that packs the release inside of it, and the network of a container engine.
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort, temporaryFolder, uniqueName } from '@tributary/testkit'
import { buildPackage } from '../../scripts/pack/build-package.ts'
import { capturesRows, workerEnvironment } from './captured-rows.ts'
import { buildImage, type Image } from './image/build-image.ts'
import { Container } from './image/container.ts'

const checkout = join(import.meta.dirname, '../..')
const folder = temporaryFolder('image')
let image: Image

before(async () => {
  const { path: tarball } = await buildPackage(checkout, join(folder.path, 'tarball'))
  image = await buildImage({ checkout, tarball, folder: folder.path })
})
after(() => folder[Symbol.asyncDispose]())

test('the image runs a worker on real servers, with a read-only root and without privileges', async () => {
  const [name, port] = [uniqueName('image'), await freePort()]
  const url = `http://127.0.0.1:${port}`
  await using container = await Container.start(image, await workerEnvironment(name, port), url)
  await capturesRows(url, name)

  for (const field of ['Uid', 'Gid']) assert.match(container.status(field), /^1000\s+1000\s+1000\s+1000$/)
  for (const field of ['CapEff', 'CapPrm', 'CapBnd', 'CapInh']) assert.match(container.status(field), /^0+$/, field)
  assert.equal(container.status('NoNewPrivs'), '1')
  const written = await container.run(['sh', '-c', 'touch /opt/tributary/x; touch /x; touch /tmp/x && ls /tmp/x'])
  assert.match(written.stderr, /'\/opt\/tributary\/x': Read-only file system\n.*'\/x': Read-only file system/)
  assert.equal(written.stdout, '/tmp/x\n')

  const healthy = await container.run(image.healthcheck)
  assert.deepEqual([healthy.code, healthy.stdout], [0, `${url}/health/live answers with status 200\n`])
  const unhealthy = await container.run(image.healthcheck, { REST_PORT: String(await freePort()) })
  assert.equal(unhealthy.code, 1)
  assert.match(unhealthy.stdout, /does not answer: ECONNREFUSED/)

  await container.stop()
  assert.match(container.log, /Received SIGTERM: stopping\n[^]*Worker stopped\n$/)
})

test('the folder for a spool belongs to the user of the worker: a new volume has its owner', () => {
  const { uid, gid } = statSync(join(image.folder, 'var/lib/tributary'))
  assert.deepEqual([uid, gid], [1000, 1000])
})
