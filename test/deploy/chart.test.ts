/** @long */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartSettings, renderChartSchema } from '../../scripts/document-chart';
import { healthRoutes } from '../../src/http/health';
import { readConfig, VARIABLES } from '../../src/kernel/config/config';
import type { PartyUse } from '../../src/kernel/config/outside';
import { SECRET_VARIABLES } from '../../src/kernel/config/secret-files';
import { createMetrics } from '../../src/kernel/metrics/metrics';
import { createMetricsServer } from '../../src/kernel/metrics/server';
import { PARTIES, partyVariable } from '../../src/kernel/parties';
import { assertSignerKeys } from '../../src/startup/signer';
import { masterKeysText } from '../support/keyring';
import { testCertificate } from '../support/outside/certificate';
import { CHART, type ChartTools, chartTools, type Manifest, ROOT, VERSIONS } from './chart-tools';

/** The Helm chart against Kubernetes' own schemas, and against the product that it starts. */

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'cardwright-chart-'));
let tools: ChartTools | undefined;
let rendered: Record<'smallest' | 'everything', Manifest[]>;
beforeAll(async () => {
  tools = await chartTools(folder);
  if (!tools) return;
  rendered = { smallest: tools.render(['smallest.yaml']), everything: tools.render(['everything.yaml']) };
}, 40 * 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A test that is skipped by name where helm, kubeconform or the schemas are missing. */
const check = (name: string, work: (tools: ChartTools) => void | Promise<void>) =>
  it(name, async () => {
    if (tools) await work(tools);
    else console.warn(`SKIPPED: ${name}`);
  });

const SIZES = ['smallest', 'everything'] as const;
const table = chartSettings();

interface Container {
  image: string;
  command: string[];
  env?: { name: string; value: string }[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  [probe: string]: any;
}

const POD_KINDS = ['Deployment', 'StatefulSet', 'Job'];
const podsOf = (manifests: Manifest[]) =>
  manifests
    .filter(({ kind }) => POD_KINDS.includes(kind))
    .map((manifest) => ({
      role: manifest.metadata['labels']['app.kubernetes.io/component'] as string,
      manifest,
      pod: manifest['spec'].template.spec as Record<string, any>,
      container: manifest['spec'].template.spec.containers[0] as Container,
    }));

function environmentOf(manifests: Manifest[], { env, envFrom }: Container): Record<string, string> {
  if (env) return Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const name = envFrom?.[0]?.configMapRef.name;
  return manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata['name'] === name)?.['data'];
}

describe.each(SIZES)('with the values %s', (size) => {
  check(`helm lint finds no fault (${size})`, ({ lint }) => {
    expect(lint(`${size}.yaml`)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  for (const version of VERSIONS)
    check(`kubeconform -strict accepts each resource of Kubernetes ${version} (${size})`, ({ conform }) => {
      const manifests = rendered[size];
      const skipped = manifests.filter(({ kind }) => /^(ServiceMonitor|PrometheusRule)$/.test(kind)).length;
      expect(conform(manifests, version)).toBe(
        `Summary: ${manifests.length} resources found parsing stdin - Valid: ${manifests.length - skipped}, ` +
          `Invalid: 0, Errors: 0, Skipped: ${skipped}\n`,
      );
    });

  check(`each container gets the variables of its role alone, and the product accepts them (${size})`, () => {
    for (const { role, container } of podsOf(rendered[size])) {
      const environment = environmentOf(rendered[size], container);
      for (const name of Object.keys(environment))
        expect([role, name, readersOf(name)]).toEqual(readBy(role, name));
      expect([role, namesOfRequired(role).filter((name) => !(name in environment))]).toEqual([role, []]);
      accept(role, environment);
    }
  });

  check(`no container gets a secret as a value, and its files are those of its role (${size})`, () => {
    for (const { role, pod, container } of podsOf(rendered[size])) {
      const environment = environmentOf(rendered[size], container);
      expect(Object.keys(environment).filter((name) => SECRET_VARIABLES.includes(name))).toEqual([]);
      const { sources } = pod['volumes'].find(({ name }: { name: string }) => name === 'secrets').projected;
      const paths = sources.map(({ secret }: any) => secret.items[0].path as string);
      for (const path of paths) expect([role, path, table.secrets[path]?.roles]).toEqual(readBy(role, path));
      expect(paths.map((path: string) => `/etc/cardwright/secrets/${path}`).sort()).toEqual(
        Object.values(environment)
          .filter((value) => value.startsWith('/etc/cardwright/secrets/'))
          .sort(),
      );
    }
    expect(rendered[size].filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  check(
    `each role runs by the command and the user of the image, with nothing that it does not need (${size})`,
    () => {
      const compose = parse(read('docker-compose.yml'), { merge: true });
      const dockerfile = read('Dockerfile');
      expect(dockerfile).toContain('\nUSER node\n');
      for (const { role, pod, container } of podsOf(rendered[size])) {
        const twin = compose.services[role];
        expect(container.command).toEqual(twin.command);
        for (const each of [container, ...(pod['initContainers'] ?? [])])
          expect(each.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        expect(pod['securityContext']).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        expect([pod['automountServiceAccountToken'], pod['enableServiceLinks']]).toEqual([false, false]);
      }
    },
  );

  check(`each grace period is longer than the product's drain and stop (${size})`, () => {
    for (const { role, pod, container } of podsOf(rendered[size]).filter((each) => each.role !== 'migrate')) {
      const environment = environmentOf(rendered[size], container);
      const seconds =
        Number(environment['DRAIN_SECONDS'] ?? 0) + Number(environment['SHUTDOWN_SECONDS'] ?? 20);
      expect([role, pod['terminationGracePeriodSeconds'] > seconds]).toEqual([role, true]);
    }
  });

  check(`a Deployment never has fewer pods during an upgrade (${size})`, () => {
    for (const { manifest } of podsOf(rendered[size]).filter(
      ({ manifest: { kind } }) => kind === 'Deployment',
    ))
      expect(manifest['spec'].strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });
});

const FIXED_ROLES = new Set(table.fixed);
/** The roles that read a variable, or `fixed`. */
function readersOf(name: string): string[] | 'fixed' | undefined {
  if (FIXED_ROLES.has(name)) return 'fixed';
  const secret = /^(.*)_FILE$/.exec(name)?.[1] ?? '';
  return (table.secrets[secret] ?? table.settings[name])?.roles;
}
const readBy = (role: string, name: string) =>
  FIXED_ROLES.has(name) ? [role, name, 'fixed'] : [role, name, expect.arrayContaining([role])];

const namesOfRequired = (role: string): string[] => [
  ...Object.entries(table.settings)
    .filter(([, { required, roles }]) => required && roles.includes(role))
    .map(([name]) => name),
  ...Object.entries(table.secrets)
    .filter(([, { required, roles }]) => required && roles.includes(role))
    .map(([name]) => `${name}_FILE`),
];

const PARTY_USE: Record<string, PartyUse> = { api: 'reaches', worker: 'reaches', desk: 'reaches' };
const PRODUCT_ROLES = ['api', 'worker', 'desk', 'signer', 'migrate'] as const;

/** Reads the environment as the role does, with files in the places of the mounted secrets. */
function accept(role: string, environment: Record<string, string>): void {
  const { cert, key } = testCertificate();
  const secretOf = (name: string): string => {
    if (/_URL$/.test(name))
      return name === 'SMTP_URL' ? 'smtps://mail.example.com' : 'postgres://role:word@db/cards';
    if (/_KEYS$/.test(name)) return masterKeysText();
    if (name.startsWith('TEMPORAL_TLS')) return name === 'TEMPORAL_TLS_KEY' ? key : cert;
    if (name === 'STRIPE_SECRET_KEY') return 'sk_live_1';
    return /^STRIPE_.*WEBHOOK_SECRET$/.test(name) ? 'whsec_1' : 'secret'.repeat(8);
  };
  const given = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const secret = /^\/etc\/cardwright\/secrets\/(\w+)$/.exec(value)?.[1];
      if (secret === undefined) return [name, value];
      writeFileSync(join(folder, secret), secretOf(secret));
      return [name, join(folder, secret)];
    }),
  );
  const config = readConfig(given, PARTY_USE[role] ?? 'neither', role !== 'migrate');
  expect(config.databaseUrl).toBeDefined();
  const known = PRODUCT_ROLES.find((each) => each === role);
  if (known) assertSignerKeys(known, config);
}

/** The variables in the tables of docs/operating.md. `_REGION` after `DOCUMENTS_S3_BUCKET` is `DOCUMENTS_S3_REGION`. */
function documentedVariables(): string[] {
  const [, chapter = ''] = read('docs/operating.md').split('\n## Configuration\n');
  const [text = ''] = chapter.split('\n## ');
  const [before = '', after = ''] = text.split('### The command line of operators');
  const rows = `${before}${after.slice(after.indexOf('\n### '))}`.match(/^\| `.*?` \|/gm) ?? [];
  return rows.flatMap((row) => {
    const names = [...row.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name);
    const [first = ''] = names;
    const stem = first.replace(/_(BUCKET|ENDPOINT)$/, '');
    return names.map((name) => (name.startsWith('_') ? stem + name : name));
  });
}

it('the table has every variable of the product, or leaves it out by name', () => {
  const parties = PARTIES.map(partyVariable).flatMap((name) => [name, `${name}_URL`, `${name}_SECRET`]);
  const ofProduct = new Set([...VARIABLES, ...documentedVariables(), ...parties]);
  const secrets = Object.keys(table.secrets).flatMap((name) => [name, `${name}_FILE`]);
  const ofChart = new Set([...Object.keys(table.settings), ...secrets, ...table.fixed, ...table['left out']]);
  expect(ofProduct.size).toBeGreaterThan(100);
  const missing = [...ofProduct].filter(
    (name) => !ofChart.has(name) && !ofChart.has(name.replace(/_FILE$/, '')),
  );
  expect(missing).toEqual(['npm_lifecycle_event']);
  const unknown = [...ofChart].filter(
    (name) => !ofProduct.has(name) && !ofProduct.has(name.replace(/_FILE$/, '')),
  );
  // The SDK of AWS reads the region of a key. The product reads Temporal's files of TLS by variables with _FILE alone.
  expect(unknown).toEqual(['AWS_REGION', 'TEMPORAL_TLS_CA', 'TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY']);
});

it('only the roles that must have a secret have it', () => {
  const holders = (name: string) => table.secrets[name]?.roles;
  expect(holders('SIGNER_KEYS')).toEqual(['signer']);
  expect(holders('DATABASE_OWNER_URL')).toEqual(['migrate']);
  expect(holders('MASTER_KEYS')).not.toContain('migrate');
  for (const [name, { roles }] of Object.entries(table.secrets))
    if (!/^(DATABASE_URL|MASTER_KEYS|SIGNER_KEYS)$/.test(name))
      expect([name, roles]).toEqual([name, expect.not.arrayContaining(['signer'])]);
});

check('the default values alone are refused, because the mode and Temporal are a choice', ({ refused }) => {
  expect(refused([])).toContain("at '/settings': missing properties 'MODE', 'TEMPORAL_ADDRESS'");
});

describe('wrong values are refused by their name', () => {
  const WRONG: [set: string, told: string][] = [
    ['settings.MODUS=live', "'/settings': additional properties 'MODUS' not allowed"],
    ['settings.MODE=production', "'/settings/MODE': value must be one of 'sandbox', 'live'"],
    ['settings.TEMPORAL_ADDRESS=temporal', "'/settings/TEMPORAL_ADDRESS': 'temporal' does not match"],
    ['settings.DATABASE_POOL=16', "'/settings/DATABASE_POOL': got number, want string"],
    ['settings.MASTER_KEYS=first:abc', "'/settings': additional properties 'MASTER_KEYS' not allowed"],
    ['settings.WAL_FOLDER=/wal', "'/settings': additional properties 'WAL_FOLDER' not allowed"],
    [
      'secrets.MASTER_KEYS.value=first:abc',
      "'/secrets/MASTER_KEYS': additional properties 'value' not allowed",
    ],
    ['secrets.DATABASE_URL=null', "'/secrets': missing property 'DATABASE_URL'"],
    ['image.digest=latest', "'/image/digest': 'latest' does not match"],
    ['api.replica=3', "'/api': additional properties 'replica' not allowed"],
    ['api.replicas=many', "'/api/replicas': got string, want integer"],
    ['api.ingress.enabled=true', "'/api/ingress/host': '' does not match"],
    ['signer.replicas=2', "'/signer': additional properties 'replicas' not allowed"],
    ['networkPolicy.postgres.to=null', "'/networkPolicy/postgres': missing property 'to'"],
    ['documents.claim=', 'documents.claim: name a PersistentVolumeClaim'],
    ['bankFiles.claim=bank-files', 'settings.BANK_COMPANY: must be given with bankFiles.claim'],
    ['settings.BANK_BIC=COBADEFFXXX', 'settings.BANK_BIC: must be given with bankFiles.claim'],
    [
      'settings.BANK_FILES_FOLDER=/bank',
      "'/settings': additional properties 'BANK_FILES_FOLDER' not allowed",
    ],
    ['settings.RATES_SOURCE=file', 'rates.configMap: must be given with settings.RATES_SOURCE=file'],
    ['settings.MODE=live', 'settings.SIGNER_OPERATORS: must be given with settings.MODE=live'],
    ['secrets.SIGNER_KEYS=null', 'secrets.SIGNER_KEYS: must be given'],
  ];
  for (const [set, told] of WRONG)
    check(set, ({ refused }) => {
      expect(refused(['smallest.yaml'], [set])).toContain(told);
    });
});

check(
  "the folder of the bank's files is mounted at workers alone, and the API and the desk know of it",
  () => {
    const FOLDER = '/var/lib/cardwright/bank-files';
    for (const { role, pod, container } of podsOf(rendered.everything)) {
      const mounts = container['volumeMounts']?.filter(({ name }: any) => name === 'bank-files');
      const volumes = pod['volumes'].filter(({ name }: any) => name === 'bank-files');
      expect([role, mounts, volumes]).toEqual(
        role === 'worker'
          ? [
              role,
              [{ name: 'bank-files', mountPath: FOLDER }],
              [{ name: 'bank-files', persistentVolumeClaim: { claimName: 'bank-files' } }],
            ]
          : [role, [], []],
      );
      const environment = environmentOf(rendered.everything, container);
      const knows = ['api', 'worker', 'desk'].includes(role);
      expect([role, environment['BANK_FILES_FOLDER']]).toEqual([role, knows ? FOLDER : undefined]);
      expect([role, environment['BANK_ACCOUNTS'] !== undefined]).toEqual([role, knows]);
    }
    for (const { container } of podsOf(rendered.smallest))
      expect(environmentOf(rendered.smallest, container)).not.toHaveProperty('BANK_FILES_FOLDER');
  },
);

check('the image is that of Compose by default, and a digest wins', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
  const { services } = parse(read('docker-compose.yml'), { merge: true });
  const [repository] = (services.api.image as string).split(':');
  for (const { container } of podsOf(rendered.smallest))
    expect(container.image).toBe(`${repository}:${version}`);
  for (const { container } of podsOf(rendered.everything))
    expect(container.image).toMatch(/^registry\S+@sha256:a{64}$/);
});

check('probes ask paths that the product serves, at the ports that it listens on', async () => {
  const paths = healthRoutes(async () => ({ state: 'ready', checks: {} })).map(({ path }) => path);
  const metrics = createMetrics({
    pool: () => ({ open: 0, busy: 0, waiting: 0 }) as never,
    database: {} as never,
    readings: () => [],
  });
  const server = createMetricsServer({ metrics, readiness: async () => ({ state: 'ready', checks: {} }) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const { role, container } of podsOf(rendered.everything)) {
    const { ports = [] } = container;
    const variables = environmentOf(rendered.everything, container);
    const listening = {
      http: variables['PORT'],
      desk: variables['DESK_PORT'],
      metrics: variables['METRICS_PORT'],
    };
    expect(Object.fromEntries(ports.map(({ name, containerPort }) => [name, String(containerPort)]))).toEqual(
      Object.fromEntries(Object.entries(listening).filter(([, number]) => number !== undefined)),
    );
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (name) => container[name]?.httpGet,
    );
    // The signing process and the migration listen nowhere.
    if (ports.length === 0) expect([role, probes]).toEqual([role, [undefined, undefined, undefined]]);
    else
      for (const { path, port: name } of probes) {
        if (name === 'http') expect(paths).toContain(path);
        else
          expect([name, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual(['metrics', 200]);
      }
  }
  server.close();
});

check('the migration comes first, by a hook whose account and policy exist before it', () => {
  const hooks = rendered.everything
    .filter(({ metadata }) => metadata['annotations']?.['helm.sh/hook'])
    .map(({ kind, metadata }) => [
      kind,
      metadata['annotations']['helm.sh/hook'],
      metadata['annotations']['helm.sh/hook-weight'],
    ]);
  expect(hooks.sort()).toEqual([
    ['Job', 'pre-install,pre-upgrade', '0'],
    ['NetworkPolicy', 'pre-install,pre-upgrade', '-10'],
    ['ServiceAccount', 'pre-install,pre-upgrade', '-10'],
  ]);
});

check('a policy holds each pod: the signing process reaches Postgres and KMS, and nobody reaches it', () => {
  const policies = rendered.everything.filter(({ kind }) => kind === 'NetworkPolicy');
  const roles = podsOf(rendered.everything).map(({ role }) => role);
  const of = (role: string) =>
    policies.find(({ spec }) => spec.podSelector.matchLabels['app.kubernetes.io/component'] === role)?.[
      'spec'
    ];
  expect(policies).toHaveLength(roles.length);
  const reached = (role: string) => of(role).egress.map(({ to }: any) => to[0].ipBlock?.cidr ?? 'dns');
  for (const role of roles) expect([role, of(role).policyTypes]).toEqual([role, ['Ingress', 'Egress']]);
  expect(reached('signer')).toEqual(['dns', '10.1.0.5/32', '10.1.0.7/32']);
  expect(of('signer').ingress).toEqual([]);
  expect(reached('migrate')).toEqual(['dns', '10.1.0.5/32']);
  const callers = (role: string) =>
    of(role).ingress.map(({ from, ports }: any) => [
      from[0].namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
      ports[0].port,
    ]);
  expect(callers('desk')).toEqual([
    ['ingress-internal', 8091],
    ['monitoring', 9464],
  ]);
  expect(callers('api')).toEqual([
    ['ingress-nginx', 8080],
    ['monitoring', 9464],
  ]);
  expect(callers('worker')).toEqual([['monitoring', 9464]]);
});

check('in the sandbox the pods that call its parties reach the API, and nobody else does', () => {
  const api = rendered.smallest.find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata['name'] === 'cards-cardwright-api',
  );
  const callers = api?.['spec'].ingress.map(({ from }: any) =>
    from.map(({ podSelector }: any) => podSelector.matchLabels['app.kubernetes.io/component']),
  );
  expect(callers).toEqual([['api', 'worker', 'desk']]);
});

check('the ingress of the API routes by the client, and the desk has another host', () => {
  const ingresses = rendered.everything.filter(({ kind }) => kind === 'Ingress');
  const facts = ingresses.map(({ metadata, spec }) => [
    spec.rules[0].host,
    spec.rules[0].http.paths[0].backend.service.name,
    metadata['annotations']?.['nginx.ingress.kubernetes.io/upstream-hash-by'],
  ]);
  expect(facts).toEqual([
    ['cards.example.com', 'cards-cardwright-api', '$http_x_client_id'],
    ['desk.example.com', 'cards-cardwright-desk', undefined],
  ]);
});

check('every Service and budget selects pods of the release', () => {
  const labels = podsOf(rendered.everything).map(({ manifest }) => manifest['spec'].template.metadata.labels);
  const selectors = rendered.everything
    .filter(({ kind }) => kind === 'Service' || kind === 'PodDisruptionBudget')
    .map(({ metadata, spec }) => [metadata['name'], spec.selector.matchLabels ?? spec.selector] as const);
  expect(selectors.length).toBeGreaterThan(8);
  for (const [name, selector] of selectors) {
    const chosen = labels.filter((each) =>
      Object.entries(selector).every(([key, value]) => each[key] === value),
    );
    expect([name, chosen.length > 0]).toEqual([name, true]);
  }
});

it('the schema of the values and the rules of alerts are those that `npm run document` writes', () => {
  expect(readFileSync(join(CHART, 'values.schema.json'), 'utf8')).toBe(renderChartSchema());
  expect(readFileSync(join(CHART, 'files/alerts.yml'), 'utf8')).toBe(
    read('observability/prometheus/alerts.yml'),
  );
});

check('targets have the job that the rules of alerts name', () => {
  const jobs = [...read('observability/prometheus/alerts.yml').matchAll(/job="([^"]*)"/g)];
  const [monitor] = rendered.everything.filter(({ kind }) => kind === 'ServiceMonitor');
  const relabelled = monitor?.['spec'].endpoints.flatMap(({ relabelings }: any) => relabelings);
  expect(jobs.length).toBeGreaterThan(0);
  for (const [, job] of jobs) expect(relabelled).toEqual([{ targetLabel: 'job', replacement: job }]);
});

check('the rules of alerts are those of the product', () => {
  const rule = rendered.everything.find(({ kind }) => kind === 'PrometheusRule');
  expect(rule?.['spec']).toEqual(parse(read('observability/prometheus/alerts.yml')));
});

describe('a new API', () => {
  /** Runs the script of the init container with these addresses of its two Services. */
  function wait(answers: Record<string, string[][]>, seconds = '3') {
    const preload = join(folder, 'names.mjs');
    writeFileSync(
      preload,
      `import dns from 'node:dns/promises';
       const answers = ${JSON.stringify(answers)};
       dns.lookup = async (name) => {
         const left = answers[name];
         const now = left.length > 1 ? left.shift() : left[0];
         if (now.length === 0) throw new Error('ENOTFOUND');
         return now.map((address) => ({ address, family: 4 }));
       };`,
    );
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        ...['--import', preload, '--input-type=module', '--eval'],
        ...[readFileSync(join(CHART, 'files/workers-first.mjs'), 'utf8'), '--', 'all', 'own', seconds],
      ],
      { encoding: 'utf8' },
    );
    expect(status).toBe(0);
    return stdout;
  }

  it('waits until no worker of another image is left', () => {
    const said = wait({ all: [['10.0.0.1', '10.0.0.2'], ['10.0.0.2']], own: [['10.0.0.2']] }, '60');
    expect(said).toBe('waits for 1 workers of another image\n');
  });

  it('waits for nobody where no worker is ready', () => {
    expect(wait({ all: [[]], own: [[]] })).toBe('');
  });

  it('goes on after its time, beside workers that were not replaced', () => {
    expect(wait({ all: [['10.0.0.1']], own: [[]] }, '1')).toContain(
      'goes on beside 1 workers of another image',
    );
  });
});
