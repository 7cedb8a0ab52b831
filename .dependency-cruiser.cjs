// Lists which module may import which. Any other import is an error; a new arrow between packages needs an ADR.
//
// `npm run check` applies it, and tests/tidy-checks.test.ts checks that it covers the tree and reports wrong imports.
// CommonJS, because dependency-cruiser loads it with require.

/** Package → packages whose index.ts it may import. */
const packages = {
  support: [],
  'rest-api': [],
  ui: ['rest-api'],
  'connect-api': ['support'],
  mysql: ['support'],
  kafka: ['support'],
  broker: ['kafka', 'support'],
  converters: ['connect-api', 'support'],
  transforms: ['connect-api', 'support'],
  'connector-kit': ['connect-api', 'kafka', 'support'],
  'connector-mysql': ['connector-kit', 'mysql', 'connect-api', 'support'],
  runtime: ['connect-api', 'kafka', 'rest-api', 'support'],
  verify: ['connector-mysql', 'converters', 'connect-api', 'mysql', 'kafka', 'rest-api', 'support'],
  rehearse: ['runtime', 'converters', 'connect-api', 'kafka', 'support'],
  cli: [
    'runtime',
    'broker',
    'verify',
    'rehearse',
    'connector-mysql',
    'connector-kit',
    'converters',
    'transforms',
    'connect-api',
    'mysql',
    'kafka',
    'rest-api',
    'support',
  ],
  testkit: [
    'runtime',
    'broker',
    'verify',
    'rehearse',
    'connector-mysql',
    'connector-kit',
    'converters',
    'transforms',
    'connect-api',
    'mysql',
    'kafka',
    'rest-api',
    'support',
  ],
}

/**
 * Package → folder of its src → other folders of the package that it may import. A package listed here must list all of
 * its folders. Files directly in src may import every folder; of them, folders may import only ROOT_LEAVES.
 */
const folders = {
  mysql: {
    types: [],
    gtid: [],
    compression: [],
    spool: [],
    values: ['types'],
    ddl: ['types'],
    connection: ['types'],
    commands: ['connection', 'types', 'gtid'],
    resultset: ['commands', 'connection', 'types', 'values'],
    binlog: ['commands', 'connection', 'types', 'gtid', 'values', 'compression', 'spool'],
  },
  kafka: {
    api: [],
    protocol: ['api'],
    network: ['api', 'protocol'],
    login: ['api', 'network'],
    cluster: ['api', 'protocol', 'network'],
    transaction: ['api', 'protocol', 'network', 'cluster'],
    producer: ['transaction', 'api', 'protocol', 'network', 'cluster'],
    reader: ['api', 'protocol', 'network', 'cluster'],
    admin: ['transaction', 'api', 'protocol', 'network', 'cluster'],
    group: ['api', 'protocol', 'network', 'cluster'],
    config: ['api'],
  },
  broker: {
    protocol: [],
    timers: [],
    batch: [],
    storage: ['batch'],
    log: ['batch', 'storage', 'protocol'],
    topics: ['log', 'storage'],
    groups: ['timers', 'storage', 'protocol'],
    transactions: ['timers', 'storage', 'protocol'],
    requests: ['transactions', 'groups', 'topics', 'log', 'batch', 'timers', 'storage', 'protocol'],
    core: ['requests', 'transactions', 'groups', 'topics', 'log', 'batch', 'timers', 'storage', 'protocol'],
    login: ['protocol'],
    shell: ['core', 'login', 'storage', 'protocol'],
  },
  'connector-kit': {
    relational: [],
    config: ['relational'],
    schema: ['relational'],
    history: ['relational'],
    metrics: [],
    events: ['metrics', 'schema', 'relational'],
    pipeline: ['events', 'schema', 'history', 'config', 'relational'],
    signals: [],
  },
  'connector-mysql': {
    schema: [],
    values: ['schema'],
    converters: ['schema', 'values'],
    literals: ['converters', 'tables', 'values', 'schema'],
    columns: [],
    'post-processors': [],
    config: ['values', 'columns', 'converters', 'post-processors'],
    offset: [],
    flavor: ['offset', 'config'],
    'pre-flight': ['tables', 'flavor', 'offset', 'config', 'values'],
    source: ['offset', 'config'],
    heartbeat: [],
    loss: ['flavor', 'offset'],
    start: ['flavor', 'offset'],
    tables: ['values', 'converters', 'columns', 'schema', 'config'],
    reselect: ['tables', 'post-processors', 'values', 'schema'],
    chunks: ['tables', 'flavor', 'offset', 'schema'],
    pace: ['flavor', 'config'],
    snapshot: ['pace', 'chunks', 'tables', 'source', 'flavor', 'offset', 'config', 'values', 'schema'],
    streaming: ['tables', 'source', 'flavor', 'offset', 'config', 'values', 'schema'],
    signals: [],
    incremental: [
      'pace',
      'snapshot',
      'streaming',
      'signals',
      'chunks',
      'tables',
      'source',
      'flavor',
      'offset',
      'schema',
    ],
  },
  converters: {
    text: [],
    writers: [],
    'avro-schema': [],
    json: ['writers', 'text'],
    registry: ['avro-schema'],
    registered: ['registry', 'writers'],
    'json-schema': ['registered', 'json', 'registry', 'avro-schema', 'text'],
    avro: ['registered', 'writers', 'registry', 'avro-schema', 'text'],
    plain: ['text'],
    delegating: ['text'],
    protobuf: ['registered', 'registry', 'writers', 'text'],
    'cloud-events': ['avro', 'json', 'writers'],
  },
  transforms: {
    stage: [],
    testing: ['stage'],
    'java-values': [],
    'java-date': ['java-values'],
    literal: ['java-date', 'java-values', 'stage'],
    expression: ['stage'],
    kafka: ['stage', 'literal', 'java-date', 'java-values'],
    predicates: ['stage'],
    debezium: ['stage', 'expression'],
  },
  runtime: {
    config: [],
    lease: [],
    'session-key': ['config'],
    storage: ['session-key', 'config'],
    plugins: ['config'],
    task: ['lease', 'storage', 'plugins', 'config'],
    worker: ['task', 'lease', 'storage', 'plugins', 'config'],
    loss: ['storage', 'plugins', 'config'],
    group: ['lease', 'storage', 'session-key', 'config'],
    verification: ['task', 'plugins', 'config'],
    events: ['task', 'plugins', 'config'],
    shadow: ['task', 'storage', 'plugins', 'config'],
    local: ['task', 'storage', 'plugins', 'config'],
    herder: ['worker', 'task', 'verification', 'group', 'storage', 'session-key', 'plugins', 'config'],
    rest: ['herder', 'session-key', 'config'],
    observability: ['herder', 'worker', 'task', 'group', 'lease', 'config'],
  },
  cli: {
    terminal: [],
    process: [],
    logging: [],
    assembly: ['logging'],
    'dev-broker': ['logging'],
    forms: [],
    connectors: ['process', 'terminal'],
    check: ['terminal'],
    watch: ['terminal'],
    verification: ['terminal'],
    rehearsal: ['connectors', 'terminal'],
    source: [],
    events: ['terminal'],
    tail: ['events', 'source', 'watch', 'logging', 'terminal'],
    dev: ['events', 'source', 'connectors', 'terminal'],
    telemetry: [],
    commands: [
      'check',
      'connectors',
      'verification',
      'rehearsal',
      'tail',
      'dev',
      'source',
      'events',
      'forms',
      'watch',
      'telemetry',
      'assembly',
      'dev-broker',
      'logging',
      'process',
      'terminal',
    ],
  },
  testkit: {
    process: [],
    doubles: [],
    notation: [],
    network: [],
    provision: ['process'],
    browser: ['provision', 'process'],
    kafka: ['provision', 'network', 'process'],
    database: ['provision', 'network', 'process'],
    broker: ['kafka', 'network', 'process'],
    shared: ['broker', 'kafka', 'database', 'process'],
    service: ['shared', 'kafka', 'database', 'network', 'process'],
    connect: ['service', 'shared', 'kafka', 'provision', 'network', 'process'],
    registry: ['connect', 'kafka', 'provision', 'network', 'process'],
    prometheus: ['provision', 'network', 'process'],
    tls: ['kafka', 'network', 'process'],
    'fake-server': ['database', 'process'],
  },
}

/** Trees of programs outside of packages → folder → other folders of the tree that it may import. */
const tools = {
  bench: {
    systems: [],
    load: [],
    floors: ['systems'],
    run: ['systems'],
    measure: ['load'],
    workloads: ['load'],
    report: ['run', 'systems', 'measure'],
    rig: ['run', 'systems', 'load'],
    latency: ['rig', 'measure'],
    memory: ['rig', 'load', 'measure'],
    compare: ['rig', 'run', 'systems', 'load', 'measure', 'workloads'],
    rows: ['compare', 'memory', 'latency', 'floors', 'rig', 'run', 'systems', 'load', 'measure', 'workloads'],
    micro: ['measure', 'systems'],
  },
  scripts: {
    'demo/stage': [],
    'demo/steps': ['demo/stage'],
    docs: ['demo/stage'],
    pack: [],
    test: ['pack'],
    wasm: [],
  },
}

const ROOT_LEAVES = '(errors|error-texts|version)\\.ts$'
/** Tests, and modules that only tests use. */
const TEST = '\\.test\\.ts$|/testing/|/test-[^/]+\\.ts$'
/** Declared in the root's package.json only, because the tests of every package may use them. */
const TEST_LIBRARIES = '^node_modules/(fast-check|kafkajs|playwright-core|axe-core)/'
const ANY_PACKAGE = '^packages/[^/]+/src/index\\.ts$'

const allowed = [
  { from: {}, to: { dependencyTypes: ['core', 'npm', 'npm-dev'] } },
  // Tests may import every module of their own package, and the index of others.
  { from: { path: TEST }, to: { path: ANY_PACKAGE } },
  { from: { path: `^packages/([^/]+)/.*(${TEST})` }, to: { path: '^packages/$1/' } },
  { from: { path: TEST }, to: { path: TEST_LIBRARIES } },
  // A version is written only in package.json.
  { from: { path: '^packages/([^/]+)/src/version\\.ts$' }, to: { path: '^packages/$1/package\\.json$' } },
  // A checkout builds the page when it is first requested; scripts/pack replaces that module.
  {
    from: { path: '^(packages/cli/src/assembly/build|scripts/pack/bundle)\\.ts$' },
    to: { path: '^packages/ui/scripts/build-page\\.ts$' },
  },
  // The page is a program, so it has no index, and its modules are for browsers: its tests are outside of it.
  { from: { path: '^tests/page/' }, to: { path: '^packages/ui/(scripts|src)/' } },
  // Generators in the folders of a package.
  { from: { path: '^packages/([^/]+)/(scripts|fixtures)/' }, to: { path: '^packages/$1/' } },
  { from: { path: '^packages/[^/]+/(scripts|fixtures)/' }, to: { path: ANY_PACKAGE } },
  { from: { path: '^(scripts|bench|tests)/' }, to: { path: ANY_PACKAGE } },
  { from: { path: `^(scripts|bench)/.*(${TEST})` }, to: { path: '^(scripts|bench)/' } },
  { from: { path: '^tests/' }, to: { path: '^(tests|scripts|bench)/' } },
]

for (const [from, to] of Object.entries(packages)) {
  const src = `^packages/${from}/src/`
  if (to.length > 0) allowed.push({ from: { path: src }, to: { path: `^packages/(${to.join('|')})/src/index\\.ts$` } })
  if (folders[from] === undefined) {
    allowed.push({ from: { path: src }, to: { path: src } })
    continue
  }
  allowed.push({ from: { path: `${src}[^/]+$` }, to: { path: src } })
  allowed.push({ from: { path: src }, to: { path: `${src}${ROOT_LEAVES}` } })
  for (const [folder, others] of Object.entries(folders[from])) {
    allowed.push({ from: { path: `${src}${folder}/` }, to: { path: `${src}(${[folder, ...others].join('|')})/` } })
  }
}

for (const [tree, itsFolders] of Object.entries(tools)) {
  // Entry files (check.ts, demo/main.ts) may import every folder of their tree.
  allowed.push({ from: { path: `^${tree}/(demo/)?[^/]+$` }, to: { path: `^${tree}/` } })
  for (const [folder, others] of Object.entries(itsFolders)) {
    allowed.push({
      from: { path: `^${tree}/${folder}/` },
      to: { path: `^${tree}/(${[folder, ...others].join('|')})/` },
    })
  }
}

module.exports = {
  allowed,
  allowedSeverity: 'error',
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Two modules that import each other belong into one, or their common part into a third, also for types.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      comment: "An imported package must be listed in the importing workspace's package.json.",
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'], pathNot: TEST_LIBRARIES },
    },
    {
      name: 'testkit-is-for-tests',
      severity: 'error',
      comment: 'Released code must not depend on the test servers.',
      from: { path: '^packages/(?!testkit/)[^/]+/src/', pathNot: TEST },
      to: { path: '^packages/testkit/' },
    },
    {
      name: 'tests-are-leaves',
      severity: 'error',
      comment: 'Released code must not depend on tests or their helpers.',
      from: { path: '^packages/', pathNot: `${TEST}|^packages/[^/]+/(scripts|fixtures)/` },
      to: { path: `^packages/.*(${TEST})` },
    },
    {
      name: 'index-is-for-others',
      severity: 'error',
      comment:
        "A package's own modules import each other directly; through the index, each would depend on all others.",
      from: { path: '^packages/([^/]+)/src/', pathNot: TEST },
      to: { path: '^packages/$1/src/index\\.ts$' },
    },
    {
      name: 'kit-uses-kafka-for-history-and-signals-only',
      severity: 'error',
      comment: 'A connector does not use a broker, except for its schema history and its signals.',
      from: {
        path: '^packages/connector-kit/',
        pathNot: `^packages/connector-kit/src/(history/|signals/|index)|${TEST}`,
      },
      to: { path: '^packages/kafka/' },
    },
    {
      name: 'rest-sees-the-herder-interface',
      severity: 'error',
      from: { path: '^packages/runtime/src/rest/', pathNot: TEST },
      to: { path: '^packages/runtime/src/herder/', pathNot: '/herder/herder(-error)?\\.ts$' },
    },
    {
      name: 'sockets-only-at-the-edge',
      severity: 'error',
      comment: 'Code that opens a socket must handle its limits, time-outs and end, which is done in few places.',
      from: {
        path: '^packages/',
        pathNot: `^packages/(mysql/src/connection|kafka|broker/src/shell|converters/src/registry|runtime/src/rest|cli/src/telemetry|testkit)/|${TEST}`,
      },
      to: {
        dependencyTypes: ['core'],
        dependencyTypesNot: ['type-only'],
        path: '^(node:)?(net|tls|http|https|http2|dgram)$',
      },
    },
    {
      name: 'rest-api-is-for-the-browser-too',
      severity: 'error',
      from: { path: '^packages/(rest-api|ui)/src/', pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    // Type imports count as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
}
