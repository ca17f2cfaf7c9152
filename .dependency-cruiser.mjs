// The rules of the house (docs/architecture.md, Districts). `npm run lint` fails on an import that runs back.

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
  accounts: ['accounts', 'exchange'],
  cards: ['programmes', 'cards', 'challenges', 'events', 'processor', 'issuance', 'buffers'],
  transfers: ['engine', 'payouts', 'deposits', 'iban', 'external-cards', 'chain-deposits', 'exchange'],
  chain: ['networks', 'wallets', 'gas-station', 'reconciliation'],
};

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
      from: { path: '^src/([^/]+/[^/]+)/' },
      to: { path: '^src/[^/]+/[^/]+/.*store\\.ts$', pathNot: '^src/$1/' },
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
