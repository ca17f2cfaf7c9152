import type { Resolve } from '../../../../src/kernel/security/allowed-addresses';
import { guardedConnector } from '../../../../src/kernel/security/guarded-connector';
import { type Attempt, createPoster } from '../../../../src/tenants/webhooks/delivery/poster';
import { testCertificate } from '../../../support/outside/certificate';
import { type Receiver, startReceiver } from '../../../support/outside/receiver';

describe('a connection', () => {
  let receiver: Receiver;
  const certificate = testCertificate();
  beforeAll(async () => {
    receiver = await startReceiver({ certificate });
  });
  afterAll(() => receiver.close());

  function post(
    url: string,
    options: { resolve?: Resolve; allowLoopback?: boolean; ca?: string; mayBegin?: () => boolean } = {},
  ) {
    const { resolve = async () => ['127.0.0.1'], allowLoopback = false, ca = receiver.ca } = options;
    const { mayBegin = () => true } = options;
    const connect = guardedConnector({ allowLoopback, ca, resolve, timeoutMs: 2_000 });
    const poster = createPoster({ connect, timeoutMs: 5_000, connections: 1 });
    const delivery = {
      url,
      tenantId: 'cli',
      id: 'evt_1',
      keys: { secret: Buffer.from('s'), standard: [] },
      event: 'e',
      data: '{}',
      idempotencyKey: null,
    };
    return poster.post('lane', { ...delivery, mayBegin }).finally(() => poster.forget('lane'));
  }
  const port = () => new URL(receiver.url).port;
  const code = async (attempt: Promise<Attempt | undefined>) => (await attempt)?.code;

  it('carries nothing for a sender that may not begin any more when it is open', async () => {
    receiver.received.splice(0);
    let asked = 0;
    const mayBegin = () => {
      asked += 1;
      return false;
    };
    expect(await post(receiver.url, { allowLoopback: true, mayBegin })).toBeUndefined();
    expect([asked, receiver.received.length]).toEqual([1, 0]);
  });

  it('is made to an allowed address', async () => {
    expect(await post(receiver.url, { allowLoopback: true })).toMatchObject({ ok: true, code: 'http_204' });
    expect(await post(`https://localhost:${port()}/`, { allowLoopback: true })).toMatchObject({ ok: true });
  });

  it('is refused when a public name now leads to a private address', async () => {
    receiver.received.splice(0);
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'])
      expect(await code(post(`https://localhost:${port()}/`, { resolve: async () => [address] }))).toBe(
        'address_not_allowed',
      );
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await code(post(`https://${host}:${port()}/`))).toBe('address_not_allowed');
    expect(receiver.received).toHaveLength(0);
  });

  it('dials only allowed addresses of several', async () => {
    const resolve = async () => ['10.0.0.1', '127.0.0.1'];
    expect(await post(`https://localhost:${port()}/`, { resolve, allowLoopback: true })).toMatchObject({
      ok: true,
    });
  });

  it('needs TLS, except to this machine', async () => {
    expect(
      await code(post('http://localhost:1/', { resolve: async () => ['8.8.8.8'], allowLoopback: true })),
    ).toBe('address_not_allowed');
  });

  it('needs a trusted certificate that names the host', async () => {
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

  it('reports why it failed', async () => {
    const refused = startReceiver({ http: true });
    const { url, close } = await refused;
    await close();
    expect(await code(post(url, { allowLoopback: true }))).toBe('connection_refused');
    const unknown: Resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await code(post('https://nowhere.example/', { resolve: unknown }))).toBe('dns_failed');
  });
});
