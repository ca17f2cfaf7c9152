import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartSettings } from '../../../scripts/document-chart';

/** Checks that a Compose tool cannot do: the file runs our roles, and nothing prevents scaling. */

interface Service {
  image: string;
  build?: string;
  command?: string[];
  ports?: string[];
  container_name?: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  networks?: string[];
}

const root = join(__dirname, '../../..');
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  networks: Record<string, { internal?: boolean } | null>;
};
const { services } = compose;

test('passes the check of a Compose tool if one is installed', () => {
  const said = execFileSync(process.execPath, [join(root, 'scripts/check-compose.mjs')], {
    encoding: 'utf8',
  });
  expect(said).toMatch(/^docker-compose\.yml( is valid|: no Compose tool)/);
}, 300_000);

test.each(['api', 'worker', 'dispatcher', 'desk', 'signer', 'migrate'])(
  '%s is a role of the one image',
  (role) => {
    expect(services[role]?.command).toEqual([
      'node',
      '--require',
      './scripts/typescript.cjs',
      'src/main.ts',
      '--role',
      role,
    ]);
    expect(services[role]?.image).toBe(services['api']?.image);
    expect(services[role]?.build).toBe('.');
  },
);

test.each([
  ['api', '8080'],
  ['worker', '9464'],
  ['dispatcher', '9464'],
])('%s can be scaled, and is healthy when it is ready', (role, port) => {
  const { container_name: name, ports = [], healthcheck, environment } = services[role]!;
  expect(name).toBeUndefined();
  // A single host port would allow only one replica, so the file has a range.
  for (const mapping of ports) expect(mapping).toMatch(/:\d+-\d+:\d+$/);
  expect(healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/health/ready`);
  expect([environment?.['PORT'], environment?.['METRICS_PORT']]).toContain(port);
});

test('every service that another waits for exists and can report the awaited state', () => {
  for (const { depends_on: needs = {} } of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(needs)) {
      expect(services).toHaveProperty(name);
      if (condition === 'service_healthy') expect(services[name]?.healthcheck).toBeDefined();
    }
  }
});

/** The servers of the file itself need none of these, and its signer has no way out to keys of others. */
const LEFT_OUT = /^(TEMPORAL_TLS.*|TEMPORAL_API_KEY|AWS_REGION|STATION_KEYS)$/;

test.each(['api', 'worker', 'dispatcher', 'desk', 'signer', 'migrate'])(
  '%s gets each setting that it reads',
  (role) => {
    const { settings, secrets } = chartSettings();
    const read = Object.entries({ ...settings, ...secrets }).filter(([, { roles }]) => roles.includes(role));
    const given = Object.keys(services[role]?.environment ?? {});
    expect(
      read.map(([name]) => name).filter((name) => !given.includes(name) && !LEFT_OUT.test(name)),
    ).toEqual([]);
  },
);

test('whoever sends traces reaches the collector of the file', () => {
  const sending = Object.keys(services).filter((name) =>
    Object.hasOwn(services[name]?.environment ?? {}, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
  );
  expect(sending).toEqual(expect.arrayContaining(['api', 'worker', 'dispatcher', 'desk']));
  const reachable = networksOf('jaeger');
  for (const name of sending)
    expect([name, networksOf(name).some((network) => reachable.includes(network))]).toEqual([name, true]);
});

test.each(['signer', 'worker'])(
  '%s keeps what it remembers in a volume that its user may write to',
  (role) => {
    const { environment, volumes } = services[role]!;
    expect(volumes).toContain(`${role}:${environment?.['DATA_DIR']}`);
    expect(compose.volumes).toHaveProperty(role);
    // A named volume inherits the owner of the image's folder.
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(
      new RegExp(`RUN mkdir -p .*${environment?.['DATA_DIR']}\\b`),
    );
  },
);

test('the mode and the secrets are required from outside and named in .env.example', () => {
  const required = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name));
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const secrets = [
    ...['MASTER_KEYS', 'POSTGRES_PASSWORD', 'RUNTIME_DB_PASSWORD', 'READER_DB_PASSWORD'],
    ...['SIGNER_KEYS', 'TEMPORAL_DB_PASSWORD'],
  ];
  expect([...required].sort()).toEqual(['MODE', ...secrets].sort());
  for (const name of secrets) expect(example).toMatch(new RegExp(`^${name}=$`, 'm'));
});

test('only migrate has the address of the owner, and all others the runtime role', () => {
  const userOf = (url = '') => /^postgres:\/\/(\w+):/.exec(url)?.[1];
  for (const role of ['api', 'worker', 'dispatcher', 'desk', 'signer', 'migrate']) {
    const { DATABASE_URL: runtime, DATABASE_OWNER_URL: owner } = services[role]?.environment ?? {};
    expect(userOf(runtime)).toBe('cardwright_runtime');
    expect(userOf(owner)).toBe(
      role === 'migrate' ? services['postgres']?.environment?.['POSTGRES_USER'] : undefined,
    );
    expect(JSON.stringify(services[role]?.environment).includes('POSTGRES_PASSWORD')).toBe(
      role === 'migrate',
    );
  }
});

const networksOf = (name: string) => services[name]?.networks ?? ['default'];

test('who stands at the edge reaches the API alone, and neither a database nor Temporal', () => {
  const atEdge = Object.keys(services).filter((name) => networksOf(name).includes('edge'));
  expect(atEdge).toEqual(['api']);
  const stores = ['postgres', 'temporal-postgres', 'temporal', 'parties-postgres'];
  const inner = new Set(stores.flatMap(networksOf));
  for (const name of inner) expect([name, compose.networks[name]]).toEqual([name, { internal: true }]);
  for (const name of stores) expect(services[name]?.ports).toBeUndefined();
});

test('each database is reached by those that use it alone', () => {
  const reaching = (network: string) =>
    Object.keys(services).filter((name) => networksOf(name).includes(network));
  expect(reaching('database')).toEqual([
    ...['postgres', 'migrate', 'api', 'worker'],
    ...['dispatcher', 'desk', 'signer', 'postgres-exporter'],
  ]);
  expect(reaching('temporal-database')).toEqual(['temporal-postgres', 'temporal-schema', 'temporal']);
  expect(reaching('parties-database')).toEqual(['parties-postgres', 'parties-migrate', 'parties']);
  expect(reaching('default')).toEqual([]);
});

test('services with data keep it in a named volume', () => {
  for (const name of ['postgres', 'temporal-postgres']) {
    expect(compose.volumes).toHaveProperty(services[name]!.volumes![0]!.split(':')[0]!);
  }
});

test('the image has the files of its commands, and no secret', () => {
  const kept = readFileSync(join(root, '.dockerignore'), 'utf8');
  for (const path of ['src', 'workflows', 'activities', 'workers', 'contracts', 'package-lock.json']) {
    expect(kept).toContain(`!${path}\n`);
    expect(existsSync(join(root, path))).toBe(true);
  }
  expect(kept).not.toMatch(/!\.(env|data)/);
});

test('who migrates with the rights of the owner has no key and no secret of a party', () => {
  const names = Object.keys(services['migrate']?.environment ?? {});
  expect(names.filter((name) => /KEYS|SECRET|SMTP|STRIPE/.test(name))).toEqual([]);
});

test('the dispatcher alone delivers webhooks, and has no secret of a party', () => {
  expect(services['worker']?.environment?.['WORKER_WEBHOOKS']).toBe('off');
  const names = Object.keys(services['dispatcher']?.environment ?? {});
  expect(names.filter((name) => /^(PARTY|STRIPE|SMTP|AUDIT|SIGNER|DOCUMENTS)/.test(name))).toEqual([]);
  const reaching = Object.keys(services).filter((name) => networksOf(name).includes('webhooks'));
  // The others read its metrics, and take its traces.
  expect(reaching).toEqual(['dispatcher', 'prometheus', 'jaeger']);
});

test('only the signer has the keys of the wallets, and no secret of a party', () => {
  const holders = Object.entries(services).filter(([, { environment }]) => environment?.['SIGNER_KEYS']);
  expect(holders.map(([name]) => name)).toEqual(['signer']);
  const names = Object.keys(services['signer']?.environment ?? {});
  expect(names.filter((name) => /^(PARTY|STRIPE|SMTP|TEMPORAL)/.test(name))).toEqual([]);
  expect(services['signer']?.ports).toBeUndefined();
});
