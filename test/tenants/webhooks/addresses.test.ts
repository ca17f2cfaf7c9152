import { Problem } from '../../../src/kernel/errors';
import { guardedConnector, isAllowedAddress, type Resolve } from '../../../src/tenants/webhooks/addresses';
import { type Attempt, createPoster } from '../../../src/tenants/webhooks/delivery/poster';
import { checkUrl } from '../../../src/tenants/webhooks/url';
import { testCertificate } from '../../support/certificate';
import { type Receiver, startReceiver } from '../../support/receiver';

const LIVE = { allowLoopback: false };
const SANDBOX = { allowLoopback: true };

const REFUSED = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  'localhost',
  '',
];

describe('an address', () => {
  it.each(REFUSED)('%s is refused', (address) => {
    expect(isAllowedAddress(address, 'https:', LIVE)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is allowed', (address) => {
    expect(isAllowedAddress(address, 'https:', LIVE)).toBe(true);
    expect(isAllowedAddress(address, 'http:', SANDBOX)).toBe(false);
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s is allowed in the sandbox', (address) => {
    expect(isAllowedAddress(address, 'http:', SANDBOX)).toBe(true);
    expect(isAllowedAddress(address, 'https:', SANDBOX)).toBe(true);
    expect(isAllowedAddress('10.0.0.1', 'https:', SANDBOX)).toBe(false);
  });
});

describe('a URL at its registration', () => {
  const names: Record<string, string[]> = {
    'good.example': ['8.8.8.8'],
    'inside.example': ['10.1.2.3'],
    'both.example': ['8.8.8.8', '127.0.0.1'],
    localhost: ['127.0.0.1', '::1'],
  };
  const resolve: Resolve = (name) => {
    const found = names[name];
    return found
      ? Promise.resolve(found)
      : Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
  };
  const refusal = (url: string, policy = LIVE) =>
    checkUrl(url, policy, resolve).then(
      () => undefined,
      (error: Problem) => [error.status, error.field],
    );

  it.each([
    'nonsense',
    '//good.example/',
    'http://good.example/',
    'ftp://good.example/',
    'javascript:alert(1)',
    'https://user:secret@good.example/',
    'https://user@good.example/',
    'https://inside.example/',
    'https://both.example/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/',
  ])('%s is refused', async (url) => {
    expect(await refusal(url)).toEqual([400, 'url']);
  });

  it.each([
    'https://good.example/',
    'https://good.example:8443/a?b=c',
    'https://8.8.8.8/',
    'https://later.example/',
  ])('%s is accepted', async (url) => {
    expect(await refusal(url)).toBeUndefined();
  });

  it('may lead to this machine in the sandbox, and nowhere else inside', async () => {
    for (const url of ['http://localhost:9/', 'https://127.0.0.1:9/', 'http://[::1]:9/'])
      expect(await refusal(url, SANDBOX)).toBeUndefined();
    for (const url of [
      'http://good.example/',
      'https://inside.example/',
      'https://10.0.0.1/',
      'http://10.0.0.1/',
      'http://later.example/', // a name that does not resolve is not this machine's
    ])
      expect(await refusal(url, SANDBOX)).toEqual([400, 'url']);
  });
});

describe('a connection', () => {
  let receiver: Receiver;
  const certificate = testCertificate();
  beforeAll(async () => {
    receiver = await startReceiver({ certificate });
  });
  afterAll(() => receiver.close());

  function post(url: string, options: { resolve?: Resolve; allowLoopback?: boolean; ca?: string } = {}) {
    const { resolve = async () => ['127.0.0.1'], allowLoopback = false, ca = receiver.ca } = options;
    const connect = guardedConnector({ allowLoopback, ca, resolve, timeoutMs: 2_000 });
    const poster = createPoster({ connect, timeoutMs: 5_000, connections: 1 });
    const delivery = {
      url,
      tenantId: 'cli',
      secret: Buffer.from('s'),
      event: 'e',
      data: '{}',
      idempotencyKey: null,
    };
    return poster.post('lane', delivery).finally(() => poster.forget('lane'));
  }
  const port = () => new URL(receiver.url).port;
  const code = async (attempt: Promise<Attempt>) => (await attempt).code;

  it('is made to an allowed address', async () => {
    expect(await post(receiver.url, { allowLoopback: true })).toMatchObject({ ok: true, code: 'http_204' });
    expect(await post(`https://localhost:${port()}/`, { allowLoopback: true })).toMatchObject({ ok: true });
  });

  it('is refused where a name that was public leads inside by now', async () => {
    receiver.received.splice(0);
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'])
      expect(await code(post(`https://localhost:${port()}/`, { resolve: async () => [address] }))).toBe(
        'address_not_allowed',
      );
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await code(post(`https://${host}:${port()}/`))).toBe('address_not_allowed');
    expect(receiver.received).toHaveLength(0);
  });

  it('dials only the allowed ones of several addresses', async () => {
    const resolve = async () => ['10.0.0.1', '127.0.0.1'];
    expect(await post(`https://localhost:${port()}/`, { resolve, allowLoopback: true })).toMatchObject({
      ok: true,
    });
  });

  it('is not made without TLS elsewhere than to this machine', async () => {
    expect(
      await code(post('http://localhost:1/', { resolve: async () => ['8.8.8.8'], allowLoopback: true })),
    ).toBe('address_not_allowed');
  });

  it('needs a certificate that is trusted and names the host', async () => {
    expect(await code(post(receiver.url, { allowLoopback: true, ca: testCertificate().cert }))).toBe(
      'tls_failed',
    );
    expect(await code(post(`https://other.example:${port()}/`, { allowLoopback: true }))).toBe('tls_failed');
  });

  it('needs TLS 1.2', async () => {
    const [old, enough] = await Promise.all([
      startReceiver({ certificate, maxTls: 'TLSv1.1' }),
      startReceiver({ certificate, maxTls: 'TLSv1.2' }),
    ]);
    expect(await code(post(old.url, { allowLoopback: true }))).toBe('tls_failed');
    expect(await post(enough.url, { allowLoopback: true })).toMatchObject({ ok: true });
    expect(old.received).toHaveLength(0);
    await Promise.all([old.close(), enough.close()]);
  });

  it('tells what kept it from being made', async () => {
    const refused = startReceiver({ http: true });
    const { url, close } = await refused;
    await close();
    expect(await code(post(url, { allowLoopback: true }))).toBe('connection_refused');
    const unknown: Resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await code(post('https://nowhere.example/', { resolve: unknown }))).toBe('dns_failed');
  });
});
