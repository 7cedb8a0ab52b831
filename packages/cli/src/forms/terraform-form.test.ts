import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FormError, placeAt } from './form-error.ts'
import { readTerraform } from './terraform-form.ts'

interface RecordedCase {
  readonly hcl: string
  /** What HashiCorp's parser reads; null for a file that it refuses. */
  readonly properties: Readonly<Record<string, unknown>> | null
}

/**
 * Hand-written and random files with what HashiCorp's own parser, as `@cdktf/hcl2json` 0.21.0 contains it, made of
 * their maps. In its JSON, texts are still templates: `$${` is a literal `${`.
 */
const recorded = JSON.parse(
  readFileSync(new URL('../../fixtures/hcl.json', import.meta.url), 'utf8'),
) as readonly RecordedCase[]

test("files of Terraform are read as HashiCorp's parser reads them", () => {
  let accepted = 0
  for (const { hcl, properties } of recorded) {
    if (properties === null) {
      assert.throws(() => readTerraform(hcl, {}), FormError, hcl)
      continue
    }
    const expected = Object.entries(properties)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, String(value).replaceAll('$${', '${').replaceAll('%%{', '%{')])
    assert.deepEqual(readTerraform(hcl, {})[0]?.config, Object.fromEntries(expected), hcl)
    accepted += 1
  }
  assert.ok(accepted >= 90, `${accepted} of ${recorded.length}`)
})

const CONFLUENT = `
variable "password" { type = string }
variable "host" { default = "db-1" }
resource "confluent_environment" "staging" { display_name = "Staging" }
resource "confluent_connector" "shop" {
  environment { id = confluent_environment.staging.id }
  status = "PAUSED"
  config_sensitive = {
    "database.password" = var.password
    "database.user"     = "\${file:/run/db.properties:user}"
  }
  config_nonsensitive = {
    "name"              = "shop-reader"
    "connector.class"   = "MySql"
    "database.hostname" = "\${var.host}.example"
    "tasks.max"         = 1
    "unset"             = null
  }
}
resource "kafka-connect_connector" "orders" {
  name  = "orders-\${var.host}"
  count = var.on ? 1 : 0
  config = { "connector.class" = "MySql" }
}`

test("connectors of Confluent's and Mongey's providers become documents; variables are those of Terraform", () => {
  assert.deepEqual(readTerraform(CONFLUENT, { TF_VAR_password: 'geheim', TF_VAR_host: 'db-2' }), [
    {
      name: 'shop-reader',
      config: {
        name: 'shop-reader',
        'connector.class': 'MySql',
        'database.hostname': 'db-2.example',
        'tasks.max': '1',
        'database.password': 'geheim',
        'database.user': '${file:/run/db.properties:user}',
      },
      isNameFixed: true,
      notes: [],
      initialState: 'PAUSED',
    },
    {
      name: 'orders-db-2',
      config: { 'connector.class': 'MySql' },
      isNameFixed: true,
      notes: ['count and for_each of orders are not evaluated: it is read once.'],
    },
  ])
  assert.equal(readTerraform(CONFLUENT, { TF_VAR_password: 'x' })[1]?.name, 'orders-db-1')
})

test('a heredoc may have more lines than a function may have arguments', () => {
  const lines = 'x\n'.repeat(300_000)
  const [document] = readTerraform(map(`{ p = <<-END\n  x\n${lines}END\n}`), {})
  assert.equal(document?.config['p']?.length, lines.length + '  x\n'.length)
})

const map = (value: string): string => `resource "kafka-connect_connector" "a" {\n name = "a"\n config = ${value}\n}`

const faults: readonly (readonly [text: string, reason: RegExp, place: string | null])[] = [
  ['resource "aws_instance" "a" {}', /no resource of the type confluent_connector or kafka-connect_connector/, null],
  [map('{ p = var.hunter }'), /config\["p"\] needs the variable hunter, .* set TF_VAR_hunter /, '3:17'],
  [map('{ p = "x${var.hunter}" }'), /needs the variable hunter/, '3:19'],
  [map('{ p = local.secret }'), /is an expression \(local.secret\) that only Terraform evaluates/, '3:17'],
  [map('{ p = file("hunter2") }'), /is an expression \(file\)/, '3:17'],
  [map('{ p = "a" == "hunter2" ? 1 : 2 }'), /is an expression \(an operator\)/, '3:17'],
  [map('{ p = "%{ if true }hunter2%{ endif }" }'), /is an expression \(if\)/, '3:18'],
  [map('{ p = 0123 }'), /is an expression/, '3:17'],
  [map('{ p = ["hunter2"] }'), /is an expression/, '3:17'],
  [map('{ p = { q = "hunter2" } }'), /config\["p"\] is not a text, number or boolean/, '3:17'],
  [map('merge({ p = "hunter2" }, local.x)'), /config is an expression \(merge\)/, '3:11'],
  [map('"hunter2"'), /config is not a map/, '3:11'],
  [map('{ (var.k) = "hunter2" }'), /a key of config is an expression/, '3:13'],
  [map('{ p = "1", p = "2" }'), /the property p occurs twice/, '3:22'],
  [map('{ p = "hunter2 }'), /a text in quotes has no end/, '3:17'],
  [map('{ p = "${hunter2('), /an interpolation .* has no end/, '3:18'],
  [map('{ p = <<EOT\nhunter2'), /a heredoc has no end/, '3:17'],
  [map('{ p "hunter2" }'), /after a key, neither = nor : follows/, '3:15'],
  ['a = 1\na = 2', /the attribute a occurs twice/, '2:1'],
  ['resource "x" "y" {', /the block resource has no end/, '1:1'],
  ['}', /a brace closes nothing/, '1:1'],
  ['x = [1', /a bracket has no end/, '1:5'],
  ['resource "kafka-connect_connector" "a" {\n config = {}\n}', /the resource a has no name/, '1:1'],
  ['a {\n'.repeat(60), /more than 50 levels/, '51:4'],
  [`a = ${'{ b = '.repeat(100_000)}`, /more than 50 levels/, '1:305'],
  // Files of a megabyte that would take minutes if a search began again from each character.
  [map(`{ p = x ${'/*a'.repeat(300_000)}`), /a comment has no end/, '3:19'],
  [map(`{ p = "\${${'\\"'.repeat(500_000)}`), /a text in quotes has no end/, '3:21'],
  [map(`{ p = hunter(${' '.repeat(900_000)}1) }`), /is an expression \(hunter\)/, '3:17'],
]

test('an error names the fault and its place, and does not quote the file', () => {
  for (const [text, reason, place] of faults) {
    assert.throws(
      () => readTerraform(text, {}),
      (error: unknown) => {
        assert.ok(error instanceof FormError, String(error))
        assert.match(error.message, reason)
        assert.doesNotMatch(error.message, /hunter2/)
        const at = error.at === null ? null : placeAt(text, error.at)
        assert.equal(at === null ? null : `${at.line}:${at.column}`, place, text.slice(0, 90))
        return true
      },
    )
  }
})
