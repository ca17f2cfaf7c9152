import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../../test/attack/operations';
import { draftsOf, send } from '../../../test/attack/requests';
import type { Trials } from '../trials';
import { changedTables, clientOf, type World } from '../world';

/** Addresses of hosts that only the installation's own network reaches, in every spelling. */
const INNER_HOSTS = [
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '0.0.0.0', '255.255.255.255'],
  ...['168.63.129.16', '192.0.2.1', '198.18.0.1', '224.0.0.1'],
  // The same in other bases, cut, or padded.
  ...[
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '0xa9.0xfe.0xa9.0xfe',
    '10.1',
    '192.168.257',
    '167772161',
  ],
  ...['169.254.169.254.', '１６９.２５４.１６９.２５４', '169。254。169。254'],
  ...['[::]', '[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:169.254.169.254]', '[::a9fe:a9fe]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[2002:a9fe:a9fe::1]', '[fd00::1]', '[fe80::1]', '[fec0::1]'],
  ...['[ff02::1]', '[2001:db8::1]', '[fd00:ec2::254]'],
];

/** URLs that lead nowhere a webhook may go, whatever their host. */
const ODD_URLS = [
  ...['http://10.0.0.1/', 'http://93.184.216.34/', 'ftp://93.184.216.34/', 'file:///etc/passwd'],
  ...['gopher://127.0.0.1:6379/_PING', 'javascript:alert(1)', 'data:text/plain,x', '//93.184.216.34/'],
  ...['https://user:secret@93.184.216.34/', 'https://93.184.216.34\\@10.0.0.1/', 'https:93.184.216.34'],
  ...['https://93.184.216.34 .example/', ' https://93.184.216.34/', 'https://93.184.216.34/\r\nx: y', ''],
];

const isUrl = (schema: object): boolean => JSON.stringify(schema).includes('"format":"uri"');

/** Whether the product itself calls the URL. A browser calls the others, which may lead to any https host. */
const isReached = ({ path }: Operation): boolean => /^\/v1\/(webhooks|networks)/.test(path);

/** URLs by which a tenant or an admin lets the installation call an inner host. */
export async function urls(world: World, trials: Trials): Promise<void> {
  const [client, admin] = [await world.tenant(), await world.tenant('admin')];
  const before = await world.traces(client.clientId);
  const cases = world.operations.map((operation) => {
    const fields = Object.entries(operation.body?.properties ?? {}).filter(([, schema]) => isUrl(schema));
    const given = [
      ...ODD_URLS,
      ...(isReached(operation) ? INNER_HOSTS.map((host) => `https://${host}/`) : []),
    ];
    return fields.flatMap(([field, { type }]) => given.map((url) => ({ operation, field, type, url })));
  });
  const tried = trials.spread(cases);
  trials.holds('the document has fields of URLs', new Set(tried.map(({ field }) => field)).size > 2, true);
  for (const { operation, field, type, url } of tried) {
    const [draft] = draftsOf(world, operation, 1).slice(-1);
    if (!draft) continue;
    const value = [type].flat().includes('array') ? [url] : url;
    const ids = Object.fromEntries(draft.places.map((place) => [place.name, 'nobody']));
    const body = { ...draft.body, [field]: value };
    const answer = await send(
      clientOf(operation.role === 'admin' ? admin : client),
      { ...draft, body },
      ids,
      'url',
    );
    const told = { ...answer, headers: Object.fromEntries(answer.headers) };
    // A field may be judged after an id that is not there.
    trials.answered(`${operation.name} with ${field} ${JSON.stringify(url)}`, told, { status: [400, 404] });
  }
  const traces = changedTables(before, await world.traces(client.clientId));
  trials.holds('refused URLs leave no trace', traces, []);
  if (world.isWhole) await redirects(world, trials);
}

const PATIENCE_MS = 20_000;

/** A receiver that sends deliveries on to another address. No delivery may follow it. */
async function redirects(world: World, trials: Trials): Promise<void> {
  const inner = await listener(() => ({ status: 200 }));
  const outer = await listener(() => ({ status: 307, location: inner.url }));
  const client = await world.tenant();
  try {
    await client.ask('POST', '/v1/webhooks', { url: outer.url, type: 'account' });
    const accounts = await client.ask('GET', '/v1/accounts?currency=USD');
    const body = { accountId: accounts.body.data[0].id, amount: '1.00', reason: 'attack' };
    const admin = await world.tenant('admin');
    await admin.ask('POST', '/v1/accounts/admin-deposit', body);
    for (const end = Date.now() + PATIENCE_MS; outer.seen() === 0 && Date.now() < end; ) await sleep(100);
    await sleep(1_000);
    trials.holds('the receiver got the delivery', outer.seen() > 0, true);
    trials.holds('no delivery follows a redirect', inner.seen(), 0);
  } finally {
    await client.ask('DELETE', '/v1/webhooks');
    await Promise.all([inner.close(), outer.close()]);
  }
}

async function listener(answer: () => { status: number; location?: string }) {
  let seen = 0;
  const server = createServer((request, response) => {
    seen += 1;
    const { status, location } = answer();
    request.resume();
    response.writeHead(status, location ? { location } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen: () => seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
