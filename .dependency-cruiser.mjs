// The rules of the house (docs/architecture.md, Districts). `npm run lint` fails on an import that runs back.
import { readdirSync } from 'node:fs';

/** From top to bottom: a district may import those above it, never one below. */
const DISTRICTS = [
  'kernel',
  'http',
  'process',
  'parties',
  'services.ts',
  'tenants',
  'people',
  'accounts',
  'cards',
  'chain',
  'transfers',
  'watch',
  'desk',
  'desk-catalogue.ts',
  'installation',
  'operator',
  'startup',
  'composition.ts',
  'main.ts',
];

const inDistrict = (name) => `^src/${name}${name.endsWith('.ts') ? '$' : '/'}`.replace('.ts', '\\.ts');
const anyOf = (names) => names.map(inDistrict);

const oneDirection = DISTRICTS.slice(0, -1).map((name, place) => ({
  name: `${name.replace('.ts', '')}-imports-nothing-below`,
  comment: 'Imports point up the list of districts; the lower one is handed over by composition.ts.',
  severity: 'error',
  from: { path: inDistrict(name) },
  to: { path: anyOf(DISTRICTS.slice(place + 1)) },
}));

/** Within a district too, a domain may import those before it. */
const ORDER_WITHIN = {
  tenants: ['clients', 'webhooks'],
  people: ['users', 'reference', 'kyc', 'cardholders'],
  accounts: ['accounts', 'exchange', 'statements'],
  cards: [
    'programmes',
    'cards',
    'buffered',
    'challenges',
    'events',
    'processor',
    'issuance',
    'requests',
    'orders',
  ],
  transfers: [
    'engine',
    'screening',
    'approval',
    'payouts',
    'deposits',
    'iban',
    'external-cards',
    'chain-deposits',
    'stray',
    'exchange',
    'settlement',
  ],
  chain: ['networks', 'wallets', 'holdings', 'gas-station', 'signing', 'reconciliation'],
};

for (const [district, domains] of Object.entries(ORDER_WITHIN)) {
  const entries = readdirSync(new URL(`src/${district}`, import.meta.url), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  if (folders.sort().join() !== [...domains].sort().join())
    throw new Error(`ORDER_WITHIN must name the domains of ${district}, and no others: ${folders}`);
}

const oneDirectionWithin = Object.entries(ORDER_WITHIN).flatMap(([district, domains]) =>
  domains.slice(0, -1).map((domain, place) => ({
    name: `${district}-${domain}-imports-nothing-below`,
    severity: 'error',
    from: { path: `^src/${district}/${domain}/` },
    to: { path: domains.slice(place + 1).map((below) => `^src/${district}/${below}/`) },
  })),
);

const DOMAINS = ['tenants', 'people', 'accounts', 'cards', 'transfers', 'chain', 'desk'];
const PROCESSES = '^(workflows|activities|workers)/';

const STORE = '^src/.*store\\.ts$';

export default {
  forbidden: [
    ...oneDirection,
    {
      name: 'no-circles',
      comment: 'Circles of type imports too: what both need stands above both.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...oneDirectionWithin,
    {
      name: 'parties-know-the-kernel-and-process',
      severity: 'error',
      from: { path: inDistrict('parties') },
      to: { path: anyOf(['http', 'services.ts']) },
    },
    {
      name: 'http-is-for-routes',
      comment: 'Nothing below http/ knows Koa: operations are called by routes.',
      severity: 'error',
      from: { path: anyOf(DOMAINS), pathNot: '[/-]routes\\.ts$' },
      to: { path: inDistrict('http') },
    },
    {
      name: 'a-store-is-its-own-domain-s',
      comment: 'A domain never reads another domain’s tables: it calls its operations.',
      severity: 'error',
      from: { path: '^src/([^/]+/)([^/]+/)' },
      to: { path: STORE, pathNot: ['^src/$1[^/]+$', '^src/$1$2'] },
    },
    {
      name: 'a-store-is-its-own-sub-domain-s',
      comment: 'A store serves its folder, the folders within, and the folder that holds its own.',
      severity: 'error',
      from: { path: '^src/([^/]+/)([^/]+/)([^/]+/|)([^/]+/|)[^/]+$' },
      to: {
        path: STORE,
        pathNot: ['$1', '$1$2', '$1$2$3', '$1$2$3$4', '$1$2$3$4[^/]+/'].map((at) => `^src/${at}[^/]+$`),
      },
    },
    {
      name: 'a-store-is-no-district-s',
      comment: 'Files in the root of a district use the store beside them and no other.',
      severity: 'error',
      from: { path: '^src/([^/]+/|)[^/]+$' },
      to: { path: STORE, pathNot: '^src/$1[^/]+$' },
    },
    {
      name: 'a-store-is-no-process-s',
      severity: 'error',
      from: { path: [PROCESSES, '^scripts/'] },
      to: { path: STORE },
    },
    {
      name: 'temporal-is-for-processes',
      severity: 'error',
      from: {
        path: '^(src|scripts)/',
        pathNot: ['^src/kernel/temporal/', '^src/startup/embedded/', '^scripts/'],
      },
      to: { path: '^node_modules/@temporalio/' },
    },
    {
      name: 'koa-is-for-http-and-the-sandbox-s-parties',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/http/', '^src/parties/.*sandbox/'] },
      to: { path: '^node_modules/(koa|@koa/router)/' },
    },
    {
      name: 'the-source-knows-no-process',
      comment: 'Workflows, activities and workers are started by startup/ alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/startup/', '^src/main\\.ts$'] },
      to: { path: PROCESSES },
    },
    {
      name: 'the-client-kit-stands-alone',
      comment:
        'The kit is a package of its own: it takes nothing but Node, and the product takes nothing of it.',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: '^client/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'the-product-knows-no-client',
      severity: 'error',
      from: { path: '^(src|workflows|activities|workers)/' },
      to: { path: '^client/' },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'A workflow is bundled: it takes types and pure rules, never a database or a network.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        path: ['^src/kernel/db/', '^src/http/', '^src/parties/[^/]+/http\\.ts$', '^workers/'],
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types'],
    },
  },
};
